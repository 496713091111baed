#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "stats/random.h"
#include "verdict/verdict.h"

namespace kbeval::testing {

/// An id that holds `number` in hex after `first`, padded to 32 digits.
inline std::string id_of(std::uint64_t number, char first = 'a') {
    std::string digits(32, '0');
    for (std::size_t at = 31; number != 0; number >>= 4U, --at) {
        digits[at] = "0123456789abcdef"[number & 0xFU];
    }
    digits[0] = first;
    return digits;
}

/// A success with every field set.
inline Verdict full_verdict() {
    Verdict v;
    v.id = id_of(0x1234);
    v.created = "2026-01-31T23:59:59.123Z";
    v.problem = "L2_076";
    v.problem_digest = "0011223344556677";
    v.candidate_digest = "8899aabbccddeeff";
    v.label = "nightly";
    v.status = Status::correct;
    v.message = "";
    v.ref_ms = 2.7512;
    v.compile_ms = 2.104;
    v.cand_ms = 1.3181;
    v.speedup = 2.0872;
    v.speedup_mean = 2.09;
    v.speedup_lo95 = 2.0811;
    v.speedup_hi95 = 2.0934;
    v.judge_speedup = 2.081;
    v.judge_speedup_lo95 = 2.05;
    v.judge_speedup_hi95 = 2.12;
    v.speedup_vs_compile = 1.5962;
    v.trials = 120;
    v.own_kernel_time_frac = 0.98712;
    v.fast1_raw = true;
    v.fast1 = true;
    v.success = true;
    v.score = 2.0872;
    v.notes = {"2 rounds were measured again", "second note"};
    v.agreement = Agreement{1.25e-6, 3.5e-5, 0, 5, 0, {3, 17}, 1.23456789, 1.23457};
    v.precision = Precision{1.5e-6, 2.5e-7, 1.25e-6, 2e-7, 5};
    v.evaluator = "0123456789abcdef";
    v.device = "cuda:0";
    v.gpu = "NVIDIA H200";
    v.atol = 1e-4;
    v.rtol = 1e-4;
    v.seed = 0xFEDCBA9876543210U;
    v.seeds = 5;
    v.versions = {{"torch", "2.11.0"}, {"driver", "570.1"}};
    v.conditions = {{"sandbox", "complete"}, {"sm_mhz", "1980"}, {"sm_mhz", "1980 again"}};
    v.settings = {{"seeds", "5"}, {"atol", "default"}};
    v.blocks = {{0, 2, 6.5, 5.5, 3.7, 2.6}, {1, 2, 6.4, 5.4, 3.6, 2.5}};
    v.stages = {{"static check", 0.012}, {"build", 12.5}, {"timing", 30.25}};
    v.samples = {{0, 2.75, 1.31, 2.1}, {0, 2.76, 1.32, std::nullopt}, {1, 2.74, 1.33, 2.112}};
    return v;
}

/// Draws verdicts of every kind, reproducibly.
class RandomVerdicts {
  public:
    explicit RandomVerdicts(std::uint64_t seed) : random_(seed) {}

    Verdict next(std::uint64_t number) {
        Verdict v;
        v.id = id_of(number);
        v.created = "2026-02-" + std::to_string(10 + below(20)) + "T00:00:00.000Z";
        v.kind = below(2) == 0 ? "run" : "check";
        v.status = all_statuses()[below(all_statuses().size())];
        for (std::string* text : {&v.problem, &v.problem_digest, &v.candidate_digest, &v.label, &v.message,
                                  &v.compile_note, &v.evaluator, &v.device, &v.gpu, &v.size}) {
            *text = text_from_anywhere();
        }
        for (auto* value :
             {&v.ref_ms, &v.compile_ms, &v.cand_ms, &v.speedup, &v.speedup_mean, &v.speedup_lo95,
              &v.speedup_hi95, &v.speedup_vs_compile, &v.own_kernel_time_frac}) {
            *value = below(3) == 0 ? std::nullopt : std::optional(finite());
        }
        v.trials = static_cast<int>(below(1000));
        v.fast1_raw = below(2) == 0;
        v.fast1 = below(2) == 0;
        v.success = below(2) == 0;
        for (double* value : {&v.score, &v.atol, &v.rtol}) {
            *value = any();
        }
        v.seed = random_.next();
        v.seeds = static_cast<int>(below(50));
        add_lists(v);
        return v;
    }

  private:
    std::uint64_t below(std::uint64_t limit) { return random_.next() % limit; }

    /// Any double that is a number: all exponents, both signs, infinities.
    double finite() {
        for (;;) {
            const auto value = std::bit_cast<double>(random_.next());
            if (!std::isnan(value)) {
                return value;
            }
        }
    }

    double any() {
        const std::uint64_t which = below(6);
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return which == 0 ? std::nan("") : which == 1 ? infinity : which == 2 ? -infinity : finite();
    }

    std::string text_from_anywhere() {
        static const std::string pieces[] = {"plain",
                                             "'; DROP TABLE evaluation; --",
                                             "\"",
                                             "\\",
                                             "é",
                                             "漢字",
                                             "😀",
                                             "\n",
                                             "\t",
                                             "\x1b[31m",
                                             "%s",
                                             "?1",
                                             "{\"a\": 1}",
                                             std::string(1, '\0'),
                                             ""};
        std::string text;
        for (std::uint64_t i = below(5); i > 0; --i) {
            text += pieces[below(std::size(pieces))];
        }
        return text;
    }

    void add_lists(Verdict& v) {
        for (std::uint64_t i = below(4); i > 0; --i) {
            v.flags.push_back(text_from_anywhere());
            v.notes.push_back(text_from_anywhere());
            v.versions.emplace_back(text_from_anywhere(), text_from_anywhere());
            v.conditions.emplace_back(text_from_anywhere(), text_from_anywhere());
            v.stages.push_back({text_from_anywhere(), any()});
        }
        for (std::uint64_t i = below(20); i > 0; --i) {
            v.samples.push_back({static_cast<int>(below(10)), any(), any(),
                                 below(2) == 0 ? std::nullopt : std::optional(finite())});
        }
        for (std::uint64_t i = below(4); i > 0; --i) {
            v.settings.emplace_back(text_from_anywhere(), text_from_anywhere());
            v.blocks.push_back(
                {static_cast<int>(v.blocks.size()), static_cast<int>(below(50)), any(), any(), any(), any()});
        }
        if (below(2) == 0) {
            v.judge_speedup = finite();
            v.judge_speedup_lo95 = finite();
            v.judge_speedup_hi95 = finite();
            v.precision = Precision{any(), any(), any(), any(), static_cast<int>(below(9))};
        }
        if (below(2) == 0) {
            v.agreement = Agreement{
                any(), any(), 0.25, static_cast<int>(below(9)), static_cast<int>(below(3)), {}, any(), any()};
            for (std::uint64_t i = below(5); i > 0; --i) {
                v.agreement->worst_index.push_back(static_cast<std::int64_t>(random_.next()));
            }
        }
    }

    Xoshiro256 random_;
};

}  // namespace kbeval::testing
