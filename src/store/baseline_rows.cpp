#include "store/baseline_rows.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* columns =
    "id, created, problem, problem_digest, evaluator, device, gpu, size, failure, compile_note, seed, "
    "seconds, trials, eager_ms, eager_lo95, eager_hi95, compile_ms, compile_lo95, compile_hi95, speedup, "
    "speedup_lo95, speedup_hi95, compile_seconds, eager_peak_bytes, compile_peak_bytes, roofline_ms, "
    "max_abs_diff, rounds, facts";

/// The columns of the same place and kind, in one list for writing and reading.
template <typename ABaseline>
auto texts(ABaseline& b) {
    return std::array{&b.id,     &b.created, &b.problem, &b.problem_digest, &b.evaluator,
                      &b.device, &b.gpu,     &b.size,    &b.failure,        &b.compile_note};
}
template <typename ABaseline>
auto intervals(ABaseline& b) {
    return std::array{&b.eager_ms, &b.compile_ms, &b.speedup};
}
template <typename ABaseline>
auto figures(ABaseline& b) {
    return std::array{&b.compile_seconds, &b.eager_peak_bytes, &b.compile_peak_bytes, &b.roofline_ms,
                      &b.max_abs_diff};
}

std::string rounds_text(const Baseline& baseline) {
    Json rounds = Json::array();
    for (const BaselineRound& round : baseline.rounds) {
        rounds.push_back({{"eager_ms", round.eager_ms}, {"compile_ms", round.compile_ms}});
    }
    return rounds.dump();
}

std::string facts_text(const Baseline& baseline) {
    Json facts = Json::object();
    for (const auto& [name, value] : baseline.facts) {
        facts[name] = to_valid_utf8(value);
    }
    return facts.dump();
}

Baseline read_row(const Statement& row) {
    Baseline b;
    int column = 0;
    for (std::string* field : texts(b)) {
        *field = row.text(column++);
    }
    b.seed = static_cast<std::uint64_t>(row.integer(column++));
    b.seconds = row.real(column++).value_or(0);
    b.trials = static_cast<int>(row.integer(column++));
    for (std::optional<Interval>* field : intervals(b)) {
        if (const auto estimate = row.real(column)) {
            *field = Interval{*estimate, row.real(column + 1).value_or(0), row.real(column + 2).value_or(0)};
        }
        column += 3;
    }
    for (std::optional<double>* field : figures(b)) {
        *field = row.real(column++);
    }
    const Json rounds = Json::parse(row.text(column++));
    for (const auto& round : rounds) {
        b.rounds.push_back({round.at("eager_ms").get<std::vector<double>>(),
                            round.at("compile_ms").get<std::vector<double>>()});
    }
    const Json facts = Json::parse(row.text(column));
    for (const auto& [name, value] : facts.items()) {
        b.facts.emplace_back(name, value.get<std::string>());
    }
    return b;
}

}  // namespace

void insert_baseline(Database& database, const Baseline& b) {
    Transaction transaction(database);
    std::string marks = "?";
    for (const char* c = columns; *c != '\0'; ++c) {
        marks += *c == ',' ? ", ?" : "";
    }
    Statement insert(database, std::string("INSERT INTO baseline (") + columns + ") VALUES (" + marks + ")");
    int parameter = 1;
    for (const std::string* field : texts(b)) {
        insert.bind(parameter++, to_valid_utf8(*field));
    }
    insert.bind(parameter++, static_cast<std::int64_t>(b.seed));
    insert.bind(parameter++, b.seconds);
    insert.bind(parameter++, b.trials);
    for (const std::optional<Interval>* field : intervals(b)) {
        for (const double Interval::*part : {&Interval::estimate, &Interval::low, &Interval::high}) {
            insert.bind(parameter++, *field ? std::optional<double>((**field).*part) : std::nullopt);
        }
    }
    for (const std::optional<double>* field : figures(b)) {
        insert.bind(parameter++, *field);
    }
    insert.bind(parameter++, rounds_text(b));
    insert.bind(parameter, facts_text(b));
    insert.run();
    transaction.commit();
}

std::vector<Baseline> newest_baselines(Database& database, std::string gpu, const std::string& size) {
    const Transaction snapshot(database, Transaction::Kind::read);
    if (gpu.empty()) {
        gpu = query_text(database, "SELECT gpu FROM baseline ORDER BY key DESC LIMIT 1");
    }
    Statement rows(database, std::string("SELECT ") + columns +
                                 " FROM baseline WHERE key IN (SELECT max(key) FROM baseline WHERE gpu = ?1 "
                                 "AND size = ?2 GROUP BY problem) ORDER BY problem");
    rows.bind(1, gpu);
    rows.bind(2, size);
    std::vector<Baseline> baselines;
    try {
        while (rows.step()) {
            baselines.push_back(read_row(rows));
        }
    } catch (const nlohmann::json::exception& error) {
        throw infrastructure_error(database.path().string() + ": a baseline can't be read: " + error.what());
    }
    return baselines;
}

}  // namespace kbeval
