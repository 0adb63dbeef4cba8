#include "viewer/core/state/view_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <utility>

#include "model/base/check.h"
#include "model/base/digits.h"
#include "model/base/sort_runs.h"

namespace stepscope {

void HighlightedEvents::Set(std::vector<EventRef> events) {
  events_ = std::move(events);
  recorded_ = static_cast<size_t>(std::count_if(
      events_.begin(), events_.end(), [](const EventRef& event) { return event.set == 0; }));
  at_ = 0;
  ordered_ = false;
  ++version_;
}

void HighlightedEvents::Drop(const std::function<bool(const EventRef&)>& gone) {
  std::vector<EventRef> left;
  std::remove_copy_if(events_.begin(), events_.end(), std::back_inserter(left), gone);
  if (left.size() < events_.size()) Set(std::move(left));
}

EventRef HighlightedEvents::Earliest(const StartOf& start) const {
  STEPSCOPE_DCHECK(!events_.empty());
  EventRef earliest = events_.front();
  Ps least = start(earliest);
  for (const EventRef& event : events_) {
    const Ps begin = start(event);
    if (begin < least) least = begin, earliest = event;
  }
  return earliest;
}

EventRef HighlightedEvents::Step(int direction, const StartOf& start) {
  STEPSCOPE_DCHECK(!events_.empty());
  if (!ordered_) {
    std::vector<std::pair<Ps, EventRef>> keyed;
    keyed.reserve(events_.size());
    for (const EventRef& event : events_) keyed.emplace_back(start(event), event);
    // A run for each lane.
    SortRuns(keyed.begin(), keyed.end(),
             [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < keyed.size(); ++i) events_[i] = keyed[i].second;
    ordered_ = true;
  }
  at_ = (at_ + (direction < 0 ? events_.size() - 1 : 1)) % events_.size();
  return events_[at_];
}

namespace {

// t * by / of, for positive factors, rounded half away from 0. The product passes 64 bits.
Ps Scale(Ps t, int64_t by, int64_t of) {
  if (by == of) return t;
  __extension__ using Wide = __int128;
  const Wide product = static_cast<Wide>(t) * by, half = of / 2;
  const Wide scaled = (product < 0 ? product - half : product + half) / of;
  return static_cast<Ps>(std::clamp(scaled, static_cast<Wide>(kMinPs), static_cast<Wide>(kMaxPs)));
}

TimeRange NotEmpty(Ps begin, Ps end) { return {begin, std::max(end, SaturatingAdd(begin, 1))}; }

}  // namespace

Ps TimeMap::ToShared(Ps t) const { return SaturatingAdd(Scale(t, shared, of_own), offset); }

Ps TimeMap::ToTrace(Ps t) const { return Scale(SaturatingSub(t, offset), of_own, shared); }

TimeRange TimeMap::ToShared(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToShared(range.begin), ToShared(range.end));
}

TimeRange TimeMap::ToTrace(TimeRange range) const {
  return range.empty() ? TimeRange{} : NotEmpty(ToTrace(range.begin), ToTrace(range.end));
}

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
