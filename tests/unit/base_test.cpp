#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/pipe.h"
#include "base/sha256.h"
#include "base/subprocess.h"
#include "base/text.h"

namespace kbeval {
namespace {

TEST(Sha256, PublishedVectors) {
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(short_digest("abc"), "ba7816bf8f01cfea");
}

TEST(Sha256, FieldsDoNotRunIntoEachOther) {
    Sha256 a;
    a.field("ab");
    a.field("c");
    Sha256 b;
    b.field("a");
    b.field("bc");
    EXPECT_NE(a.hex(), b.hex());
}

TEST(Utf8, FindsTheFirstMalformedByte) {
    EXPECT_FALSE(first_invalid_utf8("plain, \xC3\xA9, \xE2\x82\xAC, \xF0\x9F\x98\x80"));
    EXPECT_EQ(first_invalid_utf8("ab\xFF"), 2U);
    EXPECT_EQ(first_invalid_utf8("\xC0\xAF"), 0U);          // overlong
    EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0U);      // surrogate
    EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // beyond U+10FFFF
    EXPECT_EQ(first_invalid_utf8("x\xE2\x82"), 1U);         // cut off
    EXPECT_EQ(to_valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
}

TEST(Text, NearestNamesComeFirst) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("ABC", "abc"), 0U);
    EXPECT_EQ(nearest("L2_077", {"L1_001", "L2_076", "L2_070"}, 1), std::vector<std::string>{"L2_070"});
}

TEST(Text, NumbersAreWrittenForPeople) {
    EXPECT_EQ(significant(2.75149, 4), "2.751");
    EXPECT_EQ(significant(1234.5, 2), "1234");
    EXPECT_EQ(significant(0.00012345, 3), "0.000123");
    EXPECT_EQ(significant(1e-7, 3), "1e-07");
    EXPECT_EQ(significant(0, 4), "0");
    EXPECT_EQ(compact(1e-4), "0.0001");
    EXPECT_EQ(compact(240), "240");
}

TEST(Text, LinesJoinsAndReplacements) {
    EXPECT_EQ(split_lines("a\r\nb\n\nc").size(), 4U);
    EXPECT_TRUE(split_lines("").empty());
    EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
    EXPECT_EQ(replace_all("/tmp/x/a /tmp/x/b", "/tmp/x/", ""), "a b");
    EXPECT_EQ(printable("a\x1b[31m\n"), "a\\x1b[31m\n");
}

TEST(Subprocess, MovesInputAndBothOutputs) {
    const std::string big(300000, 'x');
    const ProcessResult result =
        run_process({"/bin/sh", "-c", "cat; echo oops >&2; exit 3"}, big, {20, 1 << 20});
    EXPECT_EQ(result.exit_code, 3);
    EXPECT_EQ(result.output, big);
    EXPECT_EQ(result.error_output, "oops\n");
}

TEST(Subprocess, BoundsOutputAndTime) {
    const ProcessResult loud = run_process({"/bin/sh", "-c", "head -c 1000000 /dev/zero"}, "", {20, 1000});
    EXPECT_EQ(loud.output.size(), 1000U);
    const auto start = SteadyClock::now();
    const ProcessResult slow = run_process({"/bin/sh", "-c", "sleep 60 & sleep 60"}, "", {0.3, 1000});
    EXPECT_TRUE(slow.timed_out);
    EXPECT_LT(seconds_since(start), 10);
}

TEST(Subprocess, ReportsSignalsAndMissingPrograms) {
    EXPECT_EQ(run_process({"/bin/sh", "-c", "kill -9 $$"}, "", {20, 1000}).signal, 9);
    EXPECT_THROW(run_process({"/nonexistent/program"}, "", {20, 1000}), Error);
}

TEST(Pipe, AGoneReaderIsAnErrorAndNoSignal) {
    ::signal(SIGPIPE, SIG_DFL);
    Pipe pipe = make_pipe();
    EXPECT_EQ(write_to_pipe(pipe.write.get(), "kept"), 4);
    pipe.read.reset();
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(write_to_pipe(pipe.write.get(), "lost"), -1);
        EXPECT_EQ(errno, EPIPE);
    }
}

TEST(Subprocess, AProgramThatDoesNotReadItsInputIsNoFailure) {
    ::signal(SIGPIPE, SIG_DFL);
    const ProcessResult result =
        run_process({"/bin/sh", "-c", "exec <&-; echo done"}, std::string(1U << 20U, 'x'), {});
    EXPECT_EQ(result.output, "done\n");
    EXPECT_EQ(result.exit_code, 0);
}

TEST(Files, LimitsAreKeptAndNamed) {
    const TemporaryDirectory folder(std::filesystem::temp_directory_path(), "kbeval-test");
    const auto file = folder.path() / "f";
    write_file(file, "12345");
    EXPECT_EQ(read_file(file, 5), "12345");
    EXPECT_THROW(read_file(file, 4), Error);
    EXPECT_THROW(write_file("/dev/full", "x"), Error);
}

TEST(Files, TemporaryDirectoriesGoAway) {
    std::filesystem::path path;
    {
        const TemporaryDirectory folder(std::filesystem::temp_directory_path(), "kbeval-test");
        path = folder.path();
        write_file(path / "f", "x");
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace kbeval
