#include "verdict/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "judge/settings.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using testing::full_verdict;

std::vector<std::string> fields(const std::vector<Difference>& differences) {
    std::vector<std::string> names;
    for (const Difference& d : differences) {
        names.push_back(d.field);
    }
    return names;
}

TEST(Replay, TheSameIsReproduced) {
    Verdict after = full_verdict();
    after.id = testing::id_of(2);
    after.created = "2027";
    after.ref_ms = 2.8;
    after.speedup = 2.0875;
    const ReplayComparison c = compare_replay(full_verdict(), after);
    EXPECT_TRUE(c.reproduced());
    EXPECT_TRUE(c.timed);
    EXPECT_TRUE(c.speedup_in_both);
    EXPECT_TRUE(c.surroundings.empty());
}

TEST(Replay, CorrectnessFiguresMustBeEqual) {
    Verdict after = full_verdict();
    after.agreement->max_abs_diff *= 1 + 1e-15;
    const ReplayComparison c = compare_replay(full_verdict(), after);
    EXPECT_FALSE(c.reproduced());
    EXPECT_THAT(fields(c.outcome), ::testing::ElementsAre("agreement"));
}

TEST(Replay, StatusAndFlagsMustBeEqual) {
    Verdict after = full_verdict();
    after.status = Status::incorrect;
    after.flags = {"inputs_modified"};
    EXPECT_THAT(fields(compare_replay(full_verdict(), after).outcome),
                ::testing::ElementsAre("status", "flags"));
}

TEST(Replay, SpeedupsApartAreNotReproduced) {
    Verdict after = full_verdict();
    after.speedup = 2.2;
    after.speedup_lo95 = 2.19;
    after.speedup_hi95 = 2.21;
    EXPECT_FALSE(compare_replay(full_verdict(), after).reproduced());
    after.speedup_lo95 = 2.09;
    const ReplayComparison c = compare_replay(full_verdict(), after);
    EXPECT_TRUE(c.reproduced());
    EXPECT_FALSE(c.speedup_in_both);
}

TEST(Replay, NamesWhatDiffersAround) {
    Verdict before = full_verdict();
    before.settings = {{"seeds", "5"}, {"gone", "1"}};
    Verdict after = before;
    after.evaluator = "ffffffffffffffff";
    after.settings = {{"seeds", "3"}};
    after.versions.emplace_back("triton", "3.6.0");
    const ReplayComparison c = compare_replay(before, after);
    EXPECT_TRUE(c.reproduced());
    EXPECT_THAT(fields(c.surroundings),
                ::testing::ElementsAre("evaluator", "settings.seeds", "settings.gone", "versions.triton"));
    EXPECT_EQ(c.surroundings[1].before, "5");
    EXPECT_EQ(c.surroundings[1].after, "3");
    EXPECT_EQ(c.surroundings[2].after, "not recorded");
    EXPECT_EQ(to_json(c, before, after)["reproduced"], true);
}

TEST(Settings, SurviveBeingWritten) {
    Settings settings;
    settings.seeds = 7;
    settings.rtol = 0.1 + 0.2;
    settings.exact_oracle = true;
    settings.compile_timeout = 0;
    const Settings read = settings_from_pairs(settings_to_pairs(settings));
    EXPECT_EQ(settings_to_pairs(read), settings_to_pairs(settings));
    EXPECT_EQ(read.rtol, settings.rtol);
    EXPECT_EQ(read.atol, std::nullopt);
    EXPECT_EQ(read.compile_timeout, 0);
    EXPECT_TRUE(settings_from_pairs({}).atol == std::nullopt);
}

TEST(Settings, RefuseWhatTheyDontKnow) {
    EXPECT_THROW(settings_from_pairs({{"speed", "1"}}), Error);
    for (const char* text : {"", "many", "1x", "nan", "inf", "1e99"}) {
        EXPECT_THROW(settings_from_pairs({{"seeds", text}}), Error) << text;
    }
}

}  // namespace
}  // namespace kbeval
