#include "experiment/card_trial.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "context/card_arm.h"

namespace kbeval {
namespace {

TEST(CardArm, ReadsAndWritesItsParts) {
    EXPECT_FALSE(parse_card_arm("living"));
    EXPECT_FALSE(parse_card_arm("living:reader"));
    const auto arm = parse_card_arm("living:conditional+card:set/part/P1");
    ASSERT_TRUE(arm);
    EXPECT_EQ(arm->base, "living:conditional");
    EXPECT_EQ(arm->document, "set/part");
    EXPECT_EQ(arm->card, "P1");
    EXPECT_EQ(to_string(*arm), "living:conditional+card:set/part/P1");
    EXPECT_EQ(to_string(*parse_card_arm("bare+card:P1")), "bare+card:P1");
    for (const char* bad : {"+card:P1", "bare+card:", "bare+card:set/"}) {
        EXPECT_THROW((void)parse_card_arm(bad), Error) << bad;
    }
}

constexpr const char* with_card = "bare+card:P1";

/// One pair of finished episodes; a score above 0 is a success.
void add_pair(std::vector<Outcome>& all, const std::string& problem, double base, double card) {
    for (const auto& [arm, score] : {std::pair<std::string, double>{"bare", base}, {with_card, card}}) {
        Outcome o;
        o.problem = problem;
        o.arm = arm;
        o.finished = true;
        o.score = score;
        o.success = score > 0;
        o.origin = "evaluator e, cpu, smoke size";
        all.push_back(o);
    }
}

CardTrial concluded(const std::vector<Outcome>& outcomes, const TrialRule& rule = {}) {
    CardTrial trial;
    trial.card = "P1";
    trial.base = "bare";
    conclude_trial(trial, with_card, outcomes, rule);
    return trial;
}

std::vector<Outcome> pairs(int count, double base, double card) {
    std::vector<Outcome> all;
    for (int i = 0; i < count; ++i) {
        add_pair(all, "L1_0" + std::to_string(10 + i), base, card + 0.01 * i);
    }
    return all;
}

TEST(CardTrial, AGainEverywhereAdmits) {
    const CardTrial trial = concluded(pairs(8, 1, 1.5));
    EXPECT_TRUE(trial.admitted) << trial.reason;
    EXPECT_EQ(trial.problems, 8);
    EXPECT_EQ(trial.wins, 8);
    EXPECT_NEAR(trial.mean_gain, 0.535, 1e-9);
    EXPECT_GT(*trial.low, 0);
    EXPECT_EQ(trial.origin, "evaluator e, cpu, smoke size");
}

TEST(CardTrial, TooFewProblemsAdmitNothing) {
    const CardTrial trial = concluded(pairs(7, 1, 3));
    EXPECT_FALSE(trial.admitted);
    EXPECT_NE(trial.reason.find("only 7 problems"), std::string::npos);
    EXPECT_FALSE(concluded({}).admitted);
    TrialRule lenient;
    lenient.least_problems = 4;
    EXPECT_TRUE(concluded(pairs(4, 1, 3), lenient).admitted);
}

TEST(CardTrial, NothingGainedOrHarmDoneAdmitsNothing) {
    EXPECT_FALSE(concluded(pairs(10, 1, 0.2)).admitted);
    std::vector<Outcome> mixed = pairs(5, 1, 1.3);
    for (int i = 0; i < 5; ++i) {
        add_pair(mixed, "L2_0" + std::to_string(10 + i), 1.3, 1);
    }
    const CardTrial trial = concluded(mixed);
    EXPECT_FALSE(trial.admitted);
    EXPECT_EQ(trial.wins, 5);
    EXPECT_EQ(trial.losses, 5);
}

TEST(CardTrial, AFewLargeGainsDontMakeUpForMoreLosses) {
    std::vector<Outcome> outcomes;
    for (int i = 0; i < 4; ++i) {
        add_pair(outcomes, "L1_0" + std::to_string(10 + i), 1, 9);
    }
    for (int i = 0; i < 5; ++i) {
        add_pair(outcomes, "L1_0" + std::to_string(20 + i), 1, 0.9);
    }
    const CardTrial trial = concluded(outcomes);
    EXPECT_FALSE(trial.admitted);
    EXPECT_NE(trial.reason.find("win more"), std::string::npos) << trial.reason;
}

TEST(CardTrial, FewerSuccessesAdmitNothing) {
    std::vector<Outcome> outcomes = pairs(9, 1, 4);
    add_pair(outcomes, "L3_001", 1, 0);
    const CardTrial trial = concluded(outcomes);
    EXPECT_FALSE(trial.admitted);
    EXPECT_NE(trial.reason.find("success falls by 10.0 %"), std::string::npos) << trial.reason;
}

TEST(CardTrial, GainsByProblemLeaveOpenEpisodesOut) {
    std::vector<Outcome> outcomes = pairs(1, 1, 2);
    add_pair(outcomes, "L9_001", 1, 2);
    outcomes.back().finished = false;
    const auto gains = gains_by_problem(with_card, "bare", outcomes);
    ASSERT_EQ(gains.size(), 1U);
    EXPECT_NEAR(gains.at("L1_010"), 1, 1e-9);
}

TEST(CardTrials, GoIntoTheProvenanceAndNowhereElse) {
    const std::string text =
        "{\n \"engine\": \"e\",\n \"cards\": [\n  {\n   \"id\": \"A\",\n   \"include\": \"x\",\n   \"text\": "
        "\"t\"\n"
        "  },\n  {\n   \"id\": \"B\",\n   \"include\": \"x\",\n   \"text\": \"t\",\n   \"provenance\": \"a "
        "book\"\n"
        "  }\n ]\n}\n";
    EXPECT_EQ(with_trials("cards", text, {}), text);
    CardTrial trial = concluded(pairs(8, 1, 2));
    trial.card = "B";
    trial.experiment = "first";
    const std::string once = with_trials("cards", text, {trial});
    EXPECT_EQ(once.substr(0, text.find("\"a book\"")), text.substr(0, text.find("\"a book\"")));
    EXPECT_NE(once.find("\"text\": \"a book\""), std::string::npos);
    EXPECT_NE(once.find("\"experiment\": \"first\""), std::string::npos);
    EXPECT_EQ(with_trials("cards", once, {trial}), once);  // an exported document that was imported again
    trial.experiment = "second";
    trial.card = "A";
    const auto json = nlohmann::json::parse(with_trials("cards", once, {trial}));
    EXPECT_EQ(json["cards"][0]["provenance"]["trials"].size(), 1U);
    EXPECT_EQ(json["cards"][1]["provenance"]["trials"].size(), 1U);
}

}  // namespace
}  // namespace kbeval
