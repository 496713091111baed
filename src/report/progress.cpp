#include "report/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "report/live_line.h"

namespace kbeval {

namespace {

constexpr int standard_error = 2;

std::size_t terminal_width() {
    constexpr std::size_t usual = 80;
    winsize size{};
    return ::ioctl(standard_error, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

/// Writes all of `text` or gives up: a terminal that is gone stops no evaluation.
void write_error_output(const std::string& text) {
    for (std::size_t written = 0; written < text.size();) {
        const ssize_t count = ::write(standard_error, text.data() + written, text.size() - written);
        if (count <= 0) {
            return;
        }
        written += static_cast<std::size_t>(count);
    }
}

LiveLine::Terminal error_terminal() {
    const auto start = SteadyClock::now();
    return {write_error_output, [start] { return seconds_since(start); }, terminal_width};
}

/// Redraws the live line by itself too, so that the time goes on while a stage has nothing to say.
class TerminalProgress : public Progress {
  public:
    TerminalProgress()
        : line_(error_terminal()), ticker_([this](const std::stop_token& stop) { keep_ticking(stop); }) {}

    ~TerminalProgress() override {
        ticker_.request_stop();
        ticker_.join();
        line_.clear();
    }

    TerminalProgress(const TerminalProgress&) = delete;
    TerminalProgress& operator=(const TerminalProgress&) = delete;

    void stage(std::string_view name) override {
        const std::lock_guard lock(mutex_);
        line_.begin(name);
    }
    void update(std::string_view detail) override {
        const std::lock_guard lock(mutex_);
        line_.detail(detail);
    }
    void done() override {
        const std::lock_guard lock(mutex_);
        line_.end();
    }
    void finish() override {
        const std::lock_guard lock(mutex_);
        line_.clear();
    }

  private:
    void keep_ticking(const std::stop_token& stop) {
        constexpr auto pause = std::chrono::milliseconds(500);
        std::unique_lock lock(mutex_);
        while (!stop.stop_requested()) {
            wake_.wait_for(lock, stop, pause, [] { return false; });
            line_.tick();
        }
    }

    std::mutex mutex_;
    std::condition_variable_any wake_;
    LiveLine line_;        ///< guarded by mutex_
    std::jthread ticker_;  ///< last, so that all else is there before it starts
};

}  // namespace

std::unique_ptr<Progress> make_progress(bool wanted) {
    const bool capable = ::isatty(standard_error) == 1 && environment("TERM").value_or("dumb") != "dumb";
    if (wanted && capable) {
        return std::make_unique<TerminalProgress>();
    }
    return std::make_unique<QuietProgress>();
}

}  // namespace kbeval
