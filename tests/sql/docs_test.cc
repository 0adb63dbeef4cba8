// docs/sql.md: its tables are those of the program, and its recipes run.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/table_rows.h"

#include "sql/schema.h"
#include "tests/sql/ask.h"
#include "tests/support/samples.h"

namespace stepscope {
namespace {

constexpr const char* kUpdate = "STEPSCOPE_UPDATE_SQL";

std::string ReadPage() {
  std::ifstream file(test::SourcePath("docs/sql.md"), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The part of the page between two marks, without them.
std::string_view Between(std::string_view page, std::string_view first, std::string_view last) {
  const size_t begin = page.find(first) + first.size(), end = page.find(last, begin);
  REQUIRE(end != std::string_view::npos);
  return page.substr(begin, end - begin);
}

std::string TablesText() {
  std::string text = "\n";
  for (const SqlTableDesc& table : SqlTables()) {
    text += "### " + std::string(table.name) + "\n\n" + table.what + ".\n\n";
    text += "| column | type | what |\n|---|---|---|\n";
    for (const SqlColumn& column : table.columns) {
      std::string type = DeclaredType(column.type, "");
      const bool unit = UnitOfDeclared(DeclaredType(column.type, column.unit)) != Unit::kNone;
      if (unit) type += ", " + std::string(column.unit);
      text += "| `" + std::string(column.name) + "` | " + (type.empty() ? "any" : type) + " | " +
              column.what + " |\n";
    }
    text += "\n";
  }
  text.pop_back();
  return text;
}

TEST_CASE("docs/sql.md has the tables that there are") {
  std::string page = ReadPage();
  const std::string_view tables = Between(page, "<!-- tables -->\n", "<!-- /tables -->");
  if (std::getenv(kUpdate) != nullptr) {
    const size_t at = static_cast<size_t>(tables.data() - page.data());
    page.replace(at, tables.size(), TablesText() + "\n");
    std::ofstream(test::SourcePath("docs/sql.md"), std::ios::binary) << page;
    return;
  }
  CHECK_MESSAGE(tables == TablesText() + "\n", kUpdate, "=1 writes the page anew");
}

struct Recipe {
  std::string title, sql;
  std::vector<SqlParameter> parameters;  // of its first line
};

std::vector<Recipe> Recipes(const std::string& page) {
  std::vector<Recipe> recipes;
  for (size_t at = page.find("\n### 1. "); at != std::string::npos;) {
    const size_t next = page.find("\n### ", at + 1);
    const std::string part = page.substr(at + 1, next == std::string::npos ? next : next - at);
    Recipe& recipe = recipes.emplace_back();
    recipe.title = part.substr(0, part.find('\n'));
    recipe.sql = Between(part, "```sql\n", "```");
    constexpr std::string_view kOption = "--param ";
    const std::string line = recipe.sql.substr(0, recipe.sql.find('\n'));
    for (size_t option = line.find(kOption); option != std::string::npos;) {
      const size_t begin = option + kOption.size(), end = line.find(" --param", begin);
      recipe.parameters.push_back(ParseSqlParameter(line.substr(begin, end - begin)).value());
      option = line.find(kOption, begin);
    }
    at = next;
  }
  return recipes;
}

TEST_CASE("docs/sql.md: each recipe has an answer") {
  const std::vector<Recipe> recipes = Recipes(ReadPage());
  CHECK(recipes.size() == 10);
  const auto before = test::SourceOf(test::LoadTrace(test::Samples().front()));
  SqlDatabase database = test::DatabaseOf({before, before});
  for (const Recipe& recipe : recipes) {
    CAPTURE(recipe.title);
    const Result<SqlTableResult> result =
        RunForTable(database, {recipe.sql, recipe.parameters, {.seconds = 60}});
    REQUIRE_MESSAGE(result.ok(), result.status().message());
    CHECK(result->total_rows > 0);
    bool any = false;  // a row of nulls is no answer
    for (const Value& cell : test::RowOf(result->table, 0))
      any |= !std::holds_alternative<std::monostate>(cell);
    CHECK(any);
  }
}

}  // namespace
}  // namespace stepscope
