#include "sql/statement.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "sql/question.h"
#include "sql/schema.h"

namespace stepscope {
namespace {

// The whole text as a number, if it is one.
template <typename T>
std::optional<T> NumberIn(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

void BindValue(sqlite3_stmt* statement, int at, const std::string& value) {
  if (const auto integer = NumberIn<int64_t>(value)) {
    sqlite3_bind_int64(statement, at, *integer);
  } else if (const auto real = NumberIn<double>(value)) {
    sqlite3_bind_double(statement, at, *real);
  } else {
    sqlite3_bind_text64(statement, at, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
}

std::string_view View(const void* bytes, int size) {
  return bytes == nullptr
             ? std::string_view()
             : std::string_view(static_cast<const char*>(bytes), static_cast<size_t>(size));
}

std::string Hex(std::string_view bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    text += kDigits[static_cast<unsigned char>(c) >> 4];
    text += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

ValueType TypeOf(int sqlite_type, std::string_view declared) {
  if (sqlite_type == SQLITE_INTEGER) return ValueType::kInt;
  if (sqlite_type == SQLITE_FLOAT) return ValueType::kReal;
  if (sqlite_type == SQLITE_NULL && declared.starts_with("INTEGER")) return ValueType::kInt;
  if (sqlite_type == SQLITE_NULL && declared.starts_with("REAL")) return ValueType::kReal;
  return ValueType::kString;
}

int64_t RowBytes(const std::vector<Value>& cells) {
  size_t bytes = 24 + cells.size() * sizeof(Value);
  for (const Value& cell : cells) {
    if (const auto* text = std::get_if<SharedText>(&cell)) bytes += 16 + text->size();
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace

std::optional<size_t> ProfilesRead::Only() const {
  if (known == 1) return 0;
  if (!std::has_single_bit(bits)) return std::nullopt;
  return static_cast<size_t>(std::countr_zero(bits));
}

int Statement::Prepare(sqlite3* db, std::string_view text) {
  sqlite3_stmt* made = nullptr;
  const char* tail = text.data();
  const int status =
      sqlite3_prepare_v2(db, text.data(), static_cast<int>(text.size()), &made, &tail);
  statement_.reset(made);
  length_ = static_cast<size_t>(tail - text.data());
  compound_ = IsCompoundSql(text.substr(0, length_));
  return status;
}

Status Statement::Bind(const std::vector<SqlParameter>& parameters) {
  const int count = sqlite3_bind_parameter_count(statement_.get());
  for (int at = 1; at <= count; ++at) {
    const char* name = sqlite3_bind_parameter_name(statement_.get(), at);
    if (name == nullptr || *name == '?')
      return {ErrorCode::kUsage, "a parameter without a name has no value: write it as :name"};
    const auto given = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const SqlParameter& p) { return p.name == name + 1; });
    if (given == parameters.end())
      return {ErrorCode::kUsage, "the parameter " + std::string(name) + " has no value"};
    BindValue(statement_.get(), at, given->value);
  }
  return {};
}

std::vector<SqlResultColumn> Statement::Columns(bool has_row) const {
  std::vector<SqlResultColumn> columns;
  std::set<std::string> ids;
  const int count = sqlite3_column_count(statement_.get());
  for (int c = 0; c < count; ++c) {
    SqlResultColumn column;
    const char* name = sqlite3_column_name(statement_.get(), c);
    const char* type = sqlite3_column_decltype(statement_.get(), c);
    const std::string_view declared = type != nullptr ? type : "";
    column.desc.id = name != nullptr ? name : "";
    for (int n = 2; !ids.insert(column.desc.id).second; ++n)
      column.desc.id = std::string(name != nullptr ? name : "") + "_" + std::to_string(n);
    column.desc.label = column.desc.id;
    column.desc.unit = UnitOfDeclared(declared);
    if (column.desc.unit == Unit::kNone) column.desc.unit = UnitOfName(column.desc.id);
    column.desc.type =
        TypeOf(has_row ? sqlite3_column_type(statement_.get(), c) : SQLITE_NULL, declared);
    const std::optional<size_t> profile = EventsOfDeclared(declared);
    column.event = profile.has_value();
    // A UNION has the types of its first SELECT; rows of the others may be of another profile.
    column.profile = profile && !(compound_ && read_.several()) ? profile : read_.Only();
    columns.push_back(std::move(column));
  }
  return columns;
}

Value Statement::CellAt(int column) const {
  sqlite3_stmt* statement = statement_.get();
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return static_cast<int64_t>(sqlite3_column_int64(statement, column));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_TEXT: {
      const void* text = sqlite3_column_text(statement, column);
      return SharedText(View(text, sqlite3_column_bytes(statement, column)));
    }
    case SQLITE_BLOB: {
      const void* bytes = sqlite3_column_blob(statement, column);
      return SharedText(Hex(View(bytes, sqlite3_column_bytes(statement, column))));
    }
    default:
      return {};
  }
}

bool Statement::Run(SqlSink* sink, uint64_t most, Budget& budget, uint64_t* rows) {
  constexpr uint64_t kRowsBetweenLooks = 256;
  const int count = sqlite3_column_count(statement_.get());
  int status = sqlite3_step(statement_.get());
  if (sink != nullptr && (status == SQLITE_ROW || status == SQLITE_DONE))
    sink->Begin(Columns(status == SQLITE_ROW));
  for (; status == SQLITE_ROW; status = sqlite3_step(statement_.get())) {
    ++*rows;
    if (*rows % kRowsBetweenLooks == 0 && budget.Over()) return false;
    if (sink == nullptr || (most != 0 && *rows > most)) continue;
    std::vector<Value> cells;
    cells.reserve(static_cast<size_t>(count));
    for (int c = 0; c < count; ++c) cells.push_back(CellAt(c));
    if (sink->keeps()) budget.Use(RowBytes(cells));
    sink->Row(std::move(cells));
  }
  return status == SQLITE_DONE && budget.end() == Budget::End::kNone;
}

}  // namespace stepscope
