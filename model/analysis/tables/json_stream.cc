#include "model/analysis/tables/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "model/analysis/tables/unit_names.h"

namespace stepscope {
namespace {

using Json = nlohmann::json;

// Whether the text can be written as it is: ASCII without anything to escape.
bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; });
}

}  // namespace

void JsonStream::NewLine() {
  out_ += '\n';
  for (size_t i = 0; i < filled_.size(); ++i) out_ += ' ';
}

void JsonStream::BeforeValue() {
  if (after_key_ || filled_.empty()) {
    after_key_ = false;
    return;
  }
  if (filled_.back()) out_ += ',';
  filled_.back() = true;
  NewLine();
}

void JsonStream::Key(std::string_view key) {
  BeforeValue();
  Quoted(key);
  out_ += ": ";
  after_key_ = true;
}

void JsonStream::Begin(char bracket) {
  BeforeValue();
  out_ += bracket;
  filled_.push_back(false);
}

void JsonStream::End(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) NewLine();
  out_ += bracket;
}

void JsonStream::Quoted(std::string_view text) {
  if (!IsPlain(text)) {
    out_ += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  out_ += '"';
  out_ += text;
  out_ += '"';
}

void JsonStream::Text(std::string_view text) {
  BeforeValue();
  Quoted(text);
}

void JsonStream::Int(int64_t value) {
  BeforeValue();
  out_ += fmt::format_int(value).c_str();
}

void JsonStream::Uint(uint64_t value) {
  BeforeValue();
  out_ += fmt::format_int(value).c_str();
}

void JsonStream::Real(double value) {
  BeforeValue();
  out_ += std::isfinite(value) ? Json(value).dump() : std::string("null");
}

void JsonStream::Bool(bool value) {
  BeforeValue();
  out_ += value ? "true" : "false";
}

void JsonStream::Null() {
  BeforeValue();
  out_ += "null";
}

void JsonStream::Write(const Cell& value) {
  if (const auto* s = std::get_if<std::string_view>(&value)) return Text(*s);
  if (const auto* i = std::get_if<int64_t>(&value)) return Int(*i);
  if (const auto* d = std::get_if<double>(&value)) return Real(*d);
  if (const auto* b = std::get_if<bool>(&value)) return Bool(*b);
  Null();
}

void JsonStream::Finish() {
  out_ += '\n';
  out_.Flush();
}

void WriteTable(const ResultTable& table, JsonStream* json, const ListColumns& lists) {
  json->BeginObject();
  json->Key("columns");
  json->BeginArray();
  const auto is_list = [&](size_t c) {
    return std::find(lists.columns.begin(), lists.columns.end(), static_cast<int>(c)) !=
           lists.columns.end();
  };
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const ColumnDesc& c = table.columns[i];
    json->BeginObject();
    json->Member("id", c.id);
    json->Member("label", c.label);
    json->Member("unit", is_list(i) ? "" : UnitName(c.unit));
    json->Member("type", is_list(i) ? "array" : TypeName(c.type));
    json->EndObject();
  }
  json->EndArray();
  json->Key("rows");
  json->BeginArray();
  for (size_t r = 0; r < table.size(); ++r) {
    json->BeginObject();
    for (size_t c = 0; c < table.columns.size(); ++c) {
      json->Key(table.columns[c].id);
      if (is_list(c)) {
        lists.write(r, c, json);
      } else {
        json->Write(table.At(r, c));
      }
    }
    json->EndObject();
  }
  json->EndArray();
  json->EndObject();
}

std::string TableJson(const ResultTable& table) {
  return Collected([&table](const TextSink& sink) {
    JsonStream json(sink);
    WriteTable(table, &json);
    json.Finish();
  });
}

}  // namespace stepscope
