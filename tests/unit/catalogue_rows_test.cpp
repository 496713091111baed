#include "store/catalogue_rows.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "store/migrations.h"

namespace kbeval {
namespace {

class CatalogueRowsTest : public ::testing::Test {
  protected:
    CatalogueRowsTest() { bring_up_to_date(database_); }

    std::string family_of(const std::string& problem) {
        return query_text(database_, "SELECT family FROM problem_names WHERE problem = '" + problem + "'");
    }

    TemporaryDirectory folder_{std::filesystem::temp_directory_path(), "catalogue-rows"};
    Database database_{folder_.path() / "kbeval.db", Database::Access::read_write};
};

TEST_F(CatalogueRowsTest, WritesWhatIsNewAndForgetsNothing) {
    const std::vector<ProblemRow> first{{"L1_001", "Matmul", 1, "matmul"},
                                        {"mine", "It's \"mine\"", 0, "other"}};
    EXPECT_TRUE(problems_are_new(database_, first));
    note_problems(database_, first);
    EXPECT_FALSE(problems_are_new(database_, first));
    EXPECT_EQ(family_of("L1_001"), "matmul");
    EXPECT_EQ(query_text(database_, "SELECT name FROM problem_names WHERE level IS NULL"), "It's \"mine\"");
    note_problems(database_, {{"L1_001", "Matmul", 1, "gemm"}});
    EXPECT_EQ(family_of("L1_001"), "gemm");
    EXPECT_EQ(family_of("mine"), "other");
}

TEST_F(CatalogueRowsTest, WritesNothingTwice) {
    const std::vector<ProblemRow> rows{{"L1_001", "Matmul", 1, "matmul"}};
    note_problems(database_, rows);
    const int changes = sqlite3_total_changes(database_.handle());
    note_problems(database_, rows);
    EXPECT_EQ(sqlite3_total_changes(database_.handle()), changes);
}

}  // namespace
}  // namespace kbeval
