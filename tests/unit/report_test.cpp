#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/record_text.h"
#include "report/terminal.h"
#include "report/verdict_text.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using testing::full_verdict;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Terminal, ShowsWhatATerminalWouldObey) {
    EXPECT_EQ(terminal_text("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(terminal_line("a\tb\nc\r"), "a\\x09b\\x0ac\\x0d");
    EXPECT_EQ(terminal_text("\x1b[2J\x07\x7f"), "\\x1b[2J\\x07\\x7f");
    EXPECT_EQ(terminal_text("\xC2\x9B"
                            "31m"),
              "\\u009b31m");  // C1 control sequence introducer
    EXPECT_EQ(terminal_text("\xE2\x80\xAE"
                            "evil"),
              "\\u202eevil");  // right-to-left override
    EXPECT_EQ(terminal_text("\x9B"
                            "31m"),
              "\xEF\xBF\xBD"
              "31m");
    EXPECT_EQ(terminal_text(std::string(1, '\0')), "\\x00");
    EXPECT_EQ(terminal_text("é 漢 😀"), "é 漢 😀");
}

TEST(Terminal, CutsByCharacters) {
    EXPECT_EQ(text_width("é漢x"), 3U);
    EXPECT_EQ(fit("é漢x", 3), "é漢x");
    EXPECT_EQ(fit("é漢xy", 3), "é漢…");
    EXPECT_EQ(fit("abc", 1), "…");
    EXPECT_EQ(fit("abc", 0), "");
}

TEST(VerdictText, Success) {
    EXPECT_EQ(
        verdict_text(full_verdict(), false),
        "SUCCESS  L2_076  correct and faster than the reference\n"
        "reference      2.751 ms\n"
        "torch.compile  2.104 ms\n"
        "candidate      1.318 ms\n"
        "speedup        2.087x  95 % interval 2.081x to 2.093x, 120 trials\n"
        "judge's clock  2.081x  95 % interval 2.050x to 2.120x\n"
        "vs compile     1.596x\n"
        "own kernels    98.7 % of its device time\n"
        "agreement      max_abs_diff=1.25e-06 max_rel_diff=3.5e-05 over 5 seeds, 0 % beyond tolerance\n"
        "worst element  output 0 at [3, 17]: expected 1.23456789, got 1.23457\n"
        "against fp64   candidate max_abs=1.25e-06 rms=2e-07, reference max_abs=1.5e-06 rms=2.5e-07 over 5 "
        "seeds\n"
        "flags          none\n"
        "note           2 rounds were measured again\n"
        "note           second note\n"
        "judged on      NVIDIA H200, full size, atol=rtol=0.0001, 5 seeds from 18364758544493064720\n"
        "evaluator      0123456789abcdef\n");
}

TEST(VerdictText, ColoursOnlyTheFirstWord) {
    Verdict v = full_verdict();
    EXPECT_THAT(verdict_text(v, true), StartsWith("\x1b[1;32mSUCCESS\x1b[0m  L2_076"));
    v.success = false;
    EXPECT_THAT(verdict_text(v, true), StartsWith("\x1b[1;33mNO SUCCESS\x1b[0m"));
    v.status = Status::timeout;
    EXPECT_THAT(verdict_text(v, true), StartsWith("\x1b[1;31mFAILED\x1b[0m"));
    EXPECT_THAT(verdict_text(v, true).substr(20), Not(HasSubstr("\x1b")));
    EXPECT_THAT(verdict_text(v, false), Not(HasSubstr("\x1b")));
}

Verdict failure(Status status, const std::string& message) {
    Verdict v;
    v.problem = "L1_019";
    v.status = status;
    v.message = message;
    v.gpu = "cpu";
    v.size = "smoke";
    v.atol = 1e-4;
    v.rtol = 1e-3;
    v.seed = 7;
    v.seeds = 1;
    v.evaluator = "feed";
    return v;
}

TEST(VerdictText, FailureWithAMessageOfManyLines) {
    const Verdict v = failure(Status::compile_error, "first\n\nthird \x1b]0;title\x07\n");
    EXPECT_EQ(verdict_text(v, false),
              "FAILED  L1_019  compile_error: it does not build\n"
              "reason         first\n"
              "\n"
              "               third \\x1b]0;title\\x07\n"
              "flags          none\n"
              "judged on      cpu, smoke size, atol=0.0001 rtol=0.001, 1 seed from 7\n"
              "evaluator      feed\n");
}

TEST(VerdictText, LongMessagesAreCutAndSaySo) {
    std::string message;
    for (int i = 0; i < 50; ++i) {
        message += "line " + std::to_string(i) + "\n";
    }
    const Verdict v = failure(Status::runtime_error, message);
    EXPECT_THAT(verdict_text(v, false), HasSubstr("line 39\n               (10 more lines: kbeval show)\n"));
    EXPECT_THAT(verdict_text(v, false), Not(HasSubstr("line 40")));
    EXPECT_THAT(verdict_text(v, false, 50), HasSubstr("line 49\nflags"));
}

TEST(VerdictText, ReasonWhereThereIsNoFigureForCompile) {
    Verdict v = full_verdict();
    v.speedup_vs_compile.reset();
    v.compile_note = "torch.compile failed:\x1b oops";
    EXPECT_THAT(verdict_text(v, false), HasSubstr("vs compile     none: torch.compile failed:\\x1b oops\n"));
}

TEST(VerdictText, NoWorstElementWhereAllAreEqual) {
    Verdict v = full_verdict();
    v.agreement->max_abs_diff = 0;
    EXPECT_THAT(verdict_text(v, false), Not(HasSubstr("worst element")));
    v.agreement->max_abs_diff = std::nan("");
    v.agreement->share_beyond = 2.5e-8;
    EXPECT_THAT(verdict_text(v, false), AllOf(HasSubstr("worst element"), HasSubstr("max_abs_diff=nan"),
                                              HasSubstr("2.5e-06 % beyond tolerance")));
}

TEST(VerdictText, EveryFlagOnItsLine) {
    Verdict v = full_verdict();
    v.flags = {"clock_disagreement", "inputs_modified"};
    EXPECT_THAT(verdict_text(v, false),
                HasSubstr("flags          clock_disagreement\n               inputs_modified\n"));
}

TEST(VerdictText, WordsOfEveryOutcome) {
    Verdict v = full_verdict();
    v.success = false;
    EXPECT_EQ(outcome_in_words(v), "correct and faster, but flagged");
    v.fast1 = false;
    v.judge_speedup_lo95 = 0.99;
    EXPECT_EQ(outcome_in_words(v),
              "correct, but not surely faster: the judge's own clock does not confirm it");
    v.judge_speedup_lo95 = 2.05;
    EXPECT_EQ(outcome_in_words(v), "correct, but not surely faster: the interval reaches down to 1 or below");
    v.fast1_raw = false;
    EXPECT_EQ(outcome_in_words(v), "correct, but not faster than the reference");
    v.kind = "check";
    EXPECT_EQ(outcome_in_words(v), "correct (a check: not timed)");
    for (const Status status : all_statuses()) {
        v.status = status;
        EXPECT_THAT(outcome_in_words(v), StartsWith(std::string(to_string(status))));
    }
}

TEST(VerdictTable, AlignsAndCuts) {
    Verdict good = full_verdict();
    good.id = "3fa94c01" + std::string(24, '0');
    Verdict bad = failure(Status::no_custom_kernel, "");
    bad.id = "00112233" + std::string(24, '0');
    bad.created = "2026-01-30T01:02:03.004Z";
    bad.flags = {"a", "b"};
    bad.label = "é\n" + std::string(80, 'x');
    EXPECT_EQ(verdict_table({good, bad}, false),
              "id        time (UTC)           problem  status            speedup [lo95]  vs compile  cand ms "
              " flags  "
              "label\n"
              "3fa94c01  2026-01-31 23:59:59  L2_076   correct            2.087 [2.081]       1.596    1.318 "
              "     0  "
              "nightly\n"
              "00112233  2026-01-30 01:02:03  L1_019   no_custom_kernel               -           -        - "
              "     2  "
              "é\\x0a" +
                  std::string(54, 'x') + "…\n");
    EXPECT_THAT(verdict_table({good}, true), HasSubstr("\x1b[32mcorrect\x1b[0m   2.087"));
    EXPECT_EQ(verdict_table({}, true), "");
}

TEST(RecordText, HoldsAllParts) {
    EvaluationRecord record{full_verdict(), "def f():\n\treturn \"\x1b\"", "warned\n\nagain\n"};
    record.verdict.flags = {"x"};
    const std::string brief = record_text(record, {}, false);
    EXPECT_THAT(brief, StartsWith(verdict_text(record.verdict, false)));
    EXPECT_THAT(brief, HasSubstr("\nstages\n  static check  0.0120 s\n  build         12.5 s\n"
                                 "  timing        30.2 s\n  all stages    42.8 s\n"));
    EXPECT_THAT(brief, HasSubstr("\nversions\n  torch   2.11.0\n  driver  570.1\n"));
    EXPECT_THAT(brief, HasSubstr("\nlog of the candidate's runner\n  warned\n\n  again\n"));
    EXPECT_THAT(
        brief,
        HasSubstr("\nsamples in ms\n"
                  "                trials       least  quartile 1      median  quartile 3        most\n"
                  "  reference          3       2.740       2.745       2.750       2.755       2.760\n"
                  "  torch.compile      2       2.100       2.103       2.106       2.109       2.112\n"
                  "  candidate          3       1.310       1.315       1.320       1.325       1.330\n"));
    EXPECT_THAT(brief, Not(HasSubstr("def f")));
    const std::string whole = record_text(record, {true, true}, false);
    EXPECT_THAT(whole, HasSubstr("\n       1      0       2.76000              -       1.32000\n"));
    EXPECT_THAT(whole, HasSubstr("\nsource\ndef f():\n\treturn \"\\x1b\"\n"));
}

TEST(RecordText, JsonIsValidWhateverIsStored) {
    EvaluationRecord record{full_verdict(), "\xff\xfe", std::string("\0\x1b\xc3", 3)};
    record.verdict.message = "\x80";
    record.verdict.samples[0].ref_ms = std::nan("");
    record.verdict.score = std::numeric_limits<double>::infinity();
    const auto json = nlohmann::json::parse(dump_json(record_json(record, {true, true}), 1));
    EXPECT_EQ(json["samples"].size(), 3U);
    EXPECT_TRUE(json["samples"][0]["ref_ms"].is_null());
    EXPECT_EQ(json["samples"][1]["cand_ms"], 1.32);
    EXPECT_EQ(json["message"], "\xEF\xBF\xBD");
    EXPECT_EQ(json["id"], record.verdict.id);
    EXPECT_FALSE(record_json(record, {}).contains("source"));
}

}  // namespace
}  // namespace kbeval
