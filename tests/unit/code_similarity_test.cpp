#include "context/code_similarity.h"

#include <gtest/gtest.h>

#include <string>

#include "context/leak_guard.h"

namespace kbeval {
namespace {

const std::string kernel = R"(
@triton.jit
def scaled_relu(x_ptr, out_ptr, count, scale, BLOCK: tl.constexpr):
    """Scale, then clamp at zero."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, tl.maximum(x * scale, 0.0), mask=inside)
)";

// The same with other names, comments and layout.
const std::string renamed = R"(
# something else
@triton.jit
def k(a,b,n,s,W:tl.constexpr):
    p=tl.program_id(0)*W+tl.arange(0,W)   # where
    ok=p<n
    v=tl.load(a+p,mask=ok)
    tl.store(b+p,tl.maximum(v*s,0.0),mask=ok)
)";

const std::string other = R"(
@triton.jit
def row_sum(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + at, mask=at < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))
)";

double share(const std::string& part, const std::string& whole) {
    return share_within(code_shingles(part), code_shingles(whole));
}

Problem gemm() {
    Problem problem;
    problem.id = "L2_076";
    problem.level = 2;
    problem.number = 76;
    problem.name = "Gemm_Add_ReLU";
    return problem;
}

std::vector<std::string> leaks(const std::string& context) {
    return find_leaks(gemm(), context, {{"evaluation 1234", kernel}});
}

TEST(CodeSimilarity, NamesCommentsAndLayoutHideNothing) {
    EXPECT_DOUBLE_EQ(share(kernel, kernel), 1);
    EXPECT_GT(share(kernel, renamed), 0.95);
    EXPECT_GT(share(renamed, kernel), 0.95);
}

TEST(CodeSimilarity, OtherCodeIsOther) {
    EXPECT_LT(share(kernel, other), 0.3);
    EXPECT_LT(share(other, kernel), 0.3);
    EXPECT_DOUBLE_EQ(share("a = b", "a = b"), 0);
    EXPECT_DOUBLE_EQ(share("", kernel), 0);
}

TEST(CodeSimilarity, NativeCodeInLongStringsIsCode) {
    const std::string one =
        "source = r'''\n__global__ void f(float* x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2.0f; "
        "}'''";
    const std::string two =
        "text = r'''\n__global__ void g(float* y, int m) { int j = threadIdx.x; /* so */ if (j < m) y[j] *= "
        "2.0f; }'''";
    EXPECT_GT(share(one, two), 0.9);
}

TEST(CodeSimilarity, TakesUnfinishedTexts) {
    for (const char* text : {"'''", R"("""x)", "/*", "'''/*", "'''//", "#", "\xff\xfe", "a.'''b'''"}) {
        const CodeShingles found = code_shingles(text);
        EXPECT_LE(found.literal.size(), 1U);
    }
}

TEST(LeakGuard, FindsCodeHoweverItStands) {
    EXPECT_EQ(leaks("Use this:\n```python\n" + kernel + "```\n").size(), 1U);
    EXPECT_NE(leaks("Use this:\n```python\n" + renamed + "```\n").at(0).find("line 3: code that is"),
              std::string::npos);
    EXPECT_EQ(leaks("Use this:\n```python\n" + kernel).size(), 1U) << "a fence that is never closed";
    EXPECT_NE(leaks("Use this:\n" + kernel).at(0).find("outside of fences"), std::string::npos);
    const std::string half = kernel.substr(0, kernel.size() / 2);
    EXPECT_EQ(leaks("```\n" + half + "\n```\n").size(), 1U) << "a large piece of it";
    EXPECT_TRUE(leaks("Use this:\n```python\n" + other + "```\n").empty());
    EXPECT_TRUE(leaks("Call tl.load with a mask.\n").empty());
}

}  // namespace
}  // namespace kbeval
