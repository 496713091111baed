#include "freezer.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <memory>
#include <string>

#include "descriptors.h"

namespace kbeval::sandbox {
namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

/// State letter in the text of a stat file: it follows the last bracket, which ends the process's name.
char state_of(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> text{};
    const ssize_t length = file.valid() ? ::read(file.get(), text.data(), text.size()) : -1;
    if (length <= 0) {
        return 'X';  // it has ended
    }
    const std::string stat(text.data(), static_cast<std::size_t>(length));
    const auto bracket = stat.rfind(')');
    return bracket + 2 < stat.size() ? stat[bracket + 2] : 'X';
}

bool runs(const std::string& process) {
    const std::string tasks = "/proc/" + process + "/task";
    const Folder folder(::opendir(tasks.c_str()));
    while (const dirent* const entry = folder ? ::readdir(folder.get()) : nullptr) {
        if (std::isdigit(static_cast<unsigned char>(entry->d_name[0])) != 0) {
            const char state = state_of(tasks + "/" + entry->d_name + "/stat");
            if (state == 'R' || state == 'S' || state == 'D') {
                return true;
            }
        }
    }
    return false;
}

bool any_runs() {
    const Folder folder(::opendir("/proc"));
    if (!folder) {
        return true;
    }
    while (const dirent* const entry = ::readdir(folder.get())) {
        const std::string name = entry->d_name;
        if (std::isdigit(static_cast<unsigned char>(name[0])) != 0 && name != "1" && runs(name)) {
            return true;
        }
    }
    return false;
}

bool freeze() {
    constexpr int kPolls = 10000;
    constexpr timespec kPause{0, 100'000};
    ::kill(-1, SIGSTOP);
    for (int i = 0; i < kPolls; ++i) {
        if (!any_runs()) {
            return true;
        }
        ::nanosleep(&kPause, nullptr);
    }
    return false;
}

}  // namespace

bool answer_order(int control) {
    char order = 0;
    const ssize_t length = ::read(control, &order, 1);
    if (length < 0 && errno == EINTR) {
        return true;
    }
    if (length <= 0) {
        return false;
    }
    char answer = '!';
    if (order == 'F') {
        answer = freeze() ? 'F' : '!';
    } else if (order == 'T') {
        ::kill(-1, SIGCONT);
        answer = 'T';
    }
    return ::write(control, &answer, 1) == 1;
}

}  // namespace kbeval::sandbox
