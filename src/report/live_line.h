#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kbeval {

/// The text of a live line on a terminal: stage, elapsed time, detail. It waits to be told; clock, width and
/// output come from outside. Not safe to share between threads.
class LiveLine {
  public:
    struct Terminal {
        std::function<void(const std::string&)> write;
        std::function<double()> now;         ///< seconds, monotonic
        std::function<std::size_t()> width;  ///< columns
    };

    /// Least time between two redraws, in seconds.
    static constexpr double least_pause = 0.1;

    explicit LiveLine(Terminal terminal);

    void begin(std::string_view name);
    /// Takes a new detail; shown at once unless the line was drawn just now.
    void detail(std::string_view text);
    /// Draws the line afresh (its elapsed time moves on), if one is live and was not drawn just now.
    void tick();
    /// Leaves the line with its final time, and goes to the next.
    void end();
    /// Removes a line that is still live.
    void clear();

  private:
    [[nodiscard]] std::string text(double elapsed) const;
    void draw();

    Terminal terminal_;
    std::string name_;  ///< empty where no stage is live
    std::string detail_;
    double start_ = 0;
    double drawn_ = 0;
};

}  // namespace kbeval
