// Settings: what the user chose and the program keeps from one start to the next. Code reads the
// members. Files, the settings page, the palette and the command "app.set" go by the table of rows.
// A new setting is a member here and a row in settings.cc. Plain data; UI thread only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/track.h"
#include "viewer/core/state/track_rules.h"

namespace stepscope {

// MutedRules: the rules whose findings the user has hidden, in all profiles or in the profiles of
// one program. Plain data, one of the settings. Pure; any thread.

// Tells whether two profiles come from the same program, by the names of their events without
// digits, most of which stay the same from profile to profile. It is a MinHash sketch of the set of
// names: the least value of each of 32 hash functions, so that a setting can hold it.
using ProgramId = std::array<uint32_t, 32>;

// The sketch of the first 50,000 names. O(length of the names)
ProgramId ProgramOf(const NameTable& names);
// True if about 60 % or more of all their names are common to both. An estimate: one pair in 300
// with 80 % in common is taken for two programs, and one pair in 30 with 45 % for the same one.
bool SameProgram(const ProgramId& a, const ProgramId& b);

std::string ToText(const ProgramId& id);  // 256 hexadecimal digits
std::optional<ProgramId> ParseProgramId(std::string_view text);

struct MutedRules {
  static constexpr size_t kMost = 200;  // of in_programs; MuteIn removes the oldest
  struct InProgram {
    std::string rule;
    ProgramId program{};
    bool operator==(const InProgram&) const = default;
  };

  std::set<std::string, std::less<>> everywhere;
  std::vector<InProgram> in_programs;  // the oldest first
  bool operator==(const MutedRules&) const = default;

  bool IsMutedIn(std::string_view rule, const ProgramId& program) const;
  void MuteIn(std::string_view rule, const ProgramId& program);
  // Shows the rule's findings in this program again. A rule that was muted everywhere is shown
  // everywhere again.
  void Unmute(std::string_view rule, const ProgramId& program);
};

enum class ThemeChoice : uint8_t { kSystem, kDark, kLight, kColorBlind, kHighContrast };
// Where the tracks of several open profiles lie: in one list that scrolls as a whole, or in rows of
// their own, above or beside each other.
enum class ProfileLayout : uint8_t { kList, kAbove, kBeside };
enum class TrackSort : uint8_t { kRecorded, kName, kBusy, kEvents };
enum class KeyPreset : uint8_t { kStepscope, kPerfetto, kXprof, kTracy, kNsight };

// The keys that the user chose for a command or a panel.
struct KeyRule {
  std::string id;    // of the command; of a panel: "panel.memory"
  std::string keys;  // "W | ="; empty: no key
  bool operator==(const KeyRule&) const = default;
};

// The settings that ViewHistory brings back with a view.
struct TrackArrangement {
  TrackRules tracks;
  TrackSort track_sort = TrackSort::kRecorded;
  bool python_frames = true, derived_lanes = true, waiting_lanes = false;
  ProfileLayout profile_layout = ProfileLayout::kList;
  bool operator==(const TrackArrangement&) const = default;
};

struct Settings : TrackArrangement {
  static constexpr double kLeastScale = 0.6, kMostScale = 3;
  static constexpr size_t kMostQueries = 50, kMostAddresses = 10;

  ThemeChoice theme = ThemeChoice::kSystem;
  double scale = 1;  // on top of the monitor's own
  bool panel_windows = true;
  bool animate = true;
  int glide_ms = 180;
  bool wheel_zooms = false;
  double label_width = 17;  // multiples of the font size
  bool flow_arrows = true, compare_colors = true;
  int row_height = 18;  // pixels at scale 1
  Definitions definitions = Definitions::kStepscope;
  std::string peaks = {};  // as ParseOwnPeaks reads them
  KeyPreset key_preset = KeyPreset::kStepscope;
  std::vector<KeyRule> custom_keys = {};  // a later rule takes its keys from those before it
  MutedRules muted = {};
  std::vector<std::string> queries = {};            // the last one first
  std::vector<std::string> capture_addresses = {};  // the last one first
  int capture_duration_ms = 2000, capture_delay_ms = 0;
  int capture_host_level = 2, capture_device_level = 1, capture_python_level = 0;
  std::string capture_folder = {};
  int layout_version = 0;
  double panel_share = 0.4;  // of the height, as it was last fitted to the content
  std::string open_folder = {}, export_folder = {};
  bool hidden_files = false;
  std::map<std::string, std::string> unknown = {};  // keys of a newer version, with their JSON
  bool operator==(const Settings&) const = default;
};

// The layout that the setting asks for; kList with fewer than 2 or more than kMostSplitViews
// profiles.
inline constexpr size_t kMostSplitViews = 4;  // with more profiles none would have room
ProfileLayout LayoutOfProfiles(const Settings& settings, size_t profiles);
// Puts a text in front of a list that has each text once. The last texts go if there are more than
// `most`.
void PutFirst(std::string text, size_t most, std::vector<std::string>* texts);

// The member that a row of the table stands for.
using SettingMember =
    std::variant<bool Settings::*, int Settings::*, double Settings::*, std::string Settings::*,
                 ThemeChoice Settings::*, ProfileLayout Settings::*, TrackSort Settings::*,
                 KeyPreset Settings::*, Definitions Settings::*, TrackRules Settings::*,
                 MutedRules Settings::*, std::vector<KeyRule> Settings::*,
                 std::vector<std::string> Settings::*>;

struct SettingDesc {
  const char* key;    // "timeline.animate"
  const char* label;  // "Animate"
  const char* what;   // one sentence
  const char* page;   // "Appearance"; empty: not on the settings page
  SettingMember member;
  double min = 0, max = 0;  // of numbers
};

std::span<const SettingDesc> SettingRows();
const SettingDesc* FindSetting(std::string_view key);  // null: there is none
const SettingDesc& SettingDescOf(const SettingMember& member);
// The texts of a choice, by its value: "system", "dark" …; empty: the setting is no choice.
std::span<const char* const> ChoiceTexts(const SettingMember& member);
// The texts of a choice with "|" between them.
std::string JoinedChoices(const SettingMember& member);
// The index of the value of a choice.
size_t ChoiceIndex(const Settings& settings, const SettingMember& member);

// The text of a value: "true", "1.5", "dark", "mark.add=B; view.zoom_in=W | ="; other lists as
// JSON.
std::string SettingText(const Settings& settings, const SettingMember& member);
// "mark.add=B; view.zoom_in=W | =", as users see and type it.
std::string KeyRulesText(const std::vector<KeyRule>& rules);
// Sets a value to what its text says, within the row's limits. Lists are also read in the form of
// version 0.2. False, and no change, if the text is no such value.
bool SetSetting(const SettingDesc& row, std::string_view text, Settings* settings);

// The file of settings: a JSON object of those that differ from their defaults, by key.
std::string SettingsJson(const Settings& settings);
// Reads such a file, or one of version 0.2: lines "key = value". Values that cannot be read keep
// their defaults.
Settings ParseSettings(std::string_view text);

}  // namespace stepscope
