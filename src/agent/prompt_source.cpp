#include "agent/prompt_source.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "context/citations.h"

namespace kbeval {

namespace {

constexpr std::size_t max_context_bytes = 16 << 20;

/// The playbook whose bullets a context shows: the document itself, or its part for the arm. Empty where it
/// has none.
std::string playbook_behind(Store& store, const BuiltContext& context) {
    Statement row(store.database(),
                  "SELECT d.name FROM context_document AS d WHERE d.name IN (?1, ?1 || '/' || ?2) "
                  "AND EXISTS (SELECT 1 FROM playbook_bullet AS b WHERE b.document = d.key) "
                  "ORDER BY d.name = ?1 DESC");
    row.bind(1, context.origin);
    row.bind(2, context.arm);
    return row.step() ? row.text(0) : "";
}

}  // namespace

ArmPrompts::ArmPrompts(const std::map<std::string, std::filesystem::path>& files, Store& store,
                       const Catalogue& catalogue, bool allow_leak)
    : store_(store), catalogue_(catalogue), allow_leak_(allow_leak) {
    for (const auto& [arm, path] : files) {
        std::string text = read_file(path, max_context_bytes);
        if (const auto bad = first_invalid_utf8(text)) {
            throw input_error(path.string() + ": is not UTF-8: malformed byte at offset " +
                              std::to_string(*bad));
        }
        files_[arm] = std::move(text);
    }
}

Prompt ArmPrompts::made(const Problem& problem, const std::string& arm, const std::string& reader,
                        int turns) {
    ContextRequest request{problem.id, arm, reader, {}, allow_leak_, {}};
    if (const auto file = files_.find(arm); file != files_.end()) {
        request.given = file->second;
    }
    return build_prompt(store_, catalogue_, request, turns);
}

void ArmPrompts::require(const Problem& problem, const std::string& arm, const std::string& reader,
                         int turns) {
    (void)made(problem, arm, reader, turns);
}

GivenPrompt ArmPrompts::prompt(const Problem& problem, const std::string& arm, const std::string& reader,
                               int turns) {
    Prompt given = made(problem, arm, reader, turns);
    record_context(store_, given.context);
    return {std::move(given.text), std::move(given.context.text), std::move(given.context.digest)};
}

void ArmPrompts::count_citations(const EpisodeRecord& episode) {
    if (files_.contains(episode.arm)) {
        return;
    }
    std::string playbook;
    for (const TurnRecord& turn : episode.turns) {
        const auto citations = read_citations(turn.reply);
        if (citations.empty()) {
            continue;
        }
        if (playbook.empty()) {
            const ContextRequest request{episode.problem, episode.arm, episode.reader, {}, true, {}};
            playbook = playbook_behind(store_, build_context(store_, catalogue_, request));
            if (playbook.empty()) {
                return;
            }
        }
        record_citations(store_,
                         {playbook, turn.evaluation, episode.id + "/" + std::to_string(turn.number),
                          turn.reply, episode.reader},
                         citations, EventSource::agent_citation);
    }
}

}  // namespace kbeval
