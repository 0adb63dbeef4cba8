#include "viewer/core/state/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace stepscope {
namespace {

using T = SettingType;

constexpr SettingDesc kSettings[] = {
    {"theme", "Theme",
     "Chooses the colours of the window; system is light or dark as the desktop is.", "Appearance",
     T::kChoice, "system", 0, 0, "system|dark|light|colour-blind|high contrast"},
    {"scale", "Scale", "Scales text and graphics, on top of the monitor's own scale.", "Appearance",
     T::kReal, "1", 0.6, 3, ""},
    {"timeline.animate", "Animate", "Moves smoothly when zooming and jumping, instead of at once.",
     "Timeline", T::kBool, "true", 0, 0, ""},
    {"timeline.glide_ms", "Animation time, ms", "Sets how long a movement takes, in milliseconds.",
     "Timeline", T::kInt, "180", 50, 600, ""},
    {"timeline.wheel_zooms", "Wheel zooms",
     "Lets the wheel zoom and Ctrl with the wheel scroll, instead of the reverse.", "Timeline",
     T::kBool, "false", 0, 0, ""},
    {"timeline.label_width", "Width of track names, em",
     "Sets how wide track names are, in multiples of the font size.", "Timeline", T::kReal, "17", 8,
     60, ""},
    {"timeline.flow_arrows", "Arrows of the selection",
     "Draws arrows between the selected event and those that it leads to or comes from.",
     "Timeline", T::kBool, "true", 0, 0, ""},
    {"timeline.python_frames", "Python frames",
     "Shows the frames of Python stacks among the ops of a thread.", "Timeline", T::kBool, "true",
     0, 0, ""},
    {"timeline.derived_lanes", "Idle time and utilisation",
     "Shows below each device why it is idle and how busy it is.", "Timeline", T::kBool, "true", 0,
     0, ""},
    {"timeline.waiting_lanes", "Queue, launch delay, memory",
     "Shows below each device how many launches wait, for how long, and the memory in use.",
     "Timeline", T::kBool, "false", 0, 0, ""},
    {"timeline.compare_colors", "Colours of changes",
     "While two profiles are compared, colours events by how much more or less time those of their "
     "name take in a step.",
     "Timeline", T::kBool, "true", 0, 0, ""},
    {"timeline.run_layout", "Several profiles",
     "Puts the tracks of several open profiles into one list, or draws the profiles above or "
     "beside "
     "each other.",
     "Timeline", T::kChoice, "one list", 0, 0, "one list|above and below|left and right"},
    {"timeline.track_sort", "Order of tracks",
     "Orders the tracks that were not moved: as they are recorded, by name, by busy time, or by "
     "number of events.",
     "Timeline", T::kChoice, "as recorded", 0, 0, "as recorded|name|busy time|events"},
    {"timeline.row_height", "Row height, px",
     "Sets how high the row of an event is, in pixels at scale 1.", "Timeline", T::kInt, "18", 12,
     40, ""},
    {"definitions", "Definitions",
     "Chooses whose rules every number follows: Stepscope's own, or those of XProf 2.24.2.",
     "Analyses", T::kChoice, "Stepscope", 0, 0, "Stepscope|XProf"},
    {"peaks", "Peaks of devices",
     "States what devices can do at most, in TFLOP/s by type and GB/s: MY GPU: fp16=989 fp32=67 "
     "memory=3350; another device comes after a semicolon.",
     "Analyses", T::kText, "", 0, 0, ""},
    {"timeline.tracks", "Arrangement of tracks",
     "Keeps how tracks are arranged, by their names: fold, unfold, hide, pin, order, rows, name, "
     "color, filter; separated by semicolons.",
     "", T::kText, "", 0, 0, ""},
    {"keys.preset", "Keys like",
     "Takes the keys of another viewer where they differ from Stepscope's.", "Keys", T::kChoice,
     "Stepscope", 0, 0, "Stepscope|Perfetto|XProf|Tracy|Nsight"},
    {"keys.custom", "Custom keys",
     "Sets keys, as pairs of command and keys: mark.add=B; view.zoom_in=W | =. Another command "
     "that has a key loses it.",
     "Keys", T::kText, "", 0, 0, ""},
    {"findings.muted", "Muted findings",
     "Hides the findings of these rules: their ids, with blanks between.", "", T::kText, "", 0, 0,
     ""},
    {"findings.muted_in_programs", "Findings muted in programs",
     "Hides findings in one program: pairs of rule and program, with blanks between.", "", T::kText,
     "", 0, 0, ""},
    {"query.history", "History of queries",
     "Keeps the queries that were run, the last one first; each ends with a backslash and a "
     "semicolon.",
     "", T::kText, "", 0, 0, ""},
    {"capture.addresses", "Recorded programs",
     "Keeps the addresses of programs that were recorded, the last one first, with semicolons "
     "between.",
     "", T::kText, "", 0, 0, ""},
    {"capture.duration_ms", "Duration of a recording, ms", "Sets how long a program is recorded.",
     "", T::kInt, "2000", 1, 3.6e6, ""},
    {"capture.delay_ms", "Delay of a recording, ms",
     "Sets how long to wait before a recording begins.", "", T::kInt, "0", 0, 3.6e6, ""},
    {"capture.host_level", "Host events", "Sets which events of the host are recorded, 0 to 3.", "",
     T::kInt, "2", 0, 3, ""},
    {"capture.device_level", "Device events", "Sets whether events of devices are recorded.", "",
     T::kInt, "1", 0, 1, ""},
    {"capture.python_level", "Python calls", "Sets whether calls of Python functions are recorded.",
     "", T::kInt, "0", 0, 1, ""},
    {"capture.folder", "Folder of recordings", "Says which log directory gets recordings.", "",
     T::kText, "", 0, 0, ""},
    {"layout.windows", "Panels as windows",
     "Lets floating panels leave the window as windows of the system, onto another monitor too, "
     "where the platform can.",
     "Appearance", T::kBool, "true", 0, 0, ""},
    {"layout.version", "Layout version", "Says which version of the panels' layout is stored.", "",
     T::kInt, "0", 0, 1e6, ""},
    {"layout.panels", "Share of panels",
     "Keeps the share of the height that panels have, as it was last fitted to the content.", "",
     T::kReal, "0.4", 0, 1, ""},
    {"dialog.folder", "Last folder", "Says where the open dialog starts.", "", T::kText, "", 0, 0,
     ""},
    {"dialog.export_folder", "Last export", "Says where the export dialog starts.", "", T::kText,
     "", 0, 0, ""},
    {"dialog.hidden", "Show hidden files", "Lists hidden files in the open dialog.", "", T::kBool,
     "false", 0, 0, ""},
};

std::string_view Trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r'))
    s.remove_suffix(1);
  return s;
}

bool ParseReal(std::string_view text, double* out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && *out == *out;
}

bool IsChoice(std::string_view choices, std::string_view value) {
  while (!choices.empty()) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
  return false;
}

// Turns the value into the form that is stored; false if the row cannot have it.
bool Normalise(const SettingDesc& row, std::string_view value, std::string* out) {
  double number = 0;
  switch (row.type) {
    case T::kBool:
      if (value != "true" && value != "false") return false;
      *out = std::string(value);
      return true;
    case T::kInt:
    case T::kReal: {
      if (!ParseReal(value, &number)) return false;
      number = std::clamp(number, row.min, row.max);
      *out = row.type == T::kInt ? fmt::format("{:.0f}", number) : fmt::format("{:.6g}", number);
      return true;
    }
    case T::kChoice:
      if (!IsChoice(row.choices, value)) return false;
      *out = std::string(value);
      return true;
    case T::kText:
      *out = std::string(value.substr(0, value.find_first_of("\r\n")));
      return true;
  }
  return false;
}

}  // namespace

std::span<const SettingDesc> SettingRows() { return kSettings; }

const SettingDesc* FindSetting(std::string_view key) {
  for (const SettingDesc& row : kSettings) {
    if (key == row.key) return &row;
  }
  return nullptr;
}

Settings::Settings() {
  for (const SettingDesc& row : kSettings) values_[row.key] = row.standard;
}

void Settings::Load(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const size_t equals = line.find('=');
    if (line.empty() || line[0] == '#' || equals == std::string_view::npos) continue;
    const std::string_view key = Trim(line.substr(0, equals));
    const std::string_view value = Trim(line.substr(equals + 1));
    if (key.empty()) continue;
    if (FindSetting(key) != nullptr) {
      Set(key, value);
    } else {
      unknown_[std::string(key)] = std::string(value);
    }
  }
}

std::string Settings::Text() const {
  std::map<std::string_view, std::string_view> lines;
  for (const auto& [key, value] : unknown_) lines[key] = value;
  for (const SettingDesc& row : kSettings) {
    const std::string& value = Get(row.key);
    if (value != row.standard) lines[row.key] = value;
  }
  std::string out;
  for (const auto& [key, value] : lines) {
    out.append(key).append(" = ").append(value).append("\n");
  }
  return out;
}

const std::string& Settings::Get(std::string_view key) const {
  const auto found = values_.find(key);
  return found != values_.end() ? found->second : values_.begin()->second;
}

double Settings::Real(std::string_view key) const {
  double out = 0;
  return ParseReal(Get(key), &out) ? out : 0;
}

bool Settings::Set(std::string_view key, std::string_view value) {
  const SettingDesc* row = FindSetting(key);
  std::string stored;
  if (row == nullptr || !Normalise(*row, value, &stored)) return false;
  std::string& slot = values_.find(key)->second;
  if (slot != stored) {
    slot = std::move(stored);
    ++generation_;
  }
  return true;
}

}  // namespace stepscope
