#include "inspect/inspection.h"

#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "device/device.h"
#include "runner/environment.h"

namespace kbeval {

namespace {

// One worker process gets at most so much, so that its request and answer stay small beside the machine.
constexpr std::size_t max_batch_tasks = 2000;
constexpr std::size_t max_batch_bytes = 64U << 20U;
constexpr std::size_t max_answer_bytes = 512U << 20U;
constexpr double start_seconds = 180;  ///< cold imports from a slow disk can take minutes

/// The worker's settings that are the same for each batch.
class Worker {
  public:
    Worker(const Layout& layout, const InspectionOptions& options)
        : layout_(layout),
          options_(options),
          device_(open_device("cpu")),
          scratch_(cache_directory() / "work", "inspection") {
        ::chmod(scratch_.path().c_str(), 0777);  // the sandbox gives it another user
        if (find_python(layout).empty()) {
            throw infrastructure_error("no Python found", "run scripts/setup, or set KBEVAL_PYTHON");
        }
        if (find_built_library(layout, "libkbeval_sandbox").empty()) {
            throw infrastructure_error("the library libkbeval_sandbox is not built",
                                       "run scripts/setup (in a package: scripts/build-native)");
        }
    }

    /// Answers of the tasks [first, last), by position.
    void run(const std::vector<InspectionTask>& tasks, std::size_t first, std::size_t last,
             std::vector<Inspection>& answers) const {
        nlohmann::json request{
            {"jobs", options_.jobs}, {"deadline", options_.deadline}, {"sandbox", sandbox()}};
        for (std::size_t i = first; i < last; ++i) {
            const InspectionTask& task = tasks[i];
            request["tasks"].push_back({{"key", i},
                                        {"file", task.file},
                                        {"name", task.name},
                                        {"level", task.level},
                                        {"source", task.source},
                                        {"recorded", task.recorded}});
        }
        const double turns = static_cast<double>(last - first) / options_.jobs + 1;
        auto environment = host_environment(layout_, *device_);
        environment["PYTHONPATH"] = layout_.harness().string();
        const ProcessResult process =
            run_process({find_python(layout_).string(), "-s", "-m", "kbeval_problems"}, request.dump(),
                        {start_seconds + turns * (options_.deadline + 10), max_answer_bytes, environment});
        for (const std::string_view line : split_lines(process.output)) {
            take(line, first, last, answers);
        }
        if (process.exit_code != 0) {
            throw infrastructure_error("the worker that loads problems failed" +
                                           std::string(process.timed_out ? " to finish in time" : "") +
                                           ":\n" + process.error_output.substr(0, 4096),
                                       "run `kbeval doctor`");
        }
    }

  private:
    [[nodiscard]] nlohmann::json sandbox() const {
        nlohmann::json config = sandbox_config(layout_, *device_, {});
        config["rw_paths"] = {scratch_.path().string()};
        config["cwd"] = scratch_.path().string();
        config["env"] = candidate_environment(layout_, *device_, scratch_.path());
        return config;
    }

    static void take(std::string_view line, std::size_t first, std::size_t last,
                     std::vector<Inspection>& answers) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object() || !json.contains("key")) {
            return;
        }
        const auto key = json["key"].get<std::size_t>();
        if (key < first || key >= last) {
            return;
        }
        Inspection& answer = answers[key];
        if (json.value("stage", "") == "sandbox") {
            throw infrastructure_error(json.value("reason", ""), "run `kbeval doctor`");
        }
        try {
            answer.ok = json.at("ok").get<bool>();
            answer.stage = json.value("stage", "");
            answer.reason = json.value("reason", "");
            answer.family = json.value("family", "");
            answer.shapes = json.value("shapes", nlohmann::json());
            answer.costs = json.value("costs", nlohmann::json());
            answer.differences = json.value("differences", std::vector<std::string>());
        } catch (const nlohmann::json::exception&) {
            answer = {false, "load", "its process answered something else than what was asked", {}, {},
                      {},    {}};
        }
    }

    const Layout& layout_;
    InspectionOptions options_;
    std::unique_ptr<Device> device_;
    TemporaryDirectory scratch_;
};

}  // namespace

std::vector<Inspection> inspect_problems(const Layout& layout, const std::vector<InspectionTask>& tasks,
                                         const InspectionOptions& options) {
    std::vector<Inspection> answers(
        tasks.size(),
        {false, "load", "the process that was to load it ended without an answer", {}, {}, {}, {}});
    const Worker worker(layout, options);
    for (std::size_t first = 0; first < tasks.size();) {
        std::size_t last = first;
        std::size_t bytes = 0;
        while (last < tasks.size() && last - first < max_batch_tasks &&
               (last == first || bytes < max_batch_bytes)) {
            bytes += tasks[last++].source.size();
        }
        worker.run(tasks, first, last, answers);
        first = last;
    }
    return answers;
}

}  // namespace kbeval
