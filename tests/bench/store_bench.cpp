// Measures a large database: what one more evaluation costs, `log`, and the queries behind reports and
// boards.
//   kbeval_store_bench [EVALUATIONS [DATABASE]]    default: 100000, in a temporary folder

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "../unit/verdict_samples.h"
#include "base/clock.h"
#include "base/file.h"
#include "stats/random.h"
#include "store/runs.h"
#include "store/store.h"

namespace {

using kbeval::Store;
using kbeval::Verdict;

constexpr int problems = 250;
constexpr int trials = 120;

/// Evaluation `number` of a plausible mixture; timed ones carry their trials.
Verdict evaluation(std::uint64_t number, kbeval::Xoshiro256& random) {
    Verdict v = kbeval::testing::full_verdict();
    v.id = kbeval::testing::id_of(number + 1, 'b');
    char text[40];
    std::snprintf(text, sizeof text, "2026-%02d-%02dT%02d:%02d:%02d.000Z",
                  1 + static_cast<int>(number / 8064 % 12), 1 + static_cast<int>(number / 288 % 28),
                  static_cast<int>(number / 12 % 24), static_cast<int>(number % 12) * 5,
                  static_cast<int>(number % 60));
    v.created = text;
    std::snprintf(text, sizeof text, "L%d_%03d", 1 + static_cast<int>(number % 3),
                  1 + static_cast<int>(number % problems));
    v.problem = text;
    v.label = "night " + std::to_string(number / 5000);
    v.samples.clear();
    if (random.below(3) == 0) {
        v.status = random.below(2) == 0 ? kbeval::Status::incorrect : kbeval::Status::compile_error;
        v.message = "output mismatch beyond atol=rtol=0.0001";
        v.success = false;
        v.score = 0;
        v.flags.clear();
    } else {
        for (int i = 0; i < trials; ++i) {
            kbeval::Trial trial;
            trial.round = i / 8;
            trial.ref_ms = 2.7 + 0.001 * i;
            trial.cand_ms = 1.3;
            v.samples.push_back(trial);
        }
    }
    return v;
}

double milliseconds(const std::function<void()>& work) {
    const auto start = kbeval::SteadyClock::now();
    work();
    return 1000 * kbeval::seconds_since(start);
}

void query(Store& store, const std::string& sql) {
    kbeval::Statement rows(store.database(), sql);
    while (rows.step()) {
    }
}

void measure(const char* what, const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
        times.push_back(milliseconds(work));
    }
    std::sort(times.begin(), times.end());
    std::printf("| %s | %.2f ms |\n", what, times[2]);
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 100000;
    const kbeval::TemporaryDirectory folder(std::filesystem::temp_directory_path(), "kbeval-store-bench");
    const std::filesystem::path path = argc > 2 ? std::filesystem::path(argv[2]) : folder.path() / "bench.db";
    Store store = Store::open(path, Store::Mode::read_write);
    kbeval::Xoshiro256 random(7);
    const std::string source(4000, 'x');
    std::vector<double> inserts;
    for (std::uint64_t i = 0; i < count; ++i) {
        const Verdict v = evaluation(i, random);
        const std::string text = source + std::to_string(i % 20000);
        inserts.push_back(milliseconds([&] { store.record(v, text, "a line of log\n"); }));
    }
    // The last thousand are those into the full database.
    const std::size_t last = std::min<std::size_t>(1000, inserts.size());
    std::sort(inserts.end() - static_cast<std::ptrdiff_t>(last), inserts.end());
    std::printf("| %llu evaluations, %.0f MB | |\n| --- | --- |\n", static_cast<unsigned long long>(count),
                static_cast<double>(std::filesystem::file_size(path)) / 1e6);
    std::printf("| insert, median of the last %zu | %.2f ms |\n", last, inserts[inserts.size() - last / 2]);
    std::printf("| insert, 99th percentile of them | %.2f ms |\n", inserts[inserts.size() - last / 100 - 1]);
    measure("log: the newest 20", [&] { (void)store.list({}); });
    measure("log of one problem", [&] {
        kbeval::EvaluationFilter filter;
        filter.problem = "L2_002";
        (void)store.list(filter);
    });
    measure("log of one label", [&] {
        kbeval::EvaluationFilter filter;
        filter.label = "night 3";
        (void)store.list(filter);
    });
    measure("show: one evaluation with its trials",
            [&] { (void)store.find(kbeval::testing::id_of(count / 2 + 1, 'b')); });
    measure("statuses of one label", [&] {
        query(store,
              "SELECT status, count(*), avg(score) FROM evaluation WHERE label = 'night 3' GROUP BY status");
    });
    measure("latest of one label", [&] { query(store, "SELECT * FROM latest WHERE label = 'night 3'"); });
    measure("fast_p of one label", [&] { query(store, "SELECT * FROM fast_p WHERE label = 'night 3'"); });
    measure("failures of one label", [&] { query(store, "SELECT * FROM failures WHERE label = 'night 3'"); });
    measure("geometric mean of speedups by problem", [&] {
        query(store,
              "SELECT problem, exp(avg(ln(speedup))) FROM judged WHERE label = 'night 3' AND clean GROUP BY "
              "problem");
    });
}
