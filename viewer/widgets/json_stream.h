// JsonStream: writes a JSON text as it is told it, piece by piece, so that a table of millions of
// rows is never in memory as JSON. Numbers unrounded; NaN and infinities are null; names need not
// be UTF-8: bytes that are not become replacement characters.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/base/text_sink.h"

namespace stepscope {

// Every Begin has its End; in an object each value has a Key before it. One value at the top, ended
// by Finish(). Members stand on lines of their own, indented by one space a level.
class JsonStream {
 public:
  explicit JsonStream(TextSink sink) : sink_(std::move(sink)), out_(sink_) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  void Key(std::string_view key);

  void Text(std::string_view text);
  void Int(int64_t value);
  void Uint(uint64_t value);
  void Real(double value);
  void Bool(bool value);
  void Null();
  void Write(const Value& value);
  // A member of an object.
  void Member(std::string_view key, std::string_view text) { Key(key), Text(text); }
  void Member(std::string_view key, uint64_t value) { Key(key), Uint(value); }

  // A line end, and everything to the sink.
  void Finish();

 private:
  void Begin(char bracket);
  void End(char bracket);
  void BeforeValue();
  void NewLine();
  void Quoted(std::string_view text);

  const TextSink sink_;
  TextBuffer out_;
  std::vector<bool> filled_;  // by level: has members
  bool after_key_ = false;
};

// A column whose cells are written otherwise than as they are: lists have no kind of cell.
struct ListColumn {
  int column = -1;                                          // of the table; -1: none
  std::function<void(size_t row, JsonStream* json)> write;  // one value
};

// {"columns": [{"id", "label", "unit", "type"}], "rows": [{column id: value}]}
void WriteTable(const ResultTable& table, JsonStream* json, const ListColumn& list = {});
std::string TableJson(const ResultTable& table);  // the same as a text of its own

}  // namespace stepscope
