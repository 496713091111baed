#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "context/bullets.h"
#include "context/cards.h"
#include "context/context_set.h"
#include "context/format.h"
#include "context/living.h"

namespace kbeval {
namespace {

std::string rules_of(const std::vector<Finding>& findings) {
    std::string all;
    for (const Finding& finding : findings) {
        all += finding.rule + "@" + std::to_string(finding.place.line) + " ";
    }
    return all;
}

std::string error_of(const std::string& text, BulletStyle style = BulletStyle::ace) {
    try {
        parse_bullets("f", text, style);
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

constexpr const char* playbook =
    "ACE playbook: tips.\n\n## strategies\n[str-00001] helpful=88 harmful=0 :: first: a → b\n"
    "  more [str-00009] inside\n```python\n## a comment, no section\nx = [1]\n```\n\n"
    "[str-00002] helpful=007 harmful=1 :: second\n## pitfalls\nlead\n[pit-00001] helpful=0 harmful=0 ::";

TEST(Bullets, ParsesItemsAndRendersTheSameBytes) {
    const ParsedBullets parsed = parse_bullets("f", playbook, BulletStyle::ace);
    ASSERT_EQ(parsed.document.bullets().size(), 3U);
    const Bullet& first = *parsed.document.bullets()[0];
    EXPECT_EQ(first.id, "str-00001");
    EXPECT_EQ(first.helpful.value, 88);
    EXPECT_TRUE(first.text().starts_with("first: a → b\n  more [str-00009]"));
    EXPECT_TRUE(first.text().ends_with("```"));
    EXPECT_EQ(parsed.document.sections[1].title, "pitfalls");
    EXPECT_EQ(parsed.document.sections[1].lead, "lead\n");
    EXPECT_EQ(rules_of(parsed.findings), "empty-bullet@14 ");
    EXPECT_EQ(render(parsed.document), playbook);
}

TEST(Bullets, ANewCountChangesNothingElse) {
    ParsedBullets parsed = parse_bullets("f", playbook, BulletStyle::ace);
    parsed.document.sections[0].bullets[1].helpful.set(7);
    EXPECT_EQ(render(parsed.document), playbook);
    parsed.document.sections[0].bullets[1].helpful.set(8);
    std::string expected = playbook;
    expected.replace(expected.find("007"), 3, "8");
    EXPECT_EQ(render(parsed.document), expected);
}

TEST(Bullets, ErrorsNameLineAndColumn) {
    EXPECT_EQ(error_of("x\n[a-1] helpful=-1 harmful=0 :: t"), "f:2:15: the helpful count is negative");
    EXPECT_EQ(error_of("[a-1] helpful=1 harmful=99999999999999999999 :: t"),
              "f:1:25: the harmful count is too large for 64 bits");
    EXPECT_EQ(error_of("[a-1] helpful=x harmful=0 :: t"), "f:1:15: the helpful count is no whole number");
    EXPECT_EQ(error_of("[a-1] helpful=1 harm"), "f:1:16: 'harmful=' is missing in this bullet's header");
    EXPECT_EQ(error_of("[a-1] helpful=1 harmful=1 : t"),
              "f:1:26: ' :: ' is missing after the counts of [a-1]");
    EXPECT_EQ(error_of("→→\xFF"), "f:1:3: not UTF-8");
}

TEST(Bullets, FindingsForWhatIsUsable) {
    const auto findings = [](const std::string& text, BulletStyle style = BulletStyle::ace) {
        const ParsedBullets parsed = parse_bullets("f", text, style);
        EXPECT_EQ(render(parsed.document), text);
        return rules_of(parsed.findings);
    };
    EXPECT_EQ(findings("[a-1] helpful=1 harmful=1 :: t\n[A-1] helpful=1 harmful=1 :: t\n"), "doubled-id@2 ");
    EXPECT_EQ(findings("[] helpful=1 harmful=1 :: t\n"), "lost-id@1 no-bullets@1 ");
    EXPECT_EQ(findings("[a1] helpful=1 harmful=1 :: t\n"), "malformed-id@1 ");
    EXPECT_EQ(findings("## a\n[a-1] helpful=1 harmful=1 :: t\n## a\n"), "section-twice@3 ");
    EXPECT_EQ(findings("[a-1] helpful=1 harmful=1 :: t\n```\n[a-2] helpful=1 harmful=1 :: t\n"),
              "open-fence@2 ");
    EXPECT_EQ(findings("[a-1] helpful=1 harmful=1 :: t\n[a-00"), "truncated@2 ");
    EXPECT_EQ(findings("[mem-1] a\n\nb\n[mem-1] c", BulletStyle::mem0), "doubled-id@4 ");
    EXPECT_EQ(findings("[mem-1] a\n[mem_2] c", BulletStyle::mem0), "malformed-id@2 ");
    EXPECT_EQ(findings(""), "no-bullets@1 ");
}

TEST(Living, ParsesItemsAndRendersTheSameBytes) {
    const std::string text =
        std::string(living_title) +
        "\n\n### Lessons about this environment (x)\n- one\n  more\n- two\n\n"
        "### Verified recipes for conv problems (y)\n- [2.50x on A_B] do it\n- [x] no recipe\n\n"
        "### A verified kernel for a related conv problem (L2_001 A_B, 2.50x): adapt what applies\n"
        "```python\nimport torch\n### no heading\n```\n\n### Else\ntext";
    const ParsedLiving parsed = parse_living("f", text);
    EXPECT_EQ(render(parsed.document), text);
    EXPECT_EQ(rules_of(parsed.findings), "malformed-recipe@10 unknown-section@18 ");
    const auto& sections = parsed.document.sections;
    EXPECT_EQ(sections[0].items[0].item.text, "one\n  more");
    EXPECT_EQ(sections[1].items[0].item,
              (LivingItem{LivingKind::recipe, "conv", "", "A_B", "2.50", "do it"}));
    EXPECT_EQ(sections[2].items[0].item, (LivingItem{LivingKind::kernel, "conv", "L2_001", "A_B", "2.50",
                                                     "import torch\n### no heading"}));
}

TEST(Living, ACutDocumentIsReported) {
    const std::string text =
        "### A verified kernel for a related rnn problem (L3_001 X, 1.00x): adapt what "
        "applies\n```python\nimport";
    const ParsedLiving parsed = parse_living("f", text);
    EXPECT_EQ(render(parsed.document), text);
    EXPECT_EQ(rules_of(parsed.findings), "open-fence@2 ");
}

TEST(JsonText, KeepsEveryLayoutOfPython) {
    for (const char* text :
         {R"({"a": [1, 2.5, "x→"], "b": {}})", R"({"a":[1,2.5],"b":{"c":null}})",
          "{\n \"a\": [\n  1\n ]\n}\n", "{\n    \"a\": \"\\u00e9\\ud83d\\ude00\\n\\u0001\"\n}"}) {
        const ParsedJson parsed = parse_json("f", text);
        EXPECT_TRUE(parsed.exact) << text;
        EXPECT_EQ(write_json(parsed.value, parsed.layout), text);
    }
}

TEST(JsonText, RefusesWhatIsWrong) {
    EXPECT_THROW(parse_json("f", R"({"a": 1, "a": 2})"), Error);
    EXPECT_NO_THROW(parse_json("f", R"({"a": {"b": 1}, "c": {"b": 1}})"));
    EXPECT_THROW(parse_json("f", std::string(100000, '[')), Error);
    EXPECT_THROW(parse_json("f", R"({"a": )"), Error);
    EXPECT_THROW(parse_json("f", R"({"a": "\ud800"})"), Error);
}

TEST(Cards, MatchesAndFindsBadPatterns) {
    const auto document = parse_cards("f",
                                      R"x({"cards": [{"id": "A", "include": "nn\\.Linear", "exclude": "conv",
  "exclude_families": ["rnn"], "text": "t", "demote": "beats? cuBLAS",
  "example": {"pid": "L1_001", "source": "s", "speedup": 2}},
 {"id": "B", "include": "(?=x)", "text": "t"}]})x");
    const Card& card = document.cards[0];
    EXPECT_TRUE(match_card(card, "nn.Linear(3, 4)", "matmul").applies);
    EXPECT_FALSE(match_card(card, "nn.Linear(3, 4)", "rnn").applies);
    EXPECT_FALSE(match_card(card, "nn.Linear(3, 4).conv", "matmul").applies);
    EXPECT_FALSE(match_card(card, "nnxLinear", "matmul").applies);
    EXPECT_TRUE(demotes(card, "this beat cuBLAS"));
    EXPECT_FALSE(match_card(document.cards[1], "x", "matmul").applies);
    EXPECT_EQ(rules_of(document.findings), "bad-pattern@4 json-layout@1 ");
    EXPECT_NE(document.findings[0].message.find("card B"), std::string::npos);
    EXPECT_THROW(parse_cards("f", R"({"cards": [{"id": 3}]})"), Error);
}

TEST(ContextSet, FlattensAsAlteredRecordsWere) {
    EXPECT_EQ(flatten("a  b <self.x> c\n    d < e"), "a b c\n d < e");
    EXPECT_EQ(character_count("→é"), 2);
}

TEST(Seeds, AllRenderBackIdentically) {
    const char* const shared = std::getenv("KBEVAL_SHARED");
    const std::filesystem::path seeds =
        std::filesystem::path(shared != nullptr ? shared : KBEVAL_SOURCE_DIR "/../shared") / "seeds";
    if (!std::filesystem::exists(seeds)) {
        GTEST_SKIP() << "the given documents are not here";
    }
    for (const char* file : {"contexts.json", "engine_cards.json", "problem_contexts.json"}) {
        const std::string text = read_file(seeds / file, max_document_bytes);
        const DocumentFormat format = detect_format(file, text);
        EXPECT_TRUE(summarize(file, text, format).renders_identically) << file;
        EXPECT_EQ(render_again(file, text, format), text) << file;
        if (format == DocumentFormat::context_set) {
            for (const ContextEntry& entry : read_context_set(file, parse_json(file, text).value).entries) {
                const auto summary =
                    summarize(entry.problem, entry.text, detect_format(entry.problem, entry.text));
                EXPECT_TRUE(summary.renders_identically) << entry.arm << entry.problem;
            }
        }
    }
}

}  // namespace
}  // namespace kbeval
