#pragma once

#include <optional>
#include <string>

#include "device/device.h"

namespace kbeval {

/// Watches a GPU's state from round to round and says which rounds it spoiled: those under a hardware or
/// thermal slowdown, with an SM clock far below the highest seen, or beside a process that came after the
/// timing began. A spoiled round is measured again, up to a limit: a GPU that stays so is flagged.
class GpuWatch {
  public:
    static constexpr int max_spoiled = 10;
    static constexpr double lowest_clock = 0.9;  ///< of the highest seen

    /// State before the first round. Nothing is watched where there is no state (the CPU).
    explicit GpuWatch(const std::optional<GpuState>& start);

    /// State after a round. True: measure it again.
    bool spoiled(const std::optional<GpuState>& state);

    [[nodiscard]] int spoiled_rounds() const { return throttled_ + slowed_ + crowded_; }
    [[nodiscard]] bool gave_up() const { return spoiled_rounds() >= max_spoiled; }
    /// What happened, for a note; empty where nothing did.
    [[nodiscard]] std::string text() const;

  private:
    unsigned processes_ = 0;
    unsigned highest_mhz_ = 0;
    int throttled_ = 0;
    int slowed_ = 0;
    int crowded_ = 0;
};

}  // namespace kbeval
