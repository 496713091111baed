#include <algorithm>
#include <iostream>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/playbook_commands.h"
#include "context/bullet_form.h"
#include "context/bullets.h"
#include "context/citations.h"
#include "context/counts.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t shown_characters = 90;
constexpr std::size_t max_reply_bytes = std::size_t{16} << 20U;

BulletDocument bullets_of(const DocumentRow& row) {
    if (row.format != DocumentFormat::ace && row.format != DocumentFormat::mem0) {
        throw input_error(printable(row.name) + " is of format " + std::string(to_string(row.format)) +
                              ", which has no bullets",
                          "its playbooks, if any, are in `kbeval playbook list`");
    }
    const BulletStyle style = row.format == DocumentFormat::ace ? BulletStyle::ace : BulletStyle::mem0;
    return parse_bullets(row.name, row.text, style).document;
}

std::string first_line(std::string_view text) {
    std::string line(text.substr(0, std::min(text.find('\n'), shown_characters)));
    return printable(to_valid_utf8(line)) + (line.size() < text.size() ? "..." : "");
}

struct ShownBullet {
    BulletCounts counts;
    std::string text;

    [[nodiscard]] std::int64_t helpful() const { return counts.base_helpful + counts.event_helpful; }
    [[nodiscard]] std::int64_t harmful() const { return counts.base_harmful + counts.event_harmful; }
    [[nodiscard]] std::int64_t by(const std::string& sort) const {
        return sort == "helpful" ? helpful() : sort == "harmful" ? harmful() : helpful() - harmful();
    }
};

int show(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    const DocumentRow row = find_document(store, options.name);
    const BulletDocument document = bullets_of(row);
    std::vector<ShownBullet> shown;
    const auto counts = bullet_counts(store, {options.name, "", ""}, {});
    const auto bullets = document.bullets();
    for (std::size_t i = 0; i < counts.size() && i < bullets.size(); ++i) {
        if (options.bullet.empty() || lower_case(options.bullet) == lower_case(counts[i].bullet)) {
            shown.push_back({counts[i], std::string(bullets[i]->text())});
        }
    }
    if (!options.bullet.empty() && shown.empty()) {
        std::vector<std::string> ids;
        ids.reserve(bullets.size());
        for (const Bullet* const bullet : bullets) {
            ids.push_back(bullet->id);
        }
        throw input_error(printable(options.name) + " has no bullet '" + printable(options.bullet) + "'",
                          "the nearest are " + join(nearest(options.bullet, ids, 3), ", "));
    }
    if (!options.sort.empty()) {
        std::ranges::stable_sort(shown, [&](const ShownBullet& a, const ShownBullet& b) {
            return a.by(options.sort) > b.by(options.sort);
        });
    }
    Json array = Json::array();
    for (const ShownBullet& bullet : shown) {
        if (options.json) {
            array.push_back({{"id", bullet.counts.bullet},
                             {"section", bullet.counts.section},
                             {"helpful", bullet.helpful()},
                             {"harmful", bullet.harmful()},
                             {"text", bullet.text}});
        } else {
            std::cout << "[" << printable(bullet.counts.bullet) << "] helpful=" << bullet.helpful()
                      << " harmful=" << bullet.harmful()
                      << " :: " << (options.bullet.empty() ? first_line(bullet.text) : printable(bullet.text))
                      << "\n";
        }
    }
    if (options.json) {
        std::cout << dump_json(array, 1) << "\n";
    }
    return exit_success;
}

int diff(const PlaybookOptions& options) {
    Store store = open_store(options, Store::Mode::read_only);
    const BulletDocument before = bullets_of(find_document(store, options.name));
    const BulletDocument after = bullets_of(find_document(store, options.other));
    Json changes = Json::array();
    const auto add = [&](const char* what, const Bullet& bullet, const std::string& detail) {
        changes.push_back({{"change", what}, {"id", bullet.id}, {"detail", detail}});
    };
    for (const Bullet* const bullet : before.bullets()) {
        const Bullet* const now = after.find(bullet->id);
        if (now == nullptr) {
            add("removed", *bullet, first_line(bullet->text()));
            continue;
        }
        if (now->text() != bullet->text()) {
            add("changed", *bullet, first_line(now->text()));
        }
        if (now->helpful.value != bullet->helpful.value || now->harmful.value != bullet->harmful.value) {
            add("counts", *bullet,
                "helpful " + std::to_string(bullet->helpful.value) + " -> " +
                    std::to_string(now->helpful.value) + ", harmful " +
                    std::to_string(bullet->harmful.value) + " -> " + std::to_string(now->harmful.value));
        }
    }
    for (const Bullet* const bullet : after.bullets()) {
        if (before.find(bullet->id) == nullptr) {
            add("added", *bullet, first_line(bullet->text()));
        }
    }
    if (options.json) {
        std::cout << dump_json(changes, 1) << "\n";
    } else {
        for (const Json& change : changes) {
            std::cout << change["change"].get<std::string>() << " [" << change["id"].get<std::string>()
                      << "] " << change["detail"].get<std::string>() << "\n";
        }
    }
    return changes.empty() ? exit_success : exit_no_success;
}

Json to_json(const BulletCounts& counts) {
    return {{"id", counts.bullet},
            {"section", counts.section},
            {"group", counts.group},
            {"helpful", counts.base_helpful + counts.event_helpful},
            {"harmful", counts.base_harmful + counts.event_harmful},
            {"event_helpful", counts.event_helpful},
            {"event_harmful", counts.event_harmful},
            {"evaluations", counts.evaluations},
            {"success_rate", counts.success_rate ? Json(*counts.success_rate) : Json()},
            {"mean_score", counts.mean_score ? Json(*counts.mean_score) : Json()}};
}

/// Event times are compared as text, so anything but the beginning of a UTC time would select at random.
void require_time(const std::string& since) {
    constexpr std::string_view pattern = "dddd-dd-ddTdd:dd:dd";
    bool good = since.empty() || since.size() >= std::string_view("dddd").size();
    for (std::size_t i = 0; i < since.size() && i < pattern.size(); ++i) {
        const bool digit = since[i] >= '0' && since[i] <= '9';
        good = good && (pattern[i] == 'd' ? digit : since[i] == pattern[i]);
    }
    if (!good) {
        throw input_error("'" + printable(since) + "' is no beginning of a UTC time",
                          "write --since as 2026-01-31 or 2026-01-31T08:00:00");
    }
}

int counts(const PlaybookOptions& options) {
    require_time(options.since);
    Store store = open_store(options, Store::Mode::read_only);
    std::vector<std::pair<std::string, std::string>> families;
    const Catalogue catalogue(find_layout());
    for (const Problem& problem : catalogue.problems()) {
        families.emplace_back(problem.id, problem.family);
    }
    const auto all = bullet_counts(store, {options.name, options.since, options.by}, families);
    const auto unknown = unknown_citations(store, options.name);
    if (options.json) {
        Json json{{"playbook", options.name}, {"bullets", Json::array()}, {"unknown", Json::object()}};
        for (const BulletCounts& of_bullet : all) {
            json["bullets"].push_back(to_json(of_bullet));
        }
        for (const auto& [id, times] : unknown) {
            json["unknown"][id] = times;
        }
        std::cout << dump_json(json, 1) << "\n";
        return exit_success;
    }
    for (const BulletCounts& c : all) {
        std::cout << "[" << printable(c.bullet) << "] helpful=" << c.base_helpful + c.event_helpful << " (+"
                  << c.event_helpful << ") harmful=" << c.base_harmful + c.event_harmful << " (+"
                  << c.event_harmful << ")";
        if (!options.by.empty()) {
            std::cout << "  " << options.by << " " << (c.group.empty() ? "unknown" : printable(c.group));
        }
        if (c.evaluations > 0) {
            std::cout << "  cited in " << c.evaluations << " evaluations, success rate "
                      << significant(*c.success_rate, 3) << ", mean score " << significant(*c.mean_score, 3);
        }
        std::cout << "\n";
    }
    for (const auto& [id, times] : unknown) {
        std::cout << "unknown [" << printable(id) << "] cited " << times << " times, counted nowhere\n";
    }
    return exit_success;
}

int cite(const PlaybookOptions& options) {
    const std::string reply = read_file(options.other, max_reply_bytes);
    const auto citations = read_citations(to_valid_utf8(reply));
    Store store = open_store(options, Store::Mode::read_write);
    CitedIn where{options.name, {}, {}, reply, options.reader};
    if (!options.evaluation.empty()) {
        where.evaluation = store.find(options.evaluation).verdict.id;
    }
    const RecordedCitations recorded = record_citations(store, where, citations, EventSource::agent_citation);
    if (options.json) {
        Json json{{"citations", Json::array()},
                  {"counted", recorded.counted},
                  {"known", recorded.known},
                  {"unknown", recorded.unknown}};
        for (const Citation& citation : citations) {
            json["citations"].push_back(
                {{"id", citation.bullet},
                 {"kind", citation.kind == CitationKind::helpful ? "helpful" : "harmful"}});
        }
        std::cout << dump_json(json, 1) << "\n";
    } else {
        std::cout << recorded.counted << " counted, " << recorded.known << " counted before, "
                  << recorded.unknown << " of unknown ids\n";
    }
    return exit_success;
}

}  // namespace

void add_bullet_commands(CLI::App& /*playbook*/, PlaybookOptions& options, const AddName& named,
                         const AddPlaybookCommand& add) {
    CLI::App* const show_command =
        named(add("show", "Show the bullets of a playbook with their present counts",
                  "show playbook --sort net", show));
    show_command->add_option("--bullet", options.bullet, "Only this one, in full");
    show_command
        ->add_option("--sort", options.sort, "Most first: helpful, harmful, or net (their difference)")
        ->check(CLI::IsMember({"helpful", "harmful", "net"}));
    CLI::App* const diff_command = named(
        add("diff", "Bullets added, removed and changed; exit status 1 if any", "diff playbook newer", diff));
    diff_command->add_option("OTHER", options.other, "The later playbook")->required();
    CLI::App* const counts_command =
        named(add("counts", "Counts of each bullet, and how the evaluations that cited it went",
                  "counts playbook --by family", counts));
    counts_command->add_option("--since", options.since, "Only events from then on, such as 2026-01-31");
    counts_command->add_option("--by", options.by, "family or reader")
        ->check(CLI::IsMember({"family", "reader"}));
    CLI::App* const cite_command = named(add("cite", "Read citations from a model's reply and count them",
                                             "cite playbook reply.md --evaluation 1ba307a8", cite));
    cite_command->add_option("REPLY", options.other, "File with the reply; - reads standard input")
        ->required();
    cite_command->add_option("--evaluation", options.evaluation, "Evaluation of this reply");
    cite_command->add_option("--reader", options.reader, "Model that wrote it");
}

}  // namespace kbeval::cli
