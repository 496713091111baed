// How long contexts take, over the given documents (KBEVAL_SHARED, or ../shared of the checkout):
//   build/release/bin/kbeval_context_bench
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/error.h"
#include "base/file.h"
#include "context/context_set.h"
#include "context/documents.h"
#include "context/prompt.h"

namespace {

using namespace kbeval;

std::filesystem::path seeds() {
    return environment("KBEVAL_SHARED").value_or(KBEVAL_SOURCE_DIR "/../shared") + "/seeds";
}

const std::string& playbook() {
    static const std::string text = [] {
        const std::string set = read_file(seeds() / "contexts.json", max_document_bytes);
        for (const ContextEntry& entry :
             read_context_set("contexts", parse_json("contexts", set).value).entries) {
            if (entry.arm == "ace") {
                return entry.text;
            }
        }
        return std::string();
    }();
    return text;
}

/// A database with all given documents.
struct Filled {
    TemporaryDirectory folder{std::filesystem::temp_directory_path(), "kbeval-bench"};
    Store store = Store::open(folder.path() / "kbeval.db", Store::Mode::read_write);
    Catalogue catalogue{KBEVAL_SOURCE_DIR "/problems"};

    Filled() {
        for (const char* file : {"contexts.json", "engine_cards.json", "problem_contexts.json"}) {
            import_document(store, catalogue, read_file(seeds() / file, max_document_bytes),
                            {file, file, {}, false});
        }
    }
};

void import_playbook(benchmark::State& state) {
    Filled filled;
    int count = 0;
    for (auto _ : state) {
        // Another last byte every time: an equal document would be recognised.
        import_document(filled.store, filled.catalogue, playbook() + std::to_string(++count),
                        {"bench", "bench", {}, true});
    }
}

void build_all(benchmark::State& state) {
    static Filled filled;
    std::int64_t characters = 0;
    for (auto _ : state) {
        for (const char* arm : {"bare", "ace", "mem0", "living", "living:rC", "cards"}) {
            for (const Problem& problem : filled.catalogue.problems()) {
                characters +=
                    static_cast<std::int64_t>(build_context(filled.store, filled.catalogue,
                                                            {problem.id, arm, "claude-opus-4-8", "", true})
                                                  .text.size());
            }
        }
    }
    benchmark::DoNotOptimize(characters);
}

BENCHMARK(import_playbook)->Unit(benchmark::kMillisecond);
BENCHMARK(build_all)->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
    if (!std::filesystem::exists(seeds())) {
        std::cerr << seeds().string() << " is not here; set KBEVAL_SHARED\n";
        return 2;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
