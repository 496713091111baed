#include <cuda.h>

#include <algorithm>
#include <chrono>

#include "cuda_error.h"
#include "device_buffer.h"
#include "device_delay.h"
#include "trial_clock.h"

namespace kbeval::native {

namespace {

class Event {
  public:
    Event() { KBEVAL_CUDA(cudaEventCreate(&event_)); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    [[nodiscard]] cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

double between(const Event& from, const Event& to) {
    float ms = 0;
    KBEVAL_CUDA(cudaEventElapsedTime(&ms, from.get(), to.get()));
    return static_cast<double>(ms);
}

using RecordContextEvent = CUresult (*)(CUcontext, CUevent);
using GetCurrentContext = CUresult (*)(CUcontext*);

/// A driver function by name, or null: libcuda isn't linked, so that the library loads on machines without a
/// driver.
template <typename F>
F driver_function(const char* name, unsigned version) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    if (cudaGetDriverEntryPointByVersion(name, &function, version, cudaEnableDefault, &found) !=
            cudaSuccess ||
        found != cudaDriverEntryPointSuccess) {
        cudaGetLastError();
        return nullptr;
    }
    return reinterpret_cast<F>(function);
}

class CudaClock final : public TrialClock {
  public:
    CudaClock(int device, std::int64_t flush_bytes, cudaStream_t stream, bool whole_context)
        : device_(device), stream_(stream), flush_buffer_(device, static_cast<std::size_t>(flush_bytes)) {
        if (whole_context) {
            record_context_ = driver_function<RecordContextEvent>("cuCtxRecordEvent", 12050);
            const auto current = driver_function<GetCurrentContext>("cuCtxGetCurrent", 4000);
            if (current == nullptr || current(&context_) != CUDA_SUCCESS) {
                record_context_ = nullptr;
            }
        }
    }

    void flush() override {
        // Lines that an access policy made persistent would outlive the write below.
        KBEVAL_CUDA(cudaCtxResetPersistingL2Cache());
        KBEVAL_CUDA(cudaMemsetAsync(flush_buffer_.data(), 0, flush_buffer_.bytes(), stream_));
        // Until then other streams could run beside it, ahead of the start.
        KBEVAL_CUDA(cudaStreamSynchronize(stream_));
    }

    void hold(double microseconds) override { hold_device(device_, microseconds, stream_); }

    void start() override { KBEVAL_CUDA(cudaEventRecord(start_.get(), stream_)); }

    void spin(double microseconds) override { spin_on_device(device_, microseconds, stream_); }

    void mark() override {
        if (record_context_ != nullptr && record_context_(context_, end_.get()) == CUDA_SUCCESS) {
            by_context_ = true;
            return;
        }
        by_context_ = false;
        KBEVAL_CUDA(cudaEventRecord(end_.get(), stream_));
    }

    void wait() override {
        if (by_context_) {
            KBEVAL_CUDA(cudaDeviceSynchronize());
            return;
        }
        KBEVAL_CUDA(cudaEventSynchronize(end_.get()));
        const auto done = std::chrono::steady_clock::now();
        KBEVAL_CUDA(cudaDeviceSynchronize());
        const std::chrono::duration<double, std::micro> more = std::chrono::steady_clock::now() - done;
        went_on_ = more.count() > idle_wait_us;
        if (went_on_) {
            KBEVAL_CUDA(cudaEventRecord(idle_.get(), stream_));
            KBEVAL_CUDA(cudaEventSynchronize(idle_.get()));
        }
    }

    double elapsed_ms() override {
        const double marked = between(start_, end_);
        return !by_context_ && went_on_ ? std::max(marked, between(start_, idle_)) : marked;
    }

  private:
    static constexpr double idle_wait_us = 20;  ///< a synchronize of an idle device takes a few microseconds

    int device_;
    cudaStream_t stream_;
    DeviceBuffer flush_buffer_;
    Event start_;
    Event end_;
    Event idle_;
    RecordContextEvent record_context_ = nullptr;
    CUcontext context_ = nullptr;
    bool by_context_ = false;
    bool went_on_ = false;
};

}  // namespace

std::unique_ptr<TrialClock> make_cuda_clock(int device, std::int64_t flush_bytes, std::uintptr_t stream,
                                            const std::string& end_event) {
    KBEVAL_CUDA(cudaSetDevice(device));
    KBEVAL_CUDA(cudaFree(nullptr));  // makes the primary context current
    return std::make_unique<CudaClock>(device, flush_bytes, reinterpret_cast<cudaStream_t>(stream),
                                       end_event == "context");
}

}  // namespace kbeval::native
