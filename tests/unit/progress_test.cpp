#include "report/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "base/unique_fd.h"
#include "report/live_line.h"

namespace kbeval {
namespace {

using ::testing::HasSubstr;

/// A terminal of which the test holds clock, width and text.
struct FakeTerminal {
    std::string shown;
    double time = 0;
    std::size_t columns = 80;

    LiveLine::Terminal terminal() {
        return {[this](const std::string& text) { shown += text; }, [this] { return time; },
                [this] { return columns; }};
    }
    std::string take() { return std::exchange(shown, ""); }
};

TEST(LiveLine, OneLineAStage) {
    FakeTerminal fake;
    LiveLine line(fake.terminal());
    line.begin("build");
    EXPECT_EQ(fake.take(), "\r\x1b[2Kbuild             0.0 s");
    fake.time = 1.25;
    line.detail("seed 1/5");
    EXPECT_EQ(fake.take(), "\r\x1b[2Kbuild             1.2 s  seed 1/5");
    fake.time = 3;
    line.end();
    EXPECT_EQ(fake.take(), "\r\x1b[2Kbuild             3.0 s  seed 1/5\n");
    line.begin("timing");
    EXPECT_EQ(fake.take(), "\r\x1b[2Ktiming            0.0 s");
}

TEST(LiveLine, RedrawsAtMostTenTimesASecond) {
    FakeTerminal fake;
    LiveLine line(fake.terminal());
    line.begin("timing");
    fake.take();
    int draws = 0;
    for (int i = 1; i <= 1000; ++i) {
        fake.time = i / 1000.0;
        line.detail(std::to_string(i) + " trials");
        draws += fake.take().empty() ? 0 : 1;
    }
    EXPECT_GE(draws, 8);
    EXPECT_LE(draws, 10);
    line.end();
    EXPECT_THAT(fake.take(), HasSubstr("1000 trials"));
}

TEST(LiveLine, FitsTheWidthAndShowsNoControlCodes) {
    FakeTerminal fake;
    fake.columns = 32;
    LiveLine line(fake.terminal());
    line.begin("timing");
    fake.time = 1;
    fake.take();
    line.detail("é\x1b[2J a long detail");
    EXPECT_EQ(fake.take(), "\r\x1b[2Ktiming            1.0 s  é\\x1b…");
    fake.columns = 0;
    fake.time = 2;
    line.tick();
    EXPECT_EQ(fake.take(), "\r\x1b[2K");
}

TEST(LiveLine, ClearsWhatIsLiveOnly) {
    FakeTerminal fake;
    LiveLine line(fake.terminal());
    line.tick();
    line.end();
    line.clear();
    EXPECT_EQ(fake.take(), "");
    line.begin("build");
    fake.take();
    line.clear();
    EXPECT_EQ(fake.take(), "\r\x1b[2K");
    line.end();
    EXPECT_EQ(fake.take(), "");
}

/// What a child writes to a terminal that is its standard error.
std::string on_terminal(const char* term, bool wanted) {
    int master = -1;
    const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (child == 0) {
        ::setenv("TERM", term, 1);
        {
            const auto progress = make_progress(wanted);
            progress->stage("build");
            ::usleep(700'000);  // longer than the pause between redraws
            progress->done();
            progress->stage("timing");
            progress->finish();
        }
        ::_exit(0);
    }
    const UniqueFd terminal(master);
    std::string shown;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(master, buffer, sizeof buffer)) > 0;) {
        shown.append(buffer, static_cast<std::size_t>(count));
    }
    ::waitpid(child, nullptr, 0);
    return shown;
}

TEST(Progress, LiveOnATerminal) {
    const std::string shown = on_terminal("xterm", true);
    EXPECT_THAT(shown, HasSubstr("build             0.0 s"));
    EXPECT_THAT(shown, HasSubstr("build             0.5 s\r\x1b[2K"));  // by itself
    EXPECT_THAT(shown, HasSubstr("build             0.7 s\r\n"));
    EXPECT_TRUE(shown.ends_with("timing            0.0 s\r\x1b[2K"));
}

TEST(Progress, QuietWhereUnwantedOrDumb) {
    EXPECT_EQ(on_terminal("xterm", false), "");
    EXPECT_EQ(on_terminal("dumb", true), "");
}

}  // namespace
}  // namespace kbeval
