#include "problem/problem.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"

namespace kbeval {
namespace {

class CatalogueTest : public testing::Test {
  protected:
    Catalogue write(const std::string& problems) {
        write_file(folder_.path() / "catalog.json", R"({"version":1,"problems":[)" + problems + "]}");
        return Catalogue(folder_.path());
    }
    std::string failure(const std::string& problems) {
        try {
            write(problems);
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return error.what();
        }
        return "";
    }
    static std::string entry(const std::string& id, const std::string& extra = R"("smoke":{"N":3})") {
        return R"({"id":")" + id +
               R"(","name":"Name","family":"norm","level":1,"number":2,"atol":1e-4,"rtol":1e-4,)" +
               R"("tags":["a"],"file":"p.py",)" + extra + "}";
    }
    TemporaryDirectory folder_{std::filesystem::temp_directory_path(), "kbeval-test"};
};

TEST_F(CatalogueTest, FindsIdsHoweverTheyAreWritten) {
    const Catalogue catalogue = write(entry("L1_002"));
    for (const char* id : {"L1_002", "l1_002", "L1_2", "l1_02"}) {
        EXPECT_EQ(catalogue.find(id).id, "L1_002") << id;
    }
    EXPECT_THROW((void)catalogue.find("L1_0002x"), Error);
}

TEST_F(CatalogueTest, UnknownIdsNameTheNearest) {
    const Catalogue catalogue = write(entry("L1_002") + "," + entry("L2_076"));
    try {
        (void)catalogue.find("L2_077");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(error.hint().find("L2_076"), std::string::npos);
    }
}

TEST_F(CatalogueTest, BadEntriesAreNamed) {
    EXPECT_NE(
        failure(entry("L1_002") + "," + entry("L1_002")).find("problems[1]: the id L1_002 stands twice"),
        std::string::npos);
    EXPECT_NE(failure(entry("L1_002", R"("smoke":3)")).find("problems[0]: 'smoke' is not an object"),
              std::string::npos);
    EXPECT_NE(failure(R"({"id":"x"})").find("problems[0]"), std::string::npos);
}

TEST_F(CatalogueTest, TheDigestTellsSizesAndSourcesApart) {
    write_file(folder_.path() / "p.py", "N = 9\n");
    const Catalogue catalogue = write(entry("L1_002"));
    const auto full = Catalogue::load(catalogue.find("L1_002"), Size::full);
    const auto smoke = Catalogue::load(catalogue.find("L1_002"), Size::smoke);
    EXPECT_NE(full.digest, smoke.digest);
    write_file(folder_.path() / "p.py", "N = 8\n");
    EXPECT_NE(Catalogue::load(catalogue.find("L1_002"), Size::full).digest, full.digest);
}

TEST_F(CatalogueTest, FiltersByLevelFamilyAndTag) {
    const Catalogue catalogue = write(entry("L1_002"));
    EXPECT_EQ(catalogue.select({1, "norm", "a"}).size(), 1U);
    EXPECT_TRUE(catalogue.select({2, "", ""}).empty());
    EXPECT_TRUE(catalogue.select({0, "conv", ""}).empty());
    EXPECT_TRUE(catalogue.select({0, "", "b"}).empty());
}

}  // namespace
}  // namespace kbeval
