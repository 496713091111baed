#include <chrono>
#include <vector>

#include "trial_clock.h"

namespace kbeval::native {

namespace {

class CpuClock final : public TrialClock {
  public:
    explicit CpuClock(std::int64_t flush_bytes) : buffer_(static_cast<std::size_t>(flush_bytes)) {}

    void flush() override {
        constexpr std::size_t line = 64;
        for (std::size_t i = 0; i < buffer_.size(); i += line) {
            buffer_[i] = static_cast<unsigned char>(buffer_[i] + 1);
        }
    }
    void hold(double /*microseconds*/) override {}
    void start() override { start_ = Clock::now(); }
    void spin(double microseconds) override {
        const auto begin = Clock::now();
        while (std::chrono::duration<double, std::micro>(Clock::now() - begin).count() < microseconds) {
        }
    }
    void mark() override { end_ = Clock::now(); }
    void wait() override {}
    double elapsed_ms() override { return std::chrono::duration<double, std::milli>(end_ - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    std::vector<unsigned char> buffer_;
    Clock::time_point start_;
    Clock::time_point end_;
};

}  // namespace

std::unique_ptr<TrialClock> make_cpu_clock(std::int64_t flush_bytes) {
    return std::make_unique<CpuClock>(flush_bytes);
}

}  // namespace kbeval::native
