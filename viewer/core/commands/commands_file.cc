// Commands that open, close and write files.
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "model/analysis/fleet/fleet.h"
#include "viewer/core/commands/command_table.h"

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

}  // namespace stepscope::commands
