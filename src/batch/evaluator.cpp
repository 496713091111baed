#include "batch/evaluator.h"

#include "base/clock.h"
#include "base/random_id.h"

namespace kbeval {

Evaluator::Evaluator(EvaluatorOptions options, const std::vector<Job>& jobs, const Catalogue& catalogue,
                     std::vector<std::unique_ptr<Device>> devices)
    : options_(std::move(options)),
      jobs_(jobs),
      catalogue_(catalogue),
      devices_(std::move(devices)),
      facts_(jobs.size()),
      stations_(devices_.size()) {
    cores_.workers.resize(devices_.size());
    if (options_.pin) {
        cores_ = share_cores(usable_cores(), devices_.size());
    }
}

Evaluator::~Evaluator() = default;

EvaluationRequest Evaluator::request_for(std::size_t job) const {
    const Job& j = jobs_[job];
    EvaluationRequest request{Catalogue::load(catalogue_.find(j.problem), options_.size),
                              j.candidate,
                              true,
                              options_.size,
                              options_.seed ? *options_.seed : random_seed(),
                              j.label.empty() ? options_.label : j.label,
                              options_.settings};
    request.facts = facts_[job].result;
    request.facts_seconds = facts_[job].seconds;
    return request;
}

std::optional<Judgement> Evaluator::prepare(std::size_t /*builder*/, std::size_t job) {
    pin_thread(cores_.builders);
    const Job& j = jobs_[job];
    QuietProgress quiet;
    const EvaluationContext nowhere{options_.station.layout,
                                    *devices_.front(),
                                    []() -> Host& { throw std::logic_error("no evaluation gets so far"); },
                                    {},
                                    {},
                                    quiet};
    if (!j.has_code) {
        return Judgement{no_code_verdict(request_for(job), nowhere), "", {}};
    }
    const auto start = SteadyClock::now();
    Facts& facts = facts_[job];
    facts.result = static_check(j.candidate.text, devices_.front()->kind(),
                                find_python(options_.station.layout), options_.station.layout.harness());
    facts.seconds = seconds_since(start);
    if (!facts.result->ok) {
        return evaluate(request_for(job), nowhere);
    }
    return std::nullopt;
}

Judgement Evaluator::judge(std::size_t worker, std::size_t job) {
    if (!stations_[worker]) {
        pin_thread(cores_.workers[worker]);
        stations_[worker] = std::make_unique<Station>(options_.station, *devices_[worker]);
    }
    QuietProgress quiet;
    const auto begin = SteadyClock::now();
    Judgement judgement = stations_[worker]->judge(request_for(job), jobs_[job].has_code, quiet);
    if (options_.trace != nullptr) {
        options_.trace->evaluation(devices_[worker]->name(), judgement, begin, SteadyClock::now());
    }
    facts_[job].result.reset();
    return judgement;
}

void Evaluator::leave_builder(std::size_t /*builder*/) {}

void Evaluator::leave_worker(std::size_t worker) {
    stations_[worker].reset();
}

}  // namespace kbeval
