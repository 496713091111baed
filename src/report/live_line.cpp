#include "report/live_line.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "report/terminal.h"

namespace kbeval {

namespace {
constexpr const char* erase_line = "\r\x1b[2K";
constexpr std::size_t name_width = 14;
}  // namespace

LiveLine::LiveLine(Terminal terminal) : terminal_(std::move(terminal)) {}

void LiveLine::begin(std::string_view name) {
    clear();
    name_ = terminal_line(name);
    detail_.clear();
    start_ = terminal_.now();
    draw();
}

void LiveLine::detail(std::string_view text) {
    detail_ = terminal_line(text);
    tick();
}

void LiveLine::tick() {
    if (!name_.empty() && terminal_.now() - drawn_ >= least_pause) {
        draw();
    }
}

void LiveLine::end() {
    if (!name_.empty()) {
        draw();
        terminal_.write("\n");
        name_.clear();
    }
}

void LiveLine::clear() {
    if (!name_.empty()) {
        terminal_.write(erase_line);
        name_.clear();
    }
}

void LiveLine::draw() {
    drawn_ = terminal_.now();
    // The last column stays free: some terminals wrap when it is written.
    const std::size_t width = terminal_.width();
    terminal_.write(erase_line + fit(text(drawn_ - start_), width > 0 ? width - 1 : 0));
}

std::string LiveLine::text(double elapsed) const {
    char time[32];
    std::snprintf(time, sizeof time, "%7.1f s", elapsed);
    std::string line = name_;
    line.resize(std::max(line.size(), line.size() + name_width - std::min(name_width, text_width(name_))),
                ' ');
    return line + time + (detail_.empty() ? "" : "  " + detail_);
}

}  // namespace kbeval
