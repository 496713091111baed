// Fills a database through the real store with evaluations that never happened: for tests of reports and for
// their timing, never for results. Same arguments, same database.
//   kbeval_make_database FILE COUNT [LABEL [SEED [TRIALS [hostile]]]]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/sha256.h"
#include "stats/descriptive.h"
#include "stats/random.h"
#include "store/store.h"

namespace kbeval {
namespace {

constexpr const char* hostile_text =
    "</script><script>window.hacked=1</script><img src=x onerror=\"window.hacked=2\"> <!-- --><!--<script> "
    "{{7*7}} `|` @everyone #1 \xE2\x80\xA8 =cmd|' /C calc'!A0 \xF0\x9F\x98\x80";

struct Wish {
    std::string label;
    int trials = 0;
    bool hostile = false;
};

class Maker {
  public:
    explicit Maker(std::uint64_t seed) : random_(seed) {}

    Verdict next(int number, const Wish& wish) {
        Verdict v;
        v.id = hex(16) + hex(16);
        v.created = time_of(number);
        const int level = number % 5 < 2 ? 1 : number % 5 < 4 ? 2 : 3;
        const int place = 1 + static_cast<int>(random_.below(level == 3 ? 50 : 100));
        char problem[16];
        std::snprintf(problem, sizeof problem, "L%d_%03d", level, place);
        v.problem = problem;
        v.problem_digest = sha256_hex(v.problem).substr(0, 16);
        v.label = wish.label;
        v.evaluator = "synthetic0000000";
        v.device = "cuda:0";
        v.gpu = "Synthetic GPU";
        v.atol = v.rtol = 1e-4;
        v.seed = random_.next();
        v.seeds = 5;
        v.versions = {{"torch", "0.0-synthetic"}, {"triton", "0.0"}};
        v.conditions = {{"sandbox", "complete"},
                        {"sm_mhz", std::to_string(1900 + random_.below(80))},
                        {"temperature_c", std::to_string(40 + random_.below(30))},
                        {"power_w", std::to_string(300 + random_.below(400))},
                        {"throttle_reasons", std::to_string(random_.below(50) == 0 ? 0x40 : 0x4)}};
        v.stages = {{"static check", 0.01}, {"build", 1 + uniform() * 5}, {"timing", 8 + uniform() * 8}};
        v.kind = random_.below(40) == 0 ? "check" : "run";
        v.status = status();
        if (v.status != Status::correct) {
            v.message = "output mismatch beyond atol=rtol=0.0001: max_abs_diff=" + std::to_string(uniform());
        } else if (v.kind == "run") {
            add_times(v, wish.trials);
        }
        if (random_.below(30) == 0 && v.status == Status::correct) {
            v.flags.emplace_back("clock_disagreement");
        }
        if (wish.hostile && number % 3 == 0) {
            v.message = v.label = v.compile_note = hostile_text;
            v.flags.emplace_back(hostile_text);
            v.notes.emplace_back(hostile_text);
            v.problem = number % 6 == 0 ? hostile_text : v.problem;
            v.versions.emplace_back(hostile_text, hostile_text);
        }
        conclude(v);
        return v;
    }

    double uniform() { return static_cast<double>(random_.next() >> 11U) * 0x1p-53; }

  private:
    std::string hex(int digits) {
        char text[17];
        std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(random_.next()));
        return text;
    }

    static std::string time_of(int number) {
        char text[32];
        std::snprintf(text, sizeof text, "2026-03-%02dT%02d:%02d:%02d.000Z", 1 + number / 86400 % 28,
                      number / 3600 % 24, number / 60 % 60, number % 60);
        return text;
    }

    Status status() {
        const std::uint32_t which = random_.below(100);
        constexpr std::uint32_t correct = 70;
        return which < correct ? Status::correct : all_statuses()[1 + which % (all_statuses().size() - 1)];
    }

    void add_times(Verdict& v, int trials) {
        const double reference = std::exp(-2 + 6 * uniform());
        const double truth = std::exp(0.3 + 0.7 * normal_quantile(std::clamp(uniform(), 1e-6, 1 - 1e-6)));
        std::vector<double> refs;
        std::vector<double> cands;
        for (int i = 0; i < trials; ++i) {
            v.samples.push_back({i / 5, reference * (1 + 0.01 * uniform()),
                                 reference / truth * (1 + 0.01 * uniform()),
                                 reference * (0.9 + 0.01 * uniform())});
            refs.push_back(v.samples.back().ref_ms);
            cands.push_back(v.samples.back().cand_ms);
        }
        v.trials = trials;
        v.ref_ms = trials > 0 ? median(refs) : reference;
        v.cand_ms = trials > 0 ? median(cands) : reference / truth;
        v.compile_ms = reference * 0.9;
        v.speedup = *v.ref_ms / *v.cand_ms;
        v.speedup_mean = v.speedup;
        v.speedup_lo95 = *v.speedup * (1 - 0.02 * uniform());
        v.speedup_hi95 = *v.speedup * (1 + 0.02 * uniform());
        v.speedup_vs_compile = *v.compile_ms / *v.cand_ms;
        v.own_kernel_time_frac = uniform();
    }

    Xoshiro256 random_;
};

/// As long as a real candidate, and different for each.
std::string source_of(Maker& maker, const Verdict& v, const Wish& wish) {
    std::string source = "import torch\nimport triton\n\n# synthetic: " + v.id + "\n";
    if (wish.hostile) {
        source += std::string("# ") + hostile_text + "\n";
    }
    for (int i = 0; i < 60; ++i) {
        source +=
            "    acc" + std::to_string(i) + " = tl.dot(a, b) * " + std::to_string(maker.uniform()) + "\n";
    }
    return source;
}

void fill(const char* file, int count, const Wish& wish, std::uint64_t seed) {
    Store::open(file, Store::Mode::read_write);
    Database database(file, Database::Access::read_write);
    database.execute("PRAGMA synchronous = OFF");  // nothing here is worth waiting for the disk
    Store store(std::move(database));
    Maker maker(seed);
    for (int i = 0; i < count; ++i) {
        Verdict v = maker.next(i, wish);
        const std::string source = source_of(maker, v, wish);
        v.candidate_digest = sha256_hex(source).substr(0, 16);
        store.record(v, source, wish.hostile ? hostile_text : "");
    }
}

}  // namespace
}  // namespace kbeval

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: kbeval_make_database FILE COUNT [LABEL [SEED [TRIALS [hostile]]]]\n", stderr);
        return 2;
    }
    try {
        const kbeval::Wish wish{argc > 3 ? argv[3] : "", argc > 5 ? std::atoi(argv[5]) : 20, argc > 6};
        kbeval::fill(argv[1], std::atoi(argv[2]), wish, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
    } catch (const kbeval::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
    return 0;
}
