#include "figures/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "figures/comparison.h"
#include "report/run/report_text.h"
#include "verdict_samples.h"

namespace kbeval {
namespace {

using ::testing::ElementsAre;
using testing::full_verdict;
using ::testing::HasSubstr;
using testing::id_of;
using ::testing::IsEmpty;
using ::testing::Not;

class Evaluations {
  public:
    ReportRow& add(const std::string& problem, double speedup, double low, double high) {
        ReportRow row;
        row.verdict = full_verdict();
        row.verdict.id = id_of(rows_.size() + 1);
        row.verdict.created = "2026-01-01T00:00:0" + std::to_string(rows_.size()) + ".000Z";
        row.verdict.problem = problem;
        row.verdict.speedup = speedup;
        row.verdict.speedup_lo95 = low;
        row.verdict.speedup_hi95 = high;
        row.level = 1;
        row.family = "matmul";
        conclude(row.verdict);
        rows_.push_back(row);
        return rows_.back();
    }

    ReportRow& fail(const std::string& problem, Status status) {
        ReportRow& row = add(problem, 1, 1, 1);
        row.verdict.status = status;
        row.verdict.speedup = row.verdict.speedup_lo95 = row.verdict.speedup_hi95 = std::nullopt;
        conclude(row.verdict);
        return row;
    }

    [[nodiscard]] Rows rows() const {
        Rows all;
        for (const ReportRow& row : rows_) {
            all.push_back(&row);
        }
        return all;
    }

  private:
    std::deque<ReportRow> rows_;
};

TEST(FastP, WeighsProblemsAlikeHoweverManyEvaluations) {
    Evaluations e;
    e.add("A", 3, 2.9, 3.1);
    e.fail("A", Status::incorrect);
    e.fail("A", Status::timeout);
    e.fail("A", Status::forbidden);
    e.add("B", 1.05, 0.99, 1.1);
    const auto at = fast_p(e.rows(), {0, 1, 2, 3});
    EXPECT_DOUBLE_EQ(at[0].sure.estimate, (0.25 + 1) / 2);
    EXPECT_DOUBLE_EQ(at[1].sure.estimate, 0.125);
    EXPECT_DOUBLE_EQ(at[1].raw, (0.25 + 1) / 2);
    EXPECT_DOUBLE_EQ(at[1].best, 0.5);
    EXPECT_DOUBLE_EQ(at[2].sure.estimate, 0.125);
    EXPECT_DOUBLE_EQ(at[3].sure.estimate, 0);
    EXPECT_DOUBLE_EQ(at[3].raw, 0);  // more than p, not as much as
}

TEST(FastP, CountsNeitherFlaggedNorInfrastructureNorChecks) {
    Evaluations e;
    e.add("A", 3, 2.9, 3.1).verdict.flags = {"clock_disagreement"};
    e.fail("A", Status::infra_error);
    e.add("B", 3, 2.9, 3.1).verdict.kind = "check";
    const auto at = fast_p(e.rows(), {0, 1});
    EXPECT_EQ(at[0].sure.estimate, 0);
    EXPECT_EQ(at[0].raw, 1);
    EXPECT_EQ(at[1].raw, 1);
    const Figures f = figures_of(e.rows());
    EXPECT_EQ(f.evaluations, 3U);
    EXPECT_EQ(f.judged, 1U);
    EXPECT_EQ(f.checks, 1U);
    EXPECT_EQ(f.infra_errors, 1U);
    EXPECT_EQ(f.flags.at("clock_disagreement"), 1U);
    EXPECT_FALSE(f.speedup);
}

TEST(Figures, OfNothing) {
    const Figures f = figures_of({});
    EXPECT_EQ(f.problems, 0U);
    EXPECT_EQ(f.success_rate.high, 1);
    EXPECT_EQ(f.curve.size(), curve_p().size());
    EXPECT_THAT(slices_of({}), IsEmpty());
}

TEST(Figures, GeometricMeanIsOverProblems) {
    Evaluations e;
    e.add("A", 2, 1.9, 2.1);
    e.add("A", 8, 7.9, 8.1);
    e.add("B", 1, 0.9, 1.1);
    ASSERT_TRUE(figures_of(e.rows()).speedup);
    EXPECT_DOUBLE_EQ(figures_of(e.rows()).speedup->estimate, 2);
}

TEST(Compare, PairsTheSameSourceFirst) {
    Evaluations before;
    before.add("A", 2, 1.9, 2.1).verdict.candidate_digest = "old";
    before.add("A", 3, 2.9, 3.1).verdict.candidate_digest = "other";
    Evaluations now;
    now.add("A", 1.5, 1.4, 1.6).verdict.candidate_digest = "old";
    const Comparison c = compare(before.rows(), now.rows(), "x");
    ASSERT_EQ(c.pairs.size(), 1U);
    EXPECT_TRUE(c.pairs[0].same_source);
    EXPECT_EQ(c.pairs[0].change, Change::loss);
    EXPECT_DOUBLE_EQ(*c.pairs[0].ratio, 0.75);
}

TEST(Compare, NeverPairsAcrossGpusAndSaysWhatDiffers) {
    Evaluations before;
    before.add("A", 2, 1.9, 2.1);
    before.add("B", 2, 1.9, 2.1);
    Evaluations now;
    now.add("A", 2, 1.9, 2.1).verdict.gpu = "another";
    now.add("B", 2, 1.9, 2.1).verdict.versions = {{"torch", "9.9"}};
    const Comparison c = compare(before.rows(), now.rows(), "x");
    ASSERT_EQ(c.pairs.size(), 1U);
    EXPECT_EQ(c.pairs[0].change, Change::same);
    EXPECT_THAT(c.differs, ElementsAre("torch"));
}

TEST(Change, TellsGainsAndFlips) {
    Evaluations e;
    const Verdict slow = e.add("A", 0.5, 0.4, 0.6).verdict;
    const Verdict fast = e.add("A", 2, 1.9, 2.1).verdict;
    const Verdict faster = e.add("A", 3, 2.9, 3.1).verdict;
    const Verdict wrong = e.fail("A", Status::incorrect).verdict;
    const Verdict late = e.fail("A", Status::timeout).verdict;
    EXPECT_EQ(change_of(fast, slow), Change::broken);
    EXPECT_EQ(change_of(fast, wrong), Change::broken);
    EXPECT_EQ(change_of(slow, fast), Change::fixed);
    EXPECT_EQ(change_of(fast, faster), Change::gain);
    EXPECT_EQ(change_of(faster, fast), Change::loss);
    EXPECT_EQ(change_of(wrong, late), Change::status);
    EXPECT_EQ(change_of(slow, wrong), Change::status);
    EXPECT_EQ(change_of(fast, fast), Change::same);
}

TEST(Regressions, LookAtTheNewestOfEachSource) {
    Evaluations e;
    e.add("A", 2, 1.9, 2.1);
    e.fail("A", Status::timeout);
    EXPECT_EQ(regressions(e.rows()).size(), 1U);
    e.add("A", 2, 1.9, 2.1);
    EXPECT_THAT(regressions(e.rows()), IsEmpty());
    e.fail("A", Status::incorrect).verdict.candidate_digest = "new source";
    EXPECT_THAT(regressions(e.rows()), IsEmpty());
}

TEST(MarkdownText, LeavesNothingToInterpret) {
    EXPECT_EQ(markdown_text("speedup_lo95 (2.1)"), "speedup_lo95 (2.1)");
    const std::string text =
        markdown_text("<img src=x> |a| `b` _c_ [d](e) @all #77 http://x www.y\n- z\x1b[1m");
    for (const char* part : {"<i", "|", "`", " _", "[", "@a", "#77", "://x", "www.", "\n", "\x1b"}) {
        EXPECT_THAT(text, Not(HasSubstr(part))) << part;
    }
}

}  // namespace
}  // namespace kbeval
