#pragma once

#include <memory>
#include <string_view>

namespace kbeval {

/// Told how an evaluation goes on, from one thread.
class Progress {
  public:
    Progress() = default;
    virtual ~Progress() = default;
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    virtual void stage(std::string_view name) = 0;     ///< a stage begins
    virtual void update(std::string_view detail) = 0;  ///< how far it is; called often
    virtual void done() = 0;                           ///< the stage has ended
    virtual void finish() = 0;                         ///< no more stages
};

/// Says nothing.
class QuietProgress : public Progress {
  public:
    void stage(std::string_view) override {}
    void update(std::string_view) override {}
    void done() override {}
    void finish() override {}
};

/// A live line per stage on standard error where that is a terminal and `wanted`; else a QuietProgress.
std::unique_ptr<Progress> make_progress(bool wanted);

}  // namespace kbeval
