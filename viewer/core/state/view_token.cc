#include "viewer/core/state/view_token.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr std::string_view kTokenVersion = "v1";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (IsPlain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* at = text.data() + i;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::from_chars(at + 1, at + 3, code, 16).ptr == at + 3;
    out += escape ? static_cast<char>(code) : text[i];
    if (escape) i += 2;
  }
  return out;
}

void AddRange(char key, TimeRange range, std::string* out) {
  if (!range.empty()) *out += fmt::format(":{}{}-{}", key, range.begin, range.end);
}

void AddText(char key, const std::string& text, std::string* out) {
  if (!text.empty()) *out += fmt::format(":{}{}", key, Escaped(text));
}

void ParseTimes(std::string_view text, TimeRange* out) {
  TimeRange range;
  if (ParsePair(text, '-', &range.begin, &range.end) && !range.empty()) *out = range;
}

void ParsePart(std::string_view part, ViewPlace* place) {
  const std::string_view value = part.substr(1);
  uint32_t set = 0, row = 0;
  int64_t pixels = 0;
  switch (part.front()) {
    case 'r':
      ParseTimes(value, &place->visible);
      break;
    case 'm':
      ParseTimes(value, &place->measured);
      break;
    case 'f':
      ParseTimes(value, &place->filter);
      break;
    case 'e':
      if (ParsePair(value, '.', &set, &row)) place->selected = {ProfileId(), set, EventRow(row)};
      break;
    case 'y':
      std::from_chars(value.data(), value.data() + value.size(), pixels);
      place->scroll_y = static_cast<double>(std::max<int64_t>(pixels, 0));
      break;
    case 'c':
      place->recorded_clocks = value == "0";
      break;
    case 'k':
      place->ranks = value == "1"   ? RankLayout::kRows
                     : value == "2" ? RankLayout::kLane
                                    : RankLayout::kApart;
      break;
    case 'h':
      place->host = Unescaped(value);
      break;
    case 'p':
      place->panel = Unescaped(value);
      break;
    default:
      break;
  }
}

}  // namespace

std::string ToToken(const ViewPlace& place) {
  std::string out(kTokenVersion);
  AddRange('r', place.visible, &out);
  AddRange('m', place.measured, &out);
  AddRange('f', place.filter, &out);
  if (place.selected.row.valid())
    out += fmt::format(":e{}.{}", place.selected.set, place.selected.row.value);
  if (place.scroll_y >= 1) out += fmt::format(":y{}", std::llround(place.scroll_y));
  if (place.recorded_clocks) out += ":c0";
  if (place.ranks != RankLayout::kApart) out += fmt::format(":k{}", static_cast<int>(place.ranks));
  AddText('h', place.host, &out);
  AddText('p', place.panel, &out);
  return out;
}

std::string TokenOf(const ViewState& view, const ProfileViewState& profile) {
  ViewPlace place;
  place.visible = view.VisibleIn(profile.profile);
  place.measured = view.MeasuredIn(profile.profile);
  place.filter = view.FilterIn(profile.profile);
  if (view.selected.valid() && view.selected.trace == profile.profile)
    place.selected = {ProfileId(), view.selected.set, view.selected.row};
  place.scroll_y = view.scroll_y;
  place.recorded_clocks = profile.recorded_clocks;
  place.ranks = profile.ranks;
  place.host = profile.host;
  place.panel = view.panel;
  return ToToken(place);
}

std::optional<ViewPlace> ParseViewToken(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  if (!text.starts_with(kTokenVersion)) return std::nullopt;
  text.remove_prefix(kTokenVersion.size());
  ViewPlace place;
  while (!text.empty()) {
    if (text.front() != ':') return std::nullopt;
    text.remove_prefix(1);
    const std::string_view part = text.substr(0, text.find(':'));
    if (!part.empty()) ParsePart(part, &place);
    text.remove_prefix(part.size());
  }
  return place;
}

}  // namespace stepscope
