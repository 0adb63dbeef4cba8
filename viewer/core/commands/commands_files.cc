// Commands that open, close and write files.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/commands/command_table.h"
#include "viewer/core/profiles/clock_aligner.h"

namespace stepscope::commands {
namespace {

void ShowDialog(C& c, DialogMode mode) {
  c.windows.file_dialog = true;
  c.windows.dialog_mode = mode;
}
// Saves the timeline at the given path. Without a path the user is asked for one; its ending says
// which format.
void ExportView(C& c, const A& a, const char* name) {
  if (!a.text.empty()) {
    Request(c, SaveTimeline{a.text, a.replace});
    return;
  }
  c.windows.save = {name, {}, {}, true};
  ShowDialog(c, DialogMode::kSave);
}

bool HasSample(const C& c) { return !c.session.sample_path.empty(); }
bool HasRecent(const C& c) { return !c.session.recent.empty(); }
bool Loading(const C& c) { return c.session.loading.has_value(); }

void OpenFile(C& c, const A& a) {
  if (!a.paths.empty()) {
    c.services.Open(a.paths, false);
  } else if (!a.text.empty()) {
    c.services.Open({a.text}, false);
  } else {
    ShowDialog(c, DialogMode::kFiles);
  }
}
// Opens the profile, and shows the range of it when it is there. A fleet stays open beside the
// profiles of its ranks.
void OpenAt(C& c, const A& a) {
  if (a.text.empty()) return;
  bool fleet = false;
  for (const Profile& profile : c.profiles) {
    fleet = fleet || FleetOf(*profile.trace) != nullptr;
    if (profile.trace->path != a.text) continue;
    c.view.active = profile.id;
    c.SetVisible(a.range, profile.id);
    return;
  }
  c.windows.open_place = {a.text, a.range};
  c.services.Open({a.text}, fleet);
}
void OpenFolder(C& c, const A&) { ShowDialog(c, DialogMode::kFolders); }
void OpenSample(C& c, const A&) { c.services.Open({c.session.sample_path}, false); }
void CompareWith(C& c, const A& a) {
  std::vector<std::string> paths = a.paths;
  if (paths.empty() && !a.text.empty()) paths = {a.text};
  if (paths.empty()) {
    ShowDialog(c, DialogMode::kCompare);
  } else {
    c.services.Open(paths, true);
  }
}

void CloseProfile(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.services.CloseProfile(profile->id);
}
bool IsCut(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->cut && !c.session.loading;
}
void LoadRest(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.services.LoadRest(profile->id);
}
void ClearRecent(C& c, const A&) { c.services.ClearRecent(); }
void AnswerQuestion(C& c, const A& a) {
  OpenAnswer answer = OpenAnswer::kCancel;
  if (a.text == "compare") answer = OpenAnswer::kCompare;
  if (a.text == "merge") answer = OpenAnswer::kMerge;
  if (a.text == "instead") answer = OpenAnswer::kInstead;
  c.services.Answer(answer);
}
void CancelLoading(C& c, const A&) { c.services.CancelLoading(); }
void Export(C& c, const A& a) {
  c.windows.save = {a.text, a.contents, {}, false};
  ShowDialog(c, DialogMode::kSave);
}
void ExportPicture(C& c, const A& a) {
  const std::optional<PictureRequest> picture = ParsePicture(a.text);
  if (!picture) return;
  c.windows.save = {picture->name, {}, picture, false};
  ShowDialog(c, DialogMode::kSave);
}
void ExportPng(C& c, const A& a) { ExportView(c, a, "timeline.png"); }
void ExportSvg(C& c, const A& a) { ExportView(c, a, "timeline.svg"); }
// Saves the profile, or a part of it, at the given path. Without a path the user is asked for one.
void Save(C& c, const A& a, TimeRange range) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  if (!a.text.empty()) return c.services.SaveProfile(profile->id, range, a.text, a.replace);
  std::string name = profile->trace->run.empty()
                         ? std::filesystem::path(profile->trace->path).filename().string()
                         : std::filesystem::path(profile->trace->run).filename().string();
  c.windows.save = {
      name.substr(0, name.find('.')) + ".stepscope", {}, {}, false, profile->id, range};
  ShowDialog(c, DialogMode::kSave);
}
void SaveAs(C& c, const A& a) { Save(c, a, {}); }
void SaveRangeAs(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  const ProfileViewState* state = profile == nullptr ? nullptr : c.view.Find(profile->id);
  if (state == nullptr || c.view.filters.empty()) return;
  Save(c, a, state->map.ToTrace(c.view.filters.back().range));
}
bool HasWhole(const C& c) { return HasEvents(c) && !c.ProfileOf()->arriving; }
bool HasRange(const C& c) { return HasWhole(c) && !c.view.filters.empty(); }
void WriteExport(C& c, const A& a) {
  SaveRequest save = std::exchange(c.windows.save, {});
  if (a.text.empty()) return;
  if (save.of_view) return Request(c, SaveTimeline{a.text, a.replace});
  if (save.profile.valid())
    return c.services.SaveProfile(save.profile, save.range, a.text, a.replace);
  if (save.picture) {
    save.picture->name = a.text;
    save.picture->replace = a.replace;
    return Request(c, *std::move(save.picture));
  }
  std::string where = a.text;
  const bool ok = c.services.SaveFile(a.text, save.contents, a.replace, &where);
  Say(c, (ok ? "Saved " : "Not saved: ") + where);
}
void Quit(C& c, const A&) { c.services.Quit(); }

constexpr CommandDesc kOpen[] = {
    {"file.open", "Open file…", "File",
     "Opens a profile: XSpace, trace.json, memory snapshot, Perfetto, Nsight, ROCm.",
     "load profile trace xplane pickle pftrace sqlite", "Ctrl+O", Always, OpenFile},
    {"file.open_at", "Open at a time", "", "Opens a profile and shows a range of it.", "", "",
     Always, OpenAt},
    {"file.open_folder", "Open folder…", "File",
     "Opens a log directory, a run, or a folder of profiles.", "load directory logdir tensorboard",
     "Ctrl+Shift+O", Always, OpenFolder},
    {"file.open_sample", "Open the sample", "File",
     "Opens the profile that comes with the program.", "example demo", "", HasSample, OpenSample},
    {"file.compare", "Compare with\u2026", "File",
     "Opens a second profile and compares it with the active one, the baseline.",
     "diff second run baseline", "Alt+O", HasEvents, CompareWith},
};

constexpr CommandDesc kFile[] = {
    {"file.save_as", "Save as\u2026", "File",
     "Saves the active profile as one small file, which opens fast and has all of it; given a "
     "path, "
     "saves to it.",
     "store stepscope export write pack share", "Ctrl+S", HasWhole, SaveAs, nullptr, &A::replace},
    {"file.save_range_as", "Save range as\u2026", "File",
     "Saves the events that touch the range that panels are limited to as one small file; given a "
     "path, saves to it.",
     "store stepscope export part cut crop step", "", HasRange, SaveRangeAs, nullptr, &A::replace},
    {"file.load_rest", "Load the rest", "File",
     "Gets what is missing of the active profile since the connection to its machine broke. The "
     "view, marks and selection stay.",
     "reload resume retry continue again ssh remote incomplete", "", IsCut, LoadRest, nullptr,
     std::monostate(), true},
    {"file.close", "Close", "File", "Closes the active profile.", "", "Ctrl+W", HasProfile,
     CloseProfile},
    {"file.clear_recent", "Clear recent profiles", "File", "Forgets the list of recent profiles.",
     "history", "", HasRecent, ClearRecent},
    {"file.answer", "Answer how to open", "",
     "Answers how to open profiles: compare, merge, instead or cancel.", "", "", Always,
     AnswerQuestion},
    {"file.cancel", "Stop loading", "", "Stops the load in progress.", "abort", "", Loading,
     CancelLoading},
    {"file.export", "Export as", "", "Asks where to write a table or the numbers of a chart.", "",
     "", Always, Export},
    {"file.export_picture", "Export picture as", "",
     "Asks where to save a part of the window: name x y width height.", "", "", Always,
     ExportPicture},
    {"file.export_png", "Export picture (PNG)\u2026", "File",
     "Saves the timeline as PNG, as it is shown; given a path, saves to it.",
     "image screenshot save view", "", HasEvents, ExportPng, nullptr, &A::replace},
    {"file.export_svg", "Export picture (SVG)\u2026", "File",
     "Saves the timeline as SVG, as it is shown and sharp at any size; given a path, saves to it.",
     "image vector screenshot save view", "", HasEvents, ExportSvg, nullptr, &A::replace},
    {"file.write", "Write export", "",
     "Writes what is being exported to a path; given 1, over a file that is there.", "", "", Always,
     WriteExport, nullptr, &A::replace},
    {"file.quit", "Quit", "File", "Ends the program.", "exit", "Ctrl+Q", Always, Quit},
};

}  // namespace

std::optional<PictureRequest> ParsePicture(const std::string& text) {
  PictureRequest out;
  std::istringstream in(text);
  in >> out.name >> out.x >> out.y >> out.width >> out.height;
  if (!in || out.width < 1 || out.height < 1) return std::nullopt;
  return out;
}

std::span<const CommandDesc> OpenCommands() { return kOpen; }
std::span<const CommandDesc> FileCommands() { return kFile; }

// Commands that reach out to other programs and machines: recording, installing.
namespace {

bool CanRecord(const C& c) { return !c.session.capture.running; }
bool IsRecording(const C& c) { return c.session.capture.running; }

void AskForProgram(C& c, const A&) { c.windows.capture = true; }

void RecordProgram(C& c, const A& a) {
  std::vector<std::string>& recent = c.settings.capture_addresses;
  if (a.text.empty() && recent.empty()) return AskForProgram(c, a);
  CaptureRequest request;
  request.addresses = a.text.empty() ? recent.front() : a.text;
  request.duration_ms = c.settings.capture_duration_ms;
  request.delay_ms = c.settings.capture_delay_ms;
  request.host_level = c.settings.capture_host_level;
  request.device_level = c.settings.capture_device_level;
  request.python_level = c.settings.capture_python_level;
  request.folder = c.settings.capture_folder;
  PutFirst(request.addresses, Settings::kMostAddresses, &recent);
  c.services.Capture(request);
}

bool CanInstall(const C& c) { return c.session.can_install; }
void InstallThere(C& c, const A&) { c.services.InstallThere(); }

void StopRecording(C& c, const A&) { c.services.CancelCapture(); }

constexpr CommandDesc kCapture[] = {
    {"file.capture", "Capture\u2026", "File",
     "Asks for the address of a running program, and records it through its profiler server.",
     "record live sampling profiler server grpc tensorboard", "Ctrl+R", CanRecord, AskForProgram},
    {"file.record", "Record again", "File",
     "Records the last program again, with the same options, and opens the run beside the last "
     "one; given an address, records that program.",
     "capture repeat live", "Ctrl+Shift+R", CanRecord, RecordProgram},
    {"file.stop_recording", "Stop recording", "",
     "Cancels the recording in progress and keeps nothing of it.", "capture cancel abort", "",
     IsRecording, StopRecording},
    {"file.install_there", "Copy Stepscope there", "",
     "Copies this program to the other machine, into ~/.cache/stepscope, over ssh, and opens the "
     "profile then.",
     "ssh remote install host", "", CanInstall, InstallThere},
};

}  // namespace

std::span<const CommandDesc> CaptureCommands() { return kCapture; }

// Commands that choose which profile, run and host the panels show.
namespace {

void ChooseRun(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.services.OpenRun(profile->id, a.text);
}
void ActivateProfile(C& c, const A& a) {
  if (const Profile* profile = c.ProfileOf(a.profile)) c.view.active = profile->id;
}
void ChooseHost(C& c, const A& a) {
  if (ProfileViewState* state = c.StateOf(a.profile)) state->host = a.text;
}

bool HasRuns(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->runs.size() > 1;
}
// The newest run comes first.
template <int by>
void StepRun(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  if (profile == nullptr) return;
  const std::vector<std::string>& runs = profile->runs;
  const auto at = std::find(runs.begin(), runs.end(), profile->trace->run) - runs.begin() + by;
  if (at < 0 || at >= std::ssize(runs)) return;
  c.services.OpenRun(profile->id, runs[static_cast<size_t>(at)]);
}

bool HasClocks(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->clock_offsets != nullptr;
}
bool ClocksAligned(const C& c) {
  const ProfileViewState* state = c.StateOf();
  return HasClocks(c) && state != nullptr && !state->recorded_clocks;
}
void AlignClocks(C& c, const A& a) {
  const Profile* profile = c.ProfileOf(a.profile);
  ProfileViewState* state = c.StateOf(a.profile);
  if (profile == nullptr || state == nullptr) return;
  state->recorded_clocks = !state->recorded_clocks;
  KeepSelectionInPlace(*profile, !state->recorded_clocks, &c.view);
}

bool HasRanks(const C& c) {
  const Profile* profile = c.ProfileOf();
  return profile != nullptr && profile->ranks != nullptr && !profile->ranks->empty();
}
template <RankLayout layout>
bool RanksLieSo(const C& c) {
  const ProfileViewState* state = c.StateOf();
  return HasRanks(c) && state != nullptr && state->ranks == layout;
}
// Draws the ranks so, or with their hosts again. The view goes to their top.
template <RankLayout layout>
void LayRanks(C& c, const A& a) {
  ProfileViewState* state = c.StateOf(a.profile);
  if (state == nullptr) return;
  state->ranks = state->ranks == layout ? RankLayout::kApart : layout;
  if (state->ranks == RankLayout::kApart) return;
  state->scroll_y = 0;
  c.view.scroll_y = 0;
}

constexpr CommandDesc kProfile[] = {
    {"run.choose", "Choose run", "", "Opens another run of the same log directory or fleet.", "",
     "", HasProfile, ChooseRun},
    {"run.older", "Older run", "Go",
     "Opens the run before this one of the same log directory or fleet.", "previous trend", "",
     HasRuns, StepRun<1>},
    {"run.newer", "Newer run", "Go",
     "Opens the run after this one of the same log directory or fleet.", "next trend", "", HasRuns,
     StepRun<-1>},
    {"run.activate", "Activate run", "", "Makes an open profile the active one, which panels show.",
     "", "", HasProfile, ActivateProfile},
    {"host.choose", "Choose host", "", "Shows one host only; given nothing, all.", "filter worker",
     "", HasProfile, ChooseHost},
    {"view.align_clocks",
     "Align clocks of ranks",
     "View",
     "Draws all ranks on one clock, found by the ends of their collectives, or each on its own.",
     "offset skew drift synchronise hosts collectives line up",
     "",
     HasClocks,
     AlignClocks,
     ClocksAligned,
     {},
     true},
    {"view.ranks_in_rows",
     "Ranks under each other",
     "View",
     "Draws the tracks of all ranks under each other above all others, the latest rank first; "
     "again: with their hosts.",
     "rows compare late straggler collectives hosts",
     "",
     HasRanks,
     LayRanks<RankLayout::kRows>,
     RanksLieSo<RankLayout::kRows>,
     {},
     true},
    {"view.ranks_in_lane",
     "Ranks in one lane",
     "View",
     "Draws all ranks as stripes of one lane above all tracks, the latest rank first; again: with "
     "their hosts.",
     "overlay compare late straggler collectives stack",
     "",
     HasRanks,
     LayRanks<RankLayout::kLane>,
     RanksLieSo<RankLayout::kLane>,
     {},
     true},
};

}  // namespace

std::span<const CommandDesc> ProfileCommands() { return kProfile; }

}  // namespace stepscope::commands
