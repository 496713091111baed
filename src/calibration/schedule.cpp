#include "calibration/schedule.h"

#include <algorithm>

#include "stats/random.h"

namespace kbeval {

namespace {

/// Share number `index` of `total` things dealt to `cells` cells: differs by one at most.
int dealt(int total, int cells, int index) {
    const auto upto = [&](int i) { return static_cast<int>(static_cast<std::int64_t>(total) * i / cells); };
    return upto(index + 1) - upto(index);
}

void shuffle(std::vector<double>& values, Xoshiro256& random) {
    for (std::size_t i = values.size(); i > 1; --i) {
        std::swap(values[i - 1], values[random.below(static_cast<std::uint32_t>(i))]);
    }
}

}  // namespace

std::vector<CalibrationProblem> default_problems(bool cuda) {
    if (!cuda) {
        return {{"L1_088", Size::smoke},
                {"L3_001", Size::smoke},
                {"L2_076", Size::smoke},
                {"L1_001", Size::smoke}};
    }
    return {{"L1_088", Size::smoke}, {"L3_001", Size::smoke}, {"L3_004", Size::full}, {"L3_001", Size::full},
            {"L1_088", Size::full},  {"L3_046", Size::full},  {"L2_076", Size::full}, {"L2_062", Size::full},
            {"L2_015", Size::full},  {"L2_089", Size::full},  {"L2_041", Size::full}, {"L2_078", Size::full}};
}

std::vector<CalibrationCell> schedule(const CalibrationGoal& goal) {
    const int problems = static_cast<int>(goal.problems.size());
    const int total = goal.identical + goal.each_gain * static_cast<int>(goal.gains.size());
    if (problems == 0 || total == 0) {
        return {};
    }
    const int needed = (total + problems * goal.most_in_cell - 1) / (problems * goal.most_in_cell);
    const int passes = std::clamp(needed, total >= 4 * problems ? 2 : 1, 1000);
    const int cells = passes * problems;
    Xoshiro256 random(goal.seed);
    std::vector<CalibrationCell> all;
    for (int i = 0; i < cells; ++i) {
        CalibrationCell cell{goal.problems[static_cast<std::size_t>(i % problems)], {}};
        cell.gains.assign(static_cast<std::size_t>(dealt(goal.identical, cells, i)), 0.0);
        for (std::size_t g = 0; g < goal.gains.size(); ++g) {
            // Each gain's deal starts elsewhere, so that few timings don't all fall to the same problems.
            const int shifted = (i + static_cast<int>(g) * problems / 2) % cells;
            cell.gains.insert(cell.gains.end(),
                              static_cast<std::size_t>(dealt(goal.each_gain, cells, shifted)), goal.gains[g]);
        }
        shuffle(cell.gains, random);
        if (!cell.gains.empty()) {
            all.push_back(std::move(cell));
        }
    }
    return all;
}

}  // namespace kbeval
