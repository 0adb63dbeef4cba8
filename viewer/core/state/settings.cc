#include "viewer/core/state/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <type_traits>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/check.h"
#include "model/base/number_hash.h"

namespace stepscope {
namespace {

constexpr size_t kMostNames = 50'000;
constexpr size_t kAlike = 20;  // hashes of 32: different programs share the names of frameworks
constexpr size_t kDigits = 8;

uint64_t HashWithoutDigits(std::string_view name) {
  Fnv fnv;
  for (const char c : name) {
    if (!IsDigit(c)) fnv.Add(static_cast<unsigned char>(c));
  }
  return fnv.value();
}

// The finalizer of splitmix64: its values for different seeds are independent enough.
uint32_t Mixed(uint64_t h, uint64_t seed) {
  h += seed * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 27) * 0x94d049bb133111ebull;
  return static_cast<uint32_t>(h >> 32);
}

auto Mutes(std::string_view rule, const ProgramId& program) {
  return [rule, &program](const MutedRules::InProgram& muted) {
    return muted.rule == rule && SameProgram(muted.program, program);
  };
}

}  // namespace

ProgramId ProgramOf(const NameTable& names) {
  ProgramId id;
  id.fill(~uint32_t{0});
  for (uint32_t m = 0; m < std::min(names.metas.size(), kMostNames); ++m) {
    const uint64_t hash = HashWithoutDigits(names.Name(MetaId(m)));
    for (size_t i = 0; i < id.size(); ++i) id[i] = std::min(id[i], Mixed(hash, i + 1));
  }
  return id;
}

bool SameProgram(const ProgramId& a, const ProgramId& b) {
  size_t alike = 0;
  for (size_t i = 0; i < a.size(); ++i) alike += a[i] == b[i] ? 1 : 0;
  return alike >= kAlike;
}

std::string ToText(const ProgramId& id) {
  std::string text;
  for (const uint32_t part : id) text += fmt::format("{:08x}", part);
  return text;
}

std::optional<ProgramId> ParseProgramId(std::string_view text) {
  ProgramId id{};
  if (text.size() != id.size() * kDigits) return std::nullopt;
  for (uint32_t& part : id) {
    const auto read = std::from_chars(text.data(), text.data() + kDigits, part, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + kDigits) return std::nullopt;
    text.remove_prefix(kDigits);
  }
  return id;
}

bool MutedRules::IsMutedIn(std::string_view rule, const ProgramId& program) const {
  return std::any_of(in_programs.begin(), in_programs.end(), Mutes(rule, program));
}

void MutedRules::MuteIn(std::string_view rule, const ProgramId& program) {
  if (IsMutedIn(rule, program)) return;
  in_programs.push_back({std::string(rule), program});
  if (in_programs.size() > kMost) in_programs.erase(in_programs.begin());
}

void MutedRules::Unmute(std::string_view rule, const ProgramId& program) {
  if (const auto at = everywhere.find(rule); at != everywhere.end()) everywhere.erase(at);
  std::erase_if(in_programs, Mutes(rule, program));
}

namespace {

using S = Settings;

constexpr SettingDesc kSettings[] = {
    {"theme", "Theme",
     "Chooses the colours of the window; system is light or dark as the desktop is.", "Appearance",
     &S::theme},
    {"scale", "Scale", "Scales text and graphics, on top of the monitor's own scale.", "Appearance",
     &S::scale, S::kLeastScale, S::kMostScale},
    {"timeline.animate", "Animate", "Moves smoothly when zooming and jumping, instead of at once.",
     "Timeline", &S::animate},
    {"timeline.glide_ms", "Animation time, ms", "Sets how long a movement takes, in milliseconds.",
     "Timeline", &S::glide_ms, 50, 600},
    {"timeline.wheel_zooms", "Wheel zooms",
     "Lets the wheel zoom and Ctrl with the wheel scroll, instead of the reverse.", "Timeline",
     &S::wheel_zooms},
    {"timeline.label_width", "Width of track names, em",
     "Sets how wide track names are, in multiples of the font size.", "Timeline", &S::label_width,
     8, 60},
    {"timeline.flow_arrows", "Arrows of the selection",
     "Draws arrows between the selected event and those that it leads to or comes from.",
     "Timeline", &S::flow_arrows},
    {"timeline.python_frames", "Python frames",
     "Shows the frames of Python stacks among the ops of a thread.", "Timeline", &S::python_frames},
    {"timeline.derived_lanes", "Idle time and utilisation",
     "Shows below each device why it is idle and how busy it is.", "Timeline", &S::derived_lanes},
    {"timeline.waiting_lanes", "Queue, launch delay, memory",
     "Shows below each device how many launches wait, for how long, and the memory in use.",
     "Timeline", &S::waiting_lanes},
    {"timeline.compare_colors", "Colours of changes",
     "While two profiles are compared, colours events by how much more or less time those of their "
     "name take in a step.",
     "Timeline", &S::compare_colors},
    {"timeline.run_layout", "Several profiles",
     "Puts the tracks of several open profiles into one list, or draws the profiles above or "
     "beside "
     "each other.",
     "Timeline", &S::profile_layout},
    {"timeline.track_sort", "Order of tracks",
     "Orders the tracks that were not moved: as they are recorded, by name, by busy time, or by "
     "number of events.",
     "Timeline", &S::track_sort},
    {"timeline.row_height", "Row height, px",
     "Sets how high the row of an event is, in pixels at scale 1.", "Timeline", &S::row_height, 12,
     40},
    {"definitions", "Definitions",
     "Chooses whose rules every number follows: Stepscope's own, or those of XProf 2.24.2.",
     "Analyses", &S::definitions},
    {"peaks", "Peaks of devices",
     "States what devices can do at most, in TFLOP/s by type and GB/s: MY GPU: fp16=989 fp32=67 "
     "memory=3350; another device comes after a semicolon.",
     "Analyses", &S::peaks},
    {"timeline.tracks", "Arrangement of tracks",
     "Keeps how tracks are arranged, by their names: folded, unfolded, hidden, pinned, order, "
     "rows, "
     "names, colors, filter.",
     "", &S::tracks},
    {"keys.preset", "Keys like",
     "Takes the keys of another viewer where they differ from Stepscope's.", "Keys",
     &S::key_preset},
    {"keys.custom", "Custom keys",
     "Sets keys, as pairs of command and keys: mark.add=B; view.zoom_in=W | =. Another command "
     "that has a key loses it.",
     "Keys", &S::custom_keys},
    {"findings.muted", "Muted findings",
     "Hides the findings of these rules, in all profiles or in those of one program.", "",
     &S::muted},
    {"query.history", "History of queries", "Keeps the queries that were run, the last one first.",
     "", &S::queries},
    {"capture.addresses", "Recorded programs",
     "Keeps the addresses of programs that were recorded, the last one first.", "",
     &S::capture_addresses},
    {"capture.duration_ms", "Duration of a recording, ms", "Sets how long a program is recorded.",
     "", &S::capture_duration_ms, 1, 3.6e6},
    {"capture.delay_ms", "Delay of a recording, ms",
     "Sets how long to wait before a recording begins.", "", &S::capture_delay_ms, 0, 3.6e6},
    {"capture.host_level", "Host events", "Sets which events of the host are recorded, 0 to 3.", "",
     &S::capture_host_level, 0, 3},
    {"capture.device_level", "Device events", "Sets whether events of devices are recorded.", "",
     &S::capture_device_level, 0, 1},
    {"capture.python_level", "Python calls", "Sets whether calls of Python functions are recorded.",
     "", &S::capture_python_level, 0, 1},
    {"capture.folder", "Folder of recordings", "Says which log directory gets recordings.", "",
     &S::capture_folder},
    {"layout.windows", "Panels as windows",
     "Lets floating panels leave the window as windows of the system, onto another monitor too, "
     "where the platform can.",
     "Appearance", &S::panel_windows},
    {"layout.version", "Layout version", "Says which version of the panels' layout is stored.", "",
     &S::layout_version, 0, 1e6},
    {"layout.panels", "Share of panels",
     "Keeps the share of the height that panels have, as it was last fitted to the content.", "",
     &S::panel_share, 0, 1},
    {"dialog.folder", "Last folder", "Says where the open dialog starts.", "", &S::open_folder},
    {"dialog.export_folder", "Last export", "Says where the export dialog starts.", "",
     &S::export_folder},
    {"dialog.hidden", "Show hidden files", "Lists hidden files in the open dialog.", "",
     &S::hidden_files},
};

// The texts of each choice, by its values.
constexpr const char* kThemes[] = {"system", "dark", "light", "colour-blind", "high contrast"};
constexpr const char* kLayouts[] = {"one list", "above and below", "left and right"};
constexpr const char* kTrackSorts[] = {"as recorded", "name", "busy time", "events"};
constexpr const char* kKeyPresets[] = {"Stepscope", "Perfetto", "XProf", "Tracy", "Nsight"};
constexpr const char* kDefinitions[] = {"Stepscope", "XProf"};

using Texts = std::span<const char* const>;
Texts TextsOf(ThemeChoice) { return kThemes; }
Texts TextsOf(ProfileLayout) { return kLayouts; }
Texts TextsOf(TrackSort) { return kTrackSorts; }
Texts TextsOf(KeyPreset) { return kKeyPresets; }
Texts TextsOf(Definitions) { return kDefinitions; }

template <typename Member>
using ValueOf =
    std::remove_reference_t<decltype(std::declval<Settings&>().*std::declval<Member>())>;

}  // namespace

ProfileLayout LayoutOfProfiles(const Settings& settings, size_t profiles) {
  const bool several = profiles >= 2 && profiles <= kMostSplitViews;
  return several ? settings.profile_layout : ProfileLayout::kList;
}

void PutFirst(std::string text, size_t most, std::vector<std::string>* texts) {
  std::erase(*texts, text);
  texts->insert(texts->begin(), std::move(text));
  if (texts->size() > most) texts->resize(most);
}

std::span<const SettingDesc> SettingRows() { return kSettings; }

const SettingDesc* FindSetting(std::string_view key) {
  const auto row = std::find_if(std::begin(kSettings), std::end(kSettings),
                                [key](const SettingDesc& s) { return key == s.key; });
  return row == std::end(kSettings) ? nullptr : row;
}

const SettingDesc& SettingDescOf(const SettingMember& member) {
  const auto* row = std::find_if(std::begin(kSettings), std::end(kSettings),
                                 [&](const SettingDesc& s) { return member == s.member; });
  STEPSCOPE_DCHECK(row != std::end(kSettings));  // a member without a row
  return *row;
}

std::span<const char* const> ChoiceTexts(const SettingMember& member) {
  return std::visit(
      [](auto m) -> Texts {
        if constexpr (std::is_enum_v<ValueOf<decltype(m)>>) return TextsOf(ValueOf<decltype(m)>());
        return {};
      },
      member);
}

std::string JoinedChoices(const SettingMember& member) {
  std::string joined;
  for (const char* text : ChoiceTexts(member))
    joined += (joined.empty() ? "" : "|") + std::string(text);
  return joined;
}

size_t ChoiceIndex(const Settings& settings, const SettingMember& member) {
  return std::visit(
      [&](auto m) -> size_t {
        if constexpr (std::is_enum_v<ValueOf<decltype(m)>>) return static_cast<size_t>(settings.*m);
        return 0;
      },
      member);
}

}  // namespace stepscope
