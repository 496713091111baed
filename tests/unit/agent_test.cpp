#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/action.h"
#include "agent/exec_agent.h"
#include "agent/feedback.h"
#include "agent/retry.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ParseReply, ReadsTheActionOutsideOfTheCode) {
    const std::string code = "```python\nx = 1\n```\n";
    EXPECT_EQ(parse_reply("ACTION: CHECK\n" + code).action, ReplyAction::check);
    EXPECT_EQ(parse_reply(code + "**Action:  submit.**").action, ReplyAction::submit);
    EXPECT_EQ(parse_reply("> ## ACTION: SUBMIT\n" + code).code, "x = 1\n");
    EXPECT_EQ(parse_reply("```\nACTION: CHECK\n```\n" + code).action, ReplyAction::check);
}

TEST(ParseReply, SaysWhatIsWrong) {
    EXPECT_THAT(parse_reply("```python\nACTION: CHECK\n```").problem, HasSubstr("no line `ACTION: CHECK`"));
    EXPECT_THAT(parse_reply("First ACTION: CHECK, then more.").problem, HasSubstr("on a line of its own"));
    EXPECT_THAT(parse_reply("ACTION: CHECK\nACTION: SUBMIT").problem, HasSubstr("both"));
    EXPECT_EQ(parse_reply("").action, ReplyAction::none);
    EXPECT_FALSE(parse_reply("ACTION: CHECK").code.has_value());
}

TEST(Feedback, HandsOutNoExpectedValueAndNoSeed) {
    Verdict v = testing::full_verdict();
    v.status = Status::incorrect;
    v.message =
        "output mismatch beyond atol=rtol=0.0001: max_abs_diff=0.5, max_rel_diff=0.25; worst at index [3, "
        "17]: "
        "expected 1.23456789, got 1.73456789; 5 of 10 elements (50 %) beyond tolerance (seed 2 of 5)";
    v.agreement = Agreement{0.5, 0.25, 0.5, 1, 0, {3, 17}, 1.23456789, 1.73456789};
    const std::string text = feedback_text(ReplyAction::check, v, 3);
    EXPECT_THAT(text, AllOf(HasSubstr("CHECK: incorrect"), HasSubstr("max_abs_diff=0.5"),
                            HasSubstr("[3, 17]"), HasSubstr("3 turns are left")));
    EXPECT_THAT(text, AllOf(Not(HasSubstr("1.234")), Not(HasSubstr("1.734")), Not(HasSubstr("seed"))));
    v.message = "outputs produced during timing do not match the reference: " + v.message;
    EXPECT_THAT(feedback_text(ReplyAction::submit, v, 3),
                AllOf(HasSubstr("outputs produced during timing do not match"), Not(HasSubstr("1.234")),
                      HasSubstr("The episode ends")));
}

TEST(Feedback, TellsASubmitItsTimes) {
    const std::string text = feedback_text(ReplyAction::submit, testing::full_verdict(), 0);
    EXPECT_THAT(text, AllOf(HasSubstr("SUBMIT: correct"), HasSubstr("speedup 2.087"), HasSubstr("98.7 %")));
}

TEST(ExecReply, IsOneObjectWithAReply) {
    const AgentReply reply = parse_exec_reply(R"({"reply": "hello", "input_tokens": 12})");
    EXPECT_EQ(reply.text, "hello");
    EXPECT_EQ(reply.input_tokens, 12);
    EXPECT_FALSE(reply.output_tokens.has_value());
    for (const char* line : {"", "hello", "[]", "{}", R"({"reply": 1})",
                             R"({"reply": "x", "input_tokens": -1})", "{\"reply\": \"\xff\"}"}) {
        EXPECT_THROW(parse_exec_reply(line), AgentFailure) << line;
    }
}

AgentRequest request(int turn) {
    return {"e", "L1_088", "bare", "r", 0, turn, 6, {{ChatMessage::Role::user, "multi\nline \xff"}}};
}

TEST(ExecAgent, TalksLineByLine) {
    ExecAgent agent(R"(while read -r line; do echo '{"reply": "one"}'; done)", 20);
    EXPECT_EQ(agent.reply(request(1)).text, "one");
    EXPECT_EQ(agent.reply(request(2)).text, "one");
}

TEST(ExecAgent, NamesWhatWentWrong) {
    const auto failure = [](const char* command, double seconds) -> std::string {
        try {
            ExecAgent(command, seconds).reply(request(1));
        } catch (const AgentFailure& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(failure("echo oops >&2; exit 3", 20),
                AllOf(HasSubstr("without an answer"), HasSubstr("oops")));
    EXPECT_THAT(failure("sleep 60", 0.3), HasSubstr("no answer within 0.3 s"));
    EXPECT_THAT(failure("exec 1>&-; sleep 60", 20), HasSubstr("closed its standard output"));
    EXPECT_THAT(failure("echo not json", 20), HasSubstr("not json"));
    EXPECT_THAT(failure("yes | tr -d '\\n'", 60), HasSubstr("longer than"));
}

TEST(Retry, BacksOffExponentiallyWithinItsBounds) {
    const RetryPolicy policy;
    EXPECT_DOUBLE_EQ(back_off(policy, 2, 0), 0.5);
    EXPECT_LE(back_off(policy, 2, ~std::uint64_t{0}), 1.0);
    EXPECT_GT(back_off(policy, 2, ~std::uint64_t{0}), 0.99);
    EXPECT_DOUBLE_EQ(back_off(policy, 5, 0), 4);
    EXPECT_LE(back_off(policy, 1000, ~std::uint64_t{0}), 60);
}

TEST(Retry, ReadsRetryAfter) {
    EXPECT_EQ(retry_after_seconds("7", 0), 7);
    EXPECT_EQ(retry_after_seconds("Thu, 01 Jan 1970 00:01:40 GMT", 40), 60);
    EXPECT_EQ(retry_after_seconds("Thu, 01 Jan 1970 00:01:40 GMT", 200), 0);
    for (const char* value : {"", "soon", "-1", "nan", "inf", "7s"}) {
        EXPECT_FALSE(retry_after_seconds(value, 0).has_value()) << value;
    }
    EXPECT_TRUE(worth_retrying(429) && worth_retrying(503) && worth_retrying(529));
    EXPECT_FALSE(worth_retrying(400) || worth_retrying(401) || worth_retrying(200));
}

}  // namespace
}  // namespace kbeval
