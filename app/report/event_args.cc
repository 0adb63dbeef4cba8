#include "app/report/event_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stepscope {
namespace {

using Json = nlohmann::json;

void AppendValue(const Stat& stat, bool lists, std::string* out) {
  if (const auto* i = std::get_if<int64_t>(&stat.value)) {
    *out += fmt::format_int(*i).c_str();
  } else if (const auto* u = std::get_if<uint64_t>(&stat.value)) {
    *out += fmt::format_int(*u).c_str();
  } else if (const auto* d = std::get_if<double>(&stat.value)) {
    *out += std::isfinite(*d) ? Json(*d).dump() : "\"" + fmt::format("{}", *d) + "\"";
  } else {
    const std::string& text = std::get<std::string>(stat.value);
    if (lists && text.starts_with('[') && Json::accept(text)) {
      *out += text;
    } else {
      AppendQuoted(text, out);
    }
  }
}

}  // namespace

void AppendQuoted(std::string_view text, std::string* out) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    *out += '"';
    *out += text;
    *out += '"';
  } else {
    *out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

void AppendArgs(const std::vector<Stat>& args, bool lists, std::string* out) {
  *out += '{';
  for (const Stat& stat : args) {
    if (out->back() != '{') *out += ',';
    AppendQuoted(stat.name, out);
    *out += ':';
    AppendValue(stat, lists, out);
  }
  *out += '}';
}

}  // namespace stepscope
