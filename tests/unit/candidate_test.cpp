#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "candidate/compiler_errors.h"
#include "candidate/source.h"
#include "judge/kernel_names.h"

namespace kbeval {
namespace {

TEST(ExtractCode, TakesTheLastPythonBlock) {
    EXPECT_EQ(extract_code("a\n```python\nx = 1\n```\nb\n```python\nx = 2\n```\n"), "x = 2\n");
    EXPECT_EQ(extract_code("```python\nx = 1\n```\n```bash\nls\n```"), "x = 1\n");
}

TEST(ExtractCode, FindsNone) {
    EXPECT_FALSE(extract_code(""));
    EXPECT_FALSE(extract_code("ACTION: CHECK\nno code here"));
    EXPECT_FALSE(extract_code("```\nx = 1\n```"));
    EXPECT_FALSE(extract_code("    ```python\n    x = 1\n"));
}

TEST(ExtractCode, AcceptsTheWaysModelsWriteFences) {
    EXPECT_EQ(extract_code("```Python\nx = 1\n```"), "x = 1\n");
    EXPECT_EQ(extract_code("```py title=\"a\"\nx = 1\n```"), "x = 1\n");
    EXPECT_EQ(extract_code("```python\r\nx = 1\r\n```\r\n"), "x = 1\n");
    EXPECT_EQ(extract_code("  ````python\ns = '''\n```\n'''\n````"), "s = '''\n```\n'''\n");
}

TEST(ExtractCode, AnUnclosedBlockCountsToTheEnd) {
    EXPECT_EQ(extract_code("```python\nx = 1"), "x = 1\n");
}

class CandidateFile : public testing::Test {
  protected:
    std::string write(const std::string& bytes) {
        const auto path = folder_.path() / "candidate.py";
        write_file(path, bytes);
        return path.string();
    }
    TemporaryDirectory folder_{std::filesystem::temp_directory_path(), "kbeval-test"};
};

TEST_F(CandidateFile, IsReadWithItsDigest) {
    const CandidateSource source = read_candidate(write("x = 1\n"));
    EXPECT_EQ(source.text, "x = 1\n");
    EXPECT_EQ(source.digest, "9e26bf369911c45c");  // sha256sum of these six bytes
}

TEST_F(CandidateFile, MissingAndMalformedAreInputErrors) {
    try {
        read_candidate((folder_.path() / "absent.py").string());
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_NE(std::string(error.what()).find("absent.py: no such file"), std::string::npos);
    }
    try {
        read_candidate(write("x = '\xff'\n"));
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("not UTF-8: malformed byte at offset 5"), std::string::npos);
    }
    EXPECT_THROW(read_candidate(folder_.path().string()), Error);
}

TEST(CompilerErrors, KeepsTheErrorAndItsContext) {
    const std::string output =
        "Error building extension 'x': [1/2] c++ -MMD -MF main.o.d -DTORCH_EXTENSION_NAME=x -c main.cpp\n"
        "FAILED: main.o\n"
        "c++ -MMD -MF main.o.d -DTORCH_EXTENSION_NAME=x -c main.cpp\n"
        "main.cpp: In function 'void f()':\n"
        "main.cpp:4:5: error: 'y' was not declared in this scope\n"
        "    4 |     y = 1;\n"
        "      |     ^\n"
        "ninja: build stopped: subcommand failed.\n";
    EXPECT_EQ(first_compiler_errors(output),
              "main.cpp:4:5: error: 'y' was not declared in this scope\n    4 |     y = 1;\n      |     ^");
}

TEST(CompilerErrors, KnowsNvccPtxasAndLinker) {
    EXPECT_EQ(
        first_compiler_errors("[1/2] /usr/bin/nvcc -c a.cu\na.cu(12): error: identifier \"q\" is undefined\n"
                              "1 error detected in the compilation of \"a.cu\".\n"),
        "a.cu(12): error: identifier \"q\" is undefined\n1 error detected in the compilation of \"a.cu\".");
    EXPECT_NE(first_compiler_errors("x.o: undefined reference to `foo'\n").find("foo"), std::string::npos);
}

TEST(CompilerErrors, IsBounded) {
    std::string output;
    for (int i = 0; i < 500; ++i) {
        output += "a.cpp:1:1: error: number " + std::to_string(i) + "\n";
    }
    const std::string text = first_compiler_errors(output, 5);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
    EXPECT_LT(first_compiler_errors(std::string(100000, 'x')).size(), 400U);
}

TEST(KernelNames, BaseNameOfTemplatesNamespacesAndAnonymous) {
    EXPECT_EQ(base_name("void ns::relu<float, 4>(float*, int)"), "relu");
    EXPECT_EQ(base_name("relu_kernel(float*)"), "relu_kernel");
    EXPECT_EQ(base_name("void (anonymous namespace)::fused<(int)3>(float const*)"), "fused");
    EXPECT_EQ(base_name("triton_kernel"), "triton_kernel");
    EXPECT_EQ(base_name("(other)"), "(other)");
    EXPECT_EQ(
        base_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float> >(int)"),
        "vectorized_elementwise_kernel");
}

TEST(KernelNames, MangledNamesMatchTheirSource) {
    const std::vector<OwnKernel> defined{{"gelu_vector_kernel", "cuda"}, {"copy", "triton"}};
    EXPECT_TRUE(is_own_kernel("_Z18gelu_vector_kernelPK6float4PS_l", defined));
    EXPECT_TRUE(is_own_kernel("_ZN2ns18gelu_vector_kernelIfLi4EEEvPT_", defined));
    EXPECT_TRUE(is_own_kernel("copy", defined));
    EXPECT_FALSE(is_own_kernel("copy_2", defined));
    EXPECT_FALSE(is_own_kernel("_ZN2at6native13reduce_kernelILi512ELi1EfEEvT_", defined));
    EXPECT_FALSE(is_own_kernel("", defined));
}

}  // namespace
}  // namespace kbeval
