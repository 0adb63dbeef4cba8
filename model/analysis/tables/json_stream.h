// JsonStream: writes JSON piece by piece, so that a table of millions of rows is never in memory as
// JSON. Numbers are not rounded; NaN and infinities become null; bytes of names that are not UTF-8
// become replacement characters. Used by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/base/text_sink.h"

namespace stepscope {

// Callers keep the order: every Begin has its End, each value in an object follows its Key,
// and one value at the top is ended by Finish(). Each member stands on a line of its own,
// indented by one space a level.
class JsonStream {
 public:
  explicit JsonStream(TextSink sink) : sink_(std::move(sink)), out_(sink_) {}

  void BeginObject() { Begin('{'); }
  // With a key: as a member.
  void BeginObject(std::string_view key) { Key(key), Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void BeginArray(std::string_view key) { Key(key), Begin('['); }
  void EndArray() { End(']'); }
  void Key(std::string_view key);

  void Text(std::string_view text);
  void Int(int64_t value);
  void Uint(uint64_t value);
  void Real(double value);
  void Bool(bool value);
  void Null();
  void Write(const Cell& value);
  void Write(const Value& value) { Write(ViewOf(value)); }
  // Writes a key and its value.
  void Member(std::string_view key, std::string_view text) { Key(key), Text(text); }
  void Member(std::string_view key, uint64_t value) { Key(key), Uint(value); }
  void Member(std::string_view key, int64_t value) { Key(key), Int(value); }
  void Member(std::string_view key, double value) { Key(key), Real(value); }

  // Ends the text with a newline and passes what is left to the sink.
  void Finish();

 private:
  void Begin(char bracket);
  void End(char bracket);
  void BeforeValue();
  void NewLine();
  void Quoted(std::string_view text);

  const TextSink sink_;
  TextBuffer out_;
  std::vector<bool> filled_;  // by open bracket: whether it has members
  bool after_key_ = false;
};

// Columns whose cells the caller writes, for lists: Value has no lists.
struct ListColumns {
  std::vector<int> columns;  // indices in the table; -1: no such column
  // Writes one value.
  std::function<void(size_t row, size_t column, JsonStream* json)> write;
};

// Writes {"columns": [{"id", "label", "unit", "type"}], "rows": [{column id: value}]}. O(cells).
void WriteTable(const ResultTable& table, JsonStream* json, const ListColumns& lists = {});
// The same as one text.
std::string TableJson(const ResultTable& table);

}  // namespace stepscope
