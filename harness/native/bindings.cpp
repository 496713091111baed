#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "compare.h"
#include "fingerprint.h"
#include "trial_clock.h"
#ifdef KBEVAL_WITH_CUDA
#include <cuda_runtime_api.h>

#include "cuda_error.h"
#include "kernel_recorder.h"
#include "memory.h"
#endif

namespace py = pybind11;

namespace kbeval::native {
namespace {

constexpr int host = -1;

#ifndef KBEVAL_WITH_CUDA
[[noreturn]] void no_cuda() {
    throw std::runtime_error(
        "kbeval_native was built without CUDA: install the CUDA toolkit and build it again");
}
#endif

struct TrialTime {
    double device_ms = 0;
    double host_ms = 0;
};

std::unique_ptr<TrialClock> make_clock(int device, std::int64_t flush_bytes, std::uintptr_t stream,
                                       const std::string& end_event) {
    if (device == host) {
        return make_cpu_clock(flush_bytes);
    }
#ifdef KBEVAL_WITH_CUDA
    return make_cuda_clock(device, flush_bytes, stream, end_event);
#else
    (void)stream;
    (void)end_event;
    no_cuda();
#endif
}

/// Runs blocks of forwards: untimed ones, then timed ones, each with flushed caches and a head start of the
/// host.
class BlockTimer {
  public:
    BlockTimer(int device, std::int64_t flush_bytes, std::string end_event)
        : device_(device), flush_bytes_(flush_bytes), end_event_(std::move(end_event)) {}

    std::vector<TrialTime> run(const py::object& forward, const std::vector<py::tuple>& calls,
                               const py::object& deliver, const std::vector<py::tuple>& warm,
                               std::uintptr_t stream, double head_start_us, double spin_us) {
        if (!clock_ || stream != stream_) {
            clock_ = make_clock(device_, flush_bytes_, stream, end_event_);
            stream_ = stream;
        }
        for (const py::tuple& arguments : warm) {
            forward(*arguments);
        }
        clock_->spin(spin_us);  // its first use measures the clock rate
        wait();
        std::vector<TrialTime> times;
        times.reserve(calls.size());
        for (std::size_t i = 0; i < calls.size(); ++i) {
            clock_->flush();
            clock_->hold(head_start_us);
            const auto begin = std::chrono::steady_clock::now();
            clock_->start();
            py::object result = forward(*calls[i]);
            clock_->spin(spin_us);
            clock_->mark();
            wait();
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - begin;
            times.push_back({clock_->elapsed_ms(), elapsed.count()});
            deliver(i, std::move(result));
        }
        return times;
    }

  private:
    void wait() {
        const py::gil_scoped_release release;
        clock_->wait();
    }

    int device_;
    std::int64_t flush_bytes_;
    std::string end_event_;
    std::uintptr_t stream_ = 0;
    std::unique_ptr<TrialClock> clock_;
};

CompareResult compare(int device, std::uintptr_t expected, std::uintptr_t actual, std::int64_t numel,
                      const std::string& dtype, double atol, double rtol, std::uintptr_t stream) {
    const auto* const e = reinterpret_cast<const void*>(expected);
    const auto* const a = reinterpret_cast<const void*>(actual);
    if (device == host) {
        return compare_cpu(e, a, numel, dtype, {atol, rtol});
    }
#ifdef KBEVAL_WITH_CUDA
    return compare_cuda(device, e, a, numel, dtype, {atol, rtol}, stream);
#else
    (void)stream;
    no_cuda();
#endif
}

std::uint64_t fingerprint(int device, std::uintptr_t data, std::int64_t nbytes, std::uint64_t key,
                          std::uintptr_t stream) {
    if (device == host) {
        return fingerprint_cpu(reinterpret_cast<const void*>(data), nbytes, key);
    }
#ifdef KBEVAL_WITH_CUDA
    return fingerprint_cuda(device, reinterpret_cast<const void*>(data), nbytes, key, stream);
#else
    (void)stream;
    no_cuda();
#endif
}

void poison(int device, std::uintptr_t data, std::int64_t nbytes, std::uintptr_t stream) {
    if (device == host) {
        std::memset(reinterpret_cast<void*>(data), 0xFF, static_cast<std::size_t>(nbytes));
        return;
    }
#ifdef KBEVAL_WITH_CUDA
    poison_cuda(device, data, nbytes, stream);
#else
    (void)stream;
    no_cuda();
#endif
}

py::dict build_info() {
    py::dict info;
#ifdef KBEVAL_WITH_CUDA
    info["cuda"] = CUDART_VERSION / 1000;
    info["archs"] = KBEVAL_CUDA_ARCHS_TEXT;
#else
    info["cuda"] = 0;
    info["archs"] = "";
#endif
    info["compiler"] = __VERSION__;
    return info;
}

void bind_results(py::module_& m) {
    py::class_<CompareResult>(m, "CompareResult")
        .def_readonly("numel", &CompareResult::numel)
        .def_readonly("mismatches", &CompareResult::mismatches)
        .def_readonly("nonfinite_mismatches", &CompareResult::nonfinite_mismatches)
        .def_readonly("max_abs", &CompareResult::max_abs)
        .def_readonly("max_rel", &CompareResult::max_rel)
        .def_readonly("worst_index", &CompareResult::worst_index)
        .def_readonly("worst_expected", &CompareResult::worst_expected)
        .def_readonly("worst_actual", &CompareResult::worst_actual);
    py::class_<TrialTime>(m, "TrialTime")
        .def_readonly("device_ms", &TrialTime::device_ms)
        .def_readonly("host_ms", &TrialTime::host_ms);
    py::class_<BlockTimer>(m, "BlockTimer")
        .def(py::init<int, std::int64_t, std::string>(), py::arg("device"), py::arg("flush_bytes"),
             py::arg("end_event") = "context")
        .def("run", &BlockTimer::run, py::arg("forward"), py::arg("calls"), py::arg("deliver"),
             py::arg("warm"), py::arg("stream"), py::arg("head_start_us") = 0.0, py::arg("spin_us") = 0.0);
}

#ifdef KBEVAL_WITH_CUDA
void bind_cuda(py::module_& m) {
    py::register_exception<CudaError>(m, "CudaError", PyExc_RuntimeError);
    m.def("cuda_alloc", &cuda_alloc, py::arg("device"), py::arg("nbytes"));
    m.def("cuda_free", &cuda_free, py::arg("device"), py::arg("pointer"));
    m.def("cuda_ipc_export",
          [](int device, std::uintptr_t p) { return py::bytes(cuda_ipc_export(device, p)); });
    m.def("cuda_ipc_open", [](int device, const py::bytes& handle) { return cuda_ipc_open(device, handle); });
    m.def("cuda_ipc_close", &cuda_ipc_close, py::arg("device"), py::arg("pointer"));
    m.def("cuda_mem_info", &cuda_mem_info, py::arg("device"));
    m.def("cuda_synchronize", &cuda_synchronize, py::arg("device"), py::call_guard<py::gil_scoped_release>());
    py::class_<KernelTotal>(m, "KernelTotal")
        .def_readonly("name", &KernelTotal::name)
        .def_readonly("count", &KernelTotal::count)
        .def_readonly("total_ns", &KernelTotal::total_ns)
        .def_readonly("streams", &KernelTotal::streams)
        .def_readonly("graph_launches", &KernelTotal::graph_launches);
    py::class_<KernelRecorder>(m, "KernelRecorder")
        .def(py::init<int>(), py::arg("device"))
        .def("start", &KernelRecorder::start)
        .def("stop", &KernelRecorder::stop)
        .def("finalize", &KernelRecorder::finalize)
        .def_property_readonly("dropped", &KernelRecorder::dropped);
}
#else
void bind_cuda(py::module_& m) {
    py::register_exception<std::logic_error>(m, "CudaError", PyExc_RuntimeError);
    for (const char* name : {"cuda_alloc", "cuda_free", "cuda_ipc_export", "cuda_ipc_open", "cuda_ipc_close",
                             "cuda_mem_info", "cuda_synchronize", "KernelRecorder"}) {
        m.def(name, [](const py::args&) { no_cuda(); });
    }
}
#endif

}  // namespace
}  // namespace kbeval::native

PYBIND11_MODULE(kbeval_native, m) {
    using namespace kbeval::native;
    m.doc() =
        "Measuring and comparing for kbeval. Pointers are addresses; device -1 is the host. See "
        "kbeval_native.pyi.";
    m.def("build_info", &build_info);
    m.def("dtype_bytes", &dtype_bytes, py::arg("dtype"));
    m.def("compare", &compare, py::arg("device"), py::arg("expected"), py::arg("actual"), py::arg("numel"),
          py::arg("dtype"), py::arg("atol"), py::arg("rtol"), py::arg("stream") = 0,
          py::call_guard<py::gil_scoped_release>());
    m.def("fingerprint", &fingerprint, py::arg("device"), py::arg("pointer"), py::arg("nbytes"),
          py::arg("key") = 0, py::arg("stream") = 0, py::call_guard<py::gil_scoped_release>());
    m.def("poison", &poison, py::arg("device"), py::arg("pointer"), py::arg("nbytes"), py::arg("stream") = 0);
    bind_results(m);
    bind_cuda(m);
}
