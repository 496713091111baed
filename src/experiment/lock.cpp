#include "experiment/lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "base/sha256.h"
#include "base/text.h"

namespace kbeval {

ExperimentLock::ExperimentLock(const std::filesystem::path& database, const std::string& experiment) {
    const std::string path = database.string() + "." + short_digest(experiment) + ".lock";
    fd_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!fd_.valid()) {
        throw infrastructure_error(path + ": cannot be made: " + std::strerror(errno));
    }
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        throw input_error("experiment '" + printable(experiment) + "' is being run by another process",
                          "kbeval experiment cancel ends it after its current turn");
    }
}

}  // namespace kbeval
