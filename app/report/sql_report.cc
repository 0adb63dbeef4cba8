#include "app/report/sql_report.h"

#include <utility>
#include <vector>

#include "model/analysis/tables/json_stream.h"
#include "model/analysis/tables/unit_names.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

class JsonWriter final : public SqlWriter {
 public:
  explicit JsonWriter(const TextSink& sink) : json_(sink) {}

  void Begin(std::vector<SqlResultColumn> columns) override {
    json_.BeginObject();
    json_.BeginArray("columns");
    for (const SqlResultColumn& column : columns) {
      json_.BeginObject();
      json_.Member("id", column.desc.id);
      json_.Member("label", column.desc.label);
      json_.Member("unit", std::string_view(UnitName(column.desc.unit)));
      json_.Member("type", std::string_view(TypeName(column.desc.type)));
      json_.EndObject();
    }
    json_.EndArray();
    json_.BeginArray("rows");
  }
  void Row(std::vector<Value> cells) override {
    json_.BeginArray();
    for (const Value& cell : cells) json_.Write(cell);
    json_.EndArray();
  }
  void Finish(uint64_t total_rows) override {
    json_.EndArray();
    json_.Member("total_rows", total_rows);
    json_.EndObject();
    json_.Finish();
  }

 private:
  JsonStream json_;
};

class CsvWriter final : public SqlWriter {
 public:
  explicit CsvWriter(const TextSink& sink) : out_(sink) {}

  void Begin(std::vector<SqlResultColumn> columns) override {
    for (size_t c = 0; c < columns.size(); ++c)
      out_ += (c > 0 ? "," : "") + CsvField(columns[c].desc.id);
    out_ += "\r\n";
  }
  void Row(std::vector<Value> cells) override {
    for (size_t c = 0; c < cells.size(); ++c)
      out_ += (c > 0 ? "," : "") + CsvField(RawValue(cells[c]));
    out_ += "\r\n";
  }
  void Finish(uint64_t) override { out_.Flush(); }

 private:
  TextBuffer out_;
};

}  // namespace

std::unique_ptr<SqlWriter> NewSqlJson(const TextSink& sink) {
  return std::make_unique<JsonWriter>(sink);
}

std::unique_ptr<SqlWriter> NewSqlCsv(const TextSink& sink) {
  return std::make_unique<CsvWriter>(sink);
}

void WriteSqlText(const ResultTable& table, uint64_t total_rows, bool wide, const TextSink& sink) {
  constexpr size_t kWidth = 100;
  WriteText(table, {0, wide ? size_t{0} : kWidth}, sink);
  if (total_rows > table.size())
    sink("The first " + GroupDigits(table.size()) + " of " + Counted(total_rows, "rows") +
         "; --rows says how many are shown.\n");
}

}  // namespace stepscope
