#include <iostream>
#include <memory>

#include "base/error.h"
#include "base/layout.h"
#include "base/text.h"
#include "cli/command.h"
#include "context/context_export.h"
#include "context/context_set.h"
#include "context/prompt.h"
#include "report/record_text.h"

namespace kbeval::cli {

namespace {

using Json = nlohmann::ordered_json;

struct ContextOptions {
    ContextRequest request;
    std::string database;
    std::string plan;
    int turns = 6;
    bool explain = false;
    bool json = false;
};

Store open(const ContextOptions& options) {
    const bool writes = options.request.allow_leak;
    return Store::open(
        options.database.empty() ? default_database() : std::filesystem::path(options.database),
        writes ? Store::Mode::read_write : Store::Mode::read_only);
}

Json to_json(const BuiltContext& context) {
    Json choices = Json::array();
    for (const ContextChoice& choice : context.choices) {
        choices.push_back({{"kind", choice.kind},
                           {"name", choice.name},
                           {"decision", choice.decision},
                           {"reason", choice.reason}});
    }
    return {{"problem", context.problem},
            {"arm", context.arm},
            {"reader", context.reader},
            {"digest", context.digest},
            {"chars", character_count(context.text)},
            {"origin", context.origin},
            {"choices", choices},
            {"notes", context.notes},
            {"leaks", context.leaks},
            {"text", context.text}};
}

void print_notes(const BuiltContext& context, bool explain) {
    for (const std::string& note : context.notes) {
        std::cerr << "note: " << printable(note) << "\n";
    }
    for (const std::string& leak : context.leaks) {
        std::cerr << "leak allowed: " << printable(leak) << "\n";
    }
    if (!explain) {
        return;
    }
    std::cerr << "context " << context.digest << ", " << context.origin << "\n";
    for (const ContextChoice& choice : context.choices) {
        std::cerr << choice.decision << "  " << choice.kind << "  " << printable(choice.name)
                  << (choice.reason.empty() ? "" : ": " + printable(choice.reason)) << "\n";
    }
}

int show(const ContextOptions& options) {
    if (options.request.problem.empty()) {
        throw Error(ErrorKind::usage, "PROBLEM is required", "kbeval context --help");
    }
    Store store = open(options);
    const BuiltContext context = build_context(store, Catalogue(find_layout()), options.request);
    if (!context.leaks.empty()) {
        record_context(store, context);
    }
    if (options.json) {
        std::cout << dump_json(to_json(context), 1) << "\n";
        return exit_success;
    }
    std::cout << context.text;
    print_notes(context, options.explain);
    return exit_success;
}

int show_prompt(const ContextOptions& options) {
    Store store = open(options);
    const Prompt prompt = build_prompt(store, Catalogue(find_layout()), options.request, options.turns);
    if (!prompt.context.leaks.empty()) {
        record_context(store, prompt.context);
    }
    if (options.json) {
        std::cout << dump_json({{"digest", prompt.digest},
                                {"instruction", prompt.instruction},
                                {"context", to_json(prompt.context)},
                                {"rules", prompt.rules},
                                {"text", prompt.text}},
                               1)
                  << "\n";
        return exit_success;
    }
    std::cout << prompt.text;
    print_notes(prompt.context, options.explain);
    return exit_success;
}

int export_plan(const ContextOptions& options) {
    Store store = open(options);
    for (const std::string& line :
         export_contexts(store, Catalogue(find_layout()), options.plan, options.request.allow_leak)) {
        std::cout << printable(line) << "\n";
    }
    return exit_success;
}

void add_request(CLI::App& command, ContextOptions& options) {
    command
        .add_option("--arm", options.request.arm, "bare, ace, mem0, living, cards, or one of an imported set")
        ->capture_default_str();
    command.add_option("--reader", options.request.reader, "Model that reads it");
    command.add_option("--from", options.request.from, "Document to take it from (default: the newest)");
    command.add_flag("--explain", options.explain, "Say for each card and item why it is in, demoted or out");
    command.add_flag("--json", options.json, "Print one JSON object");
}

void add_common(CLI::App& command, ContextOptions& options) {
    command.add_option("--db", options.database,
                       "Database file (default: $KBEVAL_DB, else in the user's data folder)");
    command.add_flag("--allow-leak", options.request.allow_leak,
                     "Hand out a context that gives the problem its own solution away, and record that");
}

}  // namespace

void add_context(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("context", "Print the context that an agent gets for a problem");
    const auto options = std::make_shared<ContextOptions>();
    options->request.arm = "living";
    command->add_option("PROBLEM", options->request.problem, "Problem id, such as L2_020");
    add_request(*command, *options);
    add_common(*command, *options);
    command->footer(
        "Example: kbeval context L2_020 --arm cards --explain\n"
        "         kbeval context export plan.json");
    command->callback([&chosen, options] {
        if (options->plan.empty()) {
            chosen = [options] { return show(*options); };
        }
    });
    CLI::App* const export_command =
        command->add_subcommand("export", "Write context sets and problem records as a plan says");
    export_command->add_option("PLAN", options->plan, "JSON file (docs/contexts.md)")->required();
    add_common(*export_command, *options);
    export_command->footer("Example: kbeval context export plan.json");
    export_command->callback([&chosen, options] { chosen = [options] { return export_plan(*options); }; });
}

void add_prompt(CLI::App& app, Action& chosen) {
    CLI::App* const command =
        app.add_subcommand("prompt", "Print the whole prompt: instruction, context and rules");
    const auto options = std::make_shared<ContextOptions>();
    options->request.arm = "bare";
    command->add_option("PROBLEM", options->request.problem, "Problem id, such as L2_020")->required();
    command->add_option("--turns", options->turns, "Replies that the agent has")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    add_request(*command, *options);
    add_common(*command, *options);
    command->footer("Example: kbeval prompt L2_020 --arm living --turns 6");
    command->callback([&chosen, options] { chosen = [options] { return show_prompt(*options); }; });
}

}  // namespace kbeval::cli
