#include "kernel_recorder.h"

#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "cuda_error.h"

namespace kbeval::native {

namespace {

constexpr std::size_t buffer_bytes = 4 << 20;
constexpr std::size_t buffer_alignment = 8;

/// The CUPTI functions that are used, found at run time: PyTorch brings its own libcupti.
struct Cupti {
    decltype(&cuptiActivityEnable) enable = nullptr;
    decltype(&cuptiActivityDisable) disable = nullptr;
    decltype(&cuptiActivityFlushAll) flush = nullptr;
    decltype(&cuptiActivityRegisterCallbacks) callbacks = nullptr;
    decltype(&cuptiActivityGetNextRecord) next = nullptr;
    decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
    decltype(&cuptiFinalize) finalize = nullptr;
};

void* open_library() {
    for (const char* name :
         {"libcupti.so.13", "libcupti.so", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"}) {
        for (const int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW}) {
            if (void* const library = ::dlopen(name, flags)) {
                return library;
            }
        }
    }
    throw std::runtime_error("libcupti.so.13 can't be loaded: install the CUDA toolkit's CUPTI");
}

const Cupti& cupti() {
    static const Cupti table = [] {
        void* const library = open_library();
        Cupti t;
        const auto find = [&](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            if (function == nullptr) {
                throw std::runtime_error(std::string("libcupti has no ") + name);
            }
        };
        find(t.enable, "cuptiActivityEnable");
        find(t.disable, "cuptiActivityDisable");
        find(t.flush, "cuptiActivityFlushAll");
        find(t.callbacks, "cuptiActivityRegisterCallbacks");
        find(t.next, "cuptiActivityGetNextRecord");
        find(t.dropped, "cuptiActivityGetNumDroppedRecords");
        find(t.finalize, "cuptiFinalize");
        return t;
    }();
    return table;
}

void require(CUptiResult result, const char* call) {
    if (result != CUPTI_SUCCESS) {
        throw std::runtime_error(std::string(call) + ": CUPTI error " +
                                 std::to_string(static_cast<int>(result)));
    }
}

struct Entry {
    KernelTotal total;
    std::set<std::uint32_t> streams;
};

/// CUPTI's callbacks have no argument of ours, so what they collect is global.
struct Collected {
    std::mutex mutex;
    std::map<std::string, Entry> kernels;
    std::int64_t dropped = 0;
};

Collected& collected() {
    static Collected instance;
    return instance;
}

void take(const CUpti_ActivityKernel9& kernel) {
    Collected& all = collected();
    Entry& entry = all.kernels[kernel.name != nullptr ? kernel.name : ""];
    entry.total.count += 1;
    entry.total.total_ns += static_cast<std::int64_t>(kernel.end - kernel.start);
    entry.total.graph_launches += kernel.graphId != 0 ? 1 : 0;
    entry.streams.insert(kernel.streamId);
}

void CUPTIAPI on_buffer_requested(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    *buffer = static_cast<std::uint8_t*>(
        std::aligned_alloc(buffer_alignment, buffer_bytes));  // NOLINT: CUPTI's contract
    *size = *buffer != nullptr ? buffer_bytes : 0;
    *max_records = 0;
}

void CUPTIAPI on_buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                                  std::size_t /*size*/, std::size_t valid) {
    const std::lock_guard lock(collected().mutex);
    CUpti_Activity* record = nullptr;
    while (cupti().next(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            take(*reinterpret_cast<const CUpti_ActivityKernel9*>(record));
        }
    }
    std::size_t dropped = 0;
    if (cupti().dropped(context, stream, &dropped) == CUPTI_SUCCESS) {
        collected().dropped += static_cast<std::int64_t>(dropped);
    }
    std::free(buffer);  // NOLINT: allocated in on_buffer_requested
}

}  // namespace

KernelRecorder::KernelRecorder(int device) : device_(device) {}

void KernelRecorder::start() {
    KBEVAL_CUDA(cudaSetDevice(device_));
    KBEVAL_CUDA(cudaDeviceSynchronize());
    {
        const std::lock_guard lock(collected().mutex);
        collected().kernels.clear();
        collected().dropped = 0;
    }
    require(cupti().callbacks(on_buffer_requested, on_buffer_completed), "cuptiActivityRegisterCallbacks");
    require(cupti().enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable");
}

std::vector<KernelTotal> KernelRecorder::stop() {
    KBEVAL_CUDA(cudaDeviceSynchronize());
    require(cupti().disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityDisable");
    require(cupti().flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    const std::lock_guard lock(collected().mutex);
    dropped_ = collected().dropped;
    std::vector<KernelTotal> totals;
    for (auto& [name, entry] : collected().kernels) {
        KernelTotal total = entry.total;
        total.name = name;
        total.streams = static_cast<int>(entry.streams.size());
        totals.push_back(std::move(total));
    }
    return totals;
}

void KernelRecorder::finalize() {
    require(cupti().finalize(), "cuptiFinalize");
}

}  // namespace kbeval::native
