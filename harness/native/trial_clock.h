#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace kbeval::native {

/// Times one forward at a time on a device: flush, hold, start, (the forward runs), mark, wait.
class TrialClock {
  public:
    TrialClock() = default;
    virtual ~TrialClock() = default;
    TrialClock(const TrialClock&) = delete;
    TrialClock& operator=(const TrialClock&) = delete;

    virtual void flush() = 0;  ///< evicts caches, and waits for it
    /// Keeps the device busy for `microseconds`, so that the host is ahead of it when the forward begins:
    /// what launching the first kernel costs is then in no time. Does not wait. Nothing to do where host and
    /// device are one.
    virtual void hold(double microseconds) = 0;
    virtual void start() = 0;  ///< marks the beginning, after the hold on the device
    /// Work of known length at the end of a forward; for calibration, where one side is slowed on purpose.
    virtual void spin(double microseconds) = 0;
    virtual void mark() = 0;  ///< marks the end of all work launched so far, on any stream; does not wait
    virtual void wait() = 0;  ///< waits until the device has nothing left to do
    virtual double elapsed_ms() = 0;  ///< between the marks; after wait()
};

/// Wall clock; flushes by writing a buffer of `flush_bytes`.
std::unique_ptr<TrialClock> make_cpu_clock(std::int64_t flush_bytes);

/// CUDA events. The end is an event that captures all work of the context (cuCtxRecordEvent), so that side
/// streams count; where the driver has none, or `end_event` is "stream", it is an event on `stream` and
/// another one after the device has become idle, of which the later counts if work went on. `flush_bytes` of
/// device memory are written, and persisting L2 lines reset, by flush(). Throws CudaError.
std::unique_ptr<TrialClock> make_cuda_clock(int device, std::int64_t flush_bytes, std::uintptr_t stream,
                                            const std::string& end_event);

}  // namespace kbeval::native
