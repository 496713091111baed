#include "judge/settings.h"

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "base/sha256.h"
#include "source_digest.h"

namespace kbeval {
namespace fs = std::filesystem;

namespace {

/// The harness is read as it is installed, not as it was built, so that an edited file shows in the digest.
void add_harness(Sha256& hash, const fs::path& package) {
    std::vector<fs::path> files;
    std::error_code code;
    for (const auto& entry : fs::recursive_directory_iterator(package, code)) {
        const auto extension = entry.path().extension();
        if (entry.is_regular_file() && (extension == ".py" || extension == ".json")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        hash.field(fs::relative(file, package).generic_string());
        hash.field(read_file(file, 16 << 20));
    }
}

}  // namespace

std::string evaluator_digest(const Layout& layout, const Settings& s) {
    Sha256 hash;
    hash.field(KBEVAL_SOURCE_DIGEST);
    add_harness(hash, layout.harness() / "kbeval_harness");
    for (const double value :
         {static_cast<double>(s.seeds), s.atol.value_or(-1), s.rtol.value_or(-1), s.time_budget,
          s.build_timeout, s.forward_timeout, s.compile_timeout.value_or(-1),
          static_cast<double>(s.min_rounds), static_cast<double>(s.min_pairs),
          static_cast<double>(s.max_pairs), s.target_half_width, s.block_ms, s.warm_ms, s.head_start_us}) {
        hash.field(std::to_string(value));
    }
    return hash.hex().substr(0, 16);
}

}  // namespace kbeval
