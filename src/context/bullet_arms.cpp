#include <algorithm>

#include "context/arm_work.h"
#include "context/bullet_form.h"
#include "context/bullets.h"
#include "context/leak_guard.h"

namespace kbeval {

namespace {

constexpr std::size_t most_memories = 10;

}  // namespace

void build_playbook(ArmWork& work) {
    work.built.text = newest_document(work, DocumentFormat::ace).text;
}

void build_memories(ArmWork& work) {
    const DocumentRow document = newest_document(work, DocumentFormat::mem0);
    const BulletDocument pool = parse_bullets(document.name, document.text, BulletStyle::mem0).document;
    std::vector<std::string> words = name_words(work.problem.problem.name);
    words.push_back(work.problem.problem.family);
    std::vector<std::pair<int, const Bullet*>> ranked;
    for (const Bullet* const bullet : pool.bullets()) {
        if (!find_leaks(work.problem.problem, bullet->text(), {}).empty()) {
            work.built.choices.push_back({"memory", bullet->id, "out", "it names the problem itself"});
            continue;
        }
        const std::string text = lower_case(bullet->text());
        const auto shared = std::ranges::count_if(
            words, [&](const std::string& word) { return text.find(word) != std::string::npos; });
        ranked.emplace_back(static_cast<int>(shared), bullet);
    }
    std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
    work.built.text = pool.preamble;
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const Bullet& bullet = *ranked[i].second;
        const bool in = i < most_memories;
        work.built.choices.push_back(
            {"memory", bullet.id, in ? "in" : "out",
             "shares " + std::to_string(ranked[i].first) + " words with the problem"});
        if (in) {
            work.built.text += (i == 0 ? "[" : "\n[") + bullet.id + "] " + std::string(bullet.text());
        }
    }
}

}  // namespace kbeval
