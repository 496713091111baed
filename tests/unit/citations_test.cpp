#include "context/citations.h"

#include <gtest/gtest.h>

#include "context/leak_guard.h"
#include "context/living_store.h"

namespace kbeval {
namespace {

std::string read(std::string_view reply) {
    std::string out;
    for (const Citation& citation : read_citations(reply)) {
        out += (citation.kind == CitationKind::helpful ? "+" : "-") + citation.bullet + " ";
    }
    return out;
}

TEST(Citations, FormsThatAgentsProduce) {
    EXPECT_EQ(read("Helpful: [str-00001], [mem-00035]\nMisleading: str-00002"),
              "+str-00001 +mem-00035 -str-00002 ");
    EXPECT_EQ(read("HELPFUL BULLETS:\n- [STR-00001] fusing\n- [str-00003]\n"), "+str-00001 +str-00003 ");
    EXPECT_EQ(read("I used [str-00001] and str-00002. [str-00003] was misleading."),
              "+str-00001 +str-00002 -str-00003 ");
    EXPECT_EQ(read("[str-00001] was not helpful"), "-str-00001 ");
    EXPECT_EQ(read("**Helpful**: `str-00001`"), "+str-00001 ");
}

TEST(Citations, WhatIsNone) {
    EXPECT_EQ(read("[str-00001] says so."), "");
    EXPECT_EQ(read("```\nHelpful: [str-00001]\n```\n"), "");
    EXPECT_EQ(read("Helpful: none\n\n[str-00001]"), "");
    EXPECT_EQ(read("Helpful: [str-00001], [str-00001]"), "+str-00001 ");
    EXPECT_EQ(read(""), "");
}

TEST(LivingStore, NamesAreComparedByWords) {
    EXPECT_DOUBLE_EQ(name_similarity("Gemm_Add_ReLU", "gemm_ReLU"), 2.0 / 3);
    EXPECT_DOUBLE_EQ(name_similarity("conv__a_", "conv_a"), 1);
    EXPECT_DOUBLE_EQ(name_similarity("", ""), 0);
}

TEST(LeakGuard, FindsIdsNamesAndRecipes) {
    Problem problem;
    problem.id = "L2_076";
    problem.level = 2;
    problem.number = 76;
    problem.name = "Gemm_Add_ReLU";
    EXPECT_EQ(find_leaks(problem, "see l2_76.", {}).size(), 1U);
    EXPECT_EQ(find_leaks(problem, "a\nGemm_Add_ReLU: x", {}).at(0),
              "line 2: names the problem, Gemm_Add_ReLU");
    EXPECT_TRUE(find_leaks(problem, "L2_0761 L12_076 L2_7 Gemm_Add_ReLU_More XL2_076", {}).empty());
    problem.name = "Softmax";
    EXPECT_TRUE(find_leaks(problem, "use softmax", {}).empty());
    EXPECT_EQ(find_leaks(problem, "- [1.20x on Softmax] do", {}).size(), 1U);
}

}  // namespace
}  // namespace kbeval
