#include "app/report/event_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace stepscope {
namespace {

using Json = nlohmann::json;

void DropRepeated(std::vector<Stat>* args) {
  std::vector<size_t> order(args->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return (*args)[a].name < (*args)[b].name; });
  std::vector<bool> drop(args->size());
  bool any = false;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    if ((*args)[order[i]].name == (*args)[order[i + 1]].name) any = drop[order[i]] = true;
  }
  if (!any) return;
  std::vector<Stat> kept;
  for (size_t i = 0; i < args->size(); ++i) {
    if (!drop[i]) kept.push_back(std::move((*args)[i]));
  }
  *args = std::move(kept);
}

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

Result<std::vector<Stat>> ReadArgs(const Trace& trace, EventRow row) {
  if (!trace.source) return std::vector<Stat>();
  Result<std::vector<Stat>> args = trace.source->Decode(trace, row);
  if (args.ok()) DropRepeated(&args.value());
  return args;
}

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
