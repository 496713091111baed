#include "report/run/page.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/deflate.h"
#include "base/text.h"
#include "page_assets.h"
#include "report/record_text.h"
#include "report/run/report_json.h"

namespace kbeval {

namespace {

using Json = nlohmann::ordered_json;

/// Evaluations a block of details: small enough to unpack at once, large enough to compress well.
constexpr std::size_t block_size = 32;
constexpr std::size_t message_start = 200;  ///< bytes of a message that the table can search

struct PageRow {
    const RunRows* run = nullptr;
    const ReportRow* row = nullptr;
    int group = -1;  ///< -1: of the earlier run
};

/// Rows of the report, then those of the earlier run that a comparison leads to.
std::vector<PageRow> page_rows(const Report& report) {
    std::map<const ReportRow*, int> groups;
    for (std::size_t i = 0; i < report.groups.size(); ++i) {
        for (const ReportRow* row : report.groups[i].rows) {
            groups[row] = static_cast<int>(i);
        }
    }
    std::vector<PageRow> rows;
    for (const RunRows& run : report.runs) {
        for (const ReportRow& row : run.rows) {
            rows.push_back({&run, &row, groups.at(&row)});
        }
    }
    if (report.comparison) {
        std::set<const ReportRow*> added;
        for (const Pair& pair : report.comparison->pairs) {
            if (added.insert(pair.before).second) {
                rows.push_back({&*report.earlier, pair.before, -1});
            }
        }
    }
    return rows;
}

/// Six digits are more than a chart can show.
Json rounded(const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) {
        return nullptr;
    }
    return std::strtod(significant(*value, 6).c_str(), nullptr);
}

const std::vector<const char*>& columns() {
    static const std::vector<const char*> names{
        "id",     "group",      "problem", "name",    "level",   "family",  "label",
        "kind",   "status",     "success", "speedup", "lo95",    "hi95",    "vs_compile",
        "ref_ms", "compile_ms", "cand_ms", "flags",   "message", "created", "seconds"};
    return names;
}

Json row_json(const PageRow& page_row) {
    const ReportRow& row = *page_row.row;
    const Verdict& v = row.verdict;
    double seconds = 0;
    for (const StageTime& stage : v.stages) {
        seconds += stage.seconds;
    }
    return Json::array({v.id,
                        page_row.group,
                        v.problem,
                        row.name,
                        row.level,
                        row.family,
                        v.label,
                        v.kind,
                        to_string(v.status),
                        v.success ? 1 : 0,
                        rounded(v.speedup),
                        rounded(v.speedup_lo95),
                        rounded(v.speedup_hi95),
                        rounded(v.speedup_vs_compile),
                        rounded(v.ref_ms),
                        rounded(v.compile_ms),
                        rounded(v.cand_ms),
                        v.flags,
                        v.message.substr(0, message_start),
                        v.created,
                        rounded(seconds)});
}

Json page_json(const Report& report, const std::vector<PageRow>& rows) {
    Json json;
    json["created"] = report.created;
    json["block_size"] = block_size;
    json["runs"] = Json::array();
    for (const RunRows& run : report.runs) {
        json["runs"].push_back(run.name);
    }
    for (const char* name : {"groups", "earlier"}) {
        json[name] = Json::array();
        for (const Group& group :
             name == std::string_view("groups") ? report.groups : report.earlier_groups) {
            json[name].push_back(group_json(group));
            json[name].back().erase("evaluations");
        }
    }
    json["comparison"] = report.comparison ? comparison_json(*report.comparison) : Json(nullptr);
    json["regressions"] = Json::array();
    if (!report.comparison) {  // a comparison's pairs hold them
        for (const Pair& pair : report.regressions) {
            json["regressions"].push_back(pair_json(pair));
        }
    }
    json["columns"] = columns();
    json["rows"] = Json::array();
    for (const PageRow& row : rows) {
        json["rows"].push_back(row_json(row));
    }
    return json;
}

Json details_json(const EvaluationRecord& record) {
    Json json = record_json(record, {.source = true, .samples = false});
    json["seed"] = std::to_string(record.verdict.seed);  // JavaScript's numbers have 53 bits
    Json samples = {{"round", Json::array()},
                    {"ref", Json::array()},
                    {"compile", Json::array()},
                    {"cand", Json::array()}};
    for (const Trial& trial : record.verdict.samples) {
        samples["round"].push_back(trial.round);
        samples["ref"].push_back(rounded(trial.ref_ms));
        samples["compile"].push_back(rounded(trial.compile_ms));
        samples["cand"].push_back(rounded(trial.cand_ms));
    }
    json["samples"] = std::move(samples);
    return json;
}

/// JSON that may stand in a script element: no `<`, so no end of it and no comment.
std::string script_json(const Json& json) {
    return replace_all(dump_json(json, -1), "<", "\\u003c");
}

std::string policy() {
    return "default-src 'none'; script-src 'sha256-" + sha256_base64(page_chart) + "' 'sha256-" +
           sha256_base64(page_script) + "'; style-src 'sha256-" + sha256_base64(page_style) +
           "'; img-src data:; base-uri 'none'; form-action 'none'";
}

}  // namespace

void write_page(std::ostream& out, const Report& report, const RecordSource& records) {
    const std::vector<PageRow> rows = page_rows(report);
    out << "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        << "<meta http-equiv=\"Content-Security-Policy\" content=\"" << policy() << "\">\n"
        << "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        << "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light "
           "dark\">\n"
        << "<title>kbeval report</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>" << page_style
        << "</style>\n</head>\n"
        << page_body << "<script type=\"application/json\" id=\"data\">"
        << script_json(page_json(report, rows)) << "</script>\n";
    for (std::size_t first = 0; first < rows.size(); first += block_size) {
        Json block = Json::array();
        for (std::size_t i = first; i < std::min(rows.size(), first + block_size); ++i) {
            block.push_back(details_json(records(*rows[i].run, rows[i].row->verdict.id)));
        }
        out << "<script type=\"text/plain\" id=\"block-" << first / block_size << "\">"
            << base64(deflate(dump_json(block, -1))) << "</script>\n";
    }
    out << "<script>" << page_chart << "</script>\n<script>" << page_script
        << "</script>\n</body>\n</html>\n";
}

}  // namespace kbeval
