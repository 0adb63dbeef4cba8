// Commands that open, close and write files.
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "viewer/core/command_actions.h"
#include "viewer/core/context.h"

namespace stepscope::actions {

using C = ViewerContext;
using A = CommandArgs;

namespace {

void ShowDialog(C& c, DialogMode mode) {
  c.windows.file_dialog = true;
  c.windows.dialog_mode = mode;
}
bool ParsePicture(const std::string& text, PictureRequest* out) {
  std::istringstream in(text);
  in >> out->name >> out->x >> out->y >> out->width >> out->height;
  return in && out->width >= 1 && out->height >= 1;
}
// With a path: there. Without: the user says where, and by the ending as what.
void ExportView(C& c, const A& a, const char* name) {
  if (!a.text.empty()) {
    c.windows.views.push_back({a.text, a.number > 0});
    return;
  }
  c.windows.save = {name, {}, {}, true};
  ShowDialog(c, DialogMode::kSave);
}

}  // namespace

void Say(C& c, std::string text) {
  c.windows.note = std::move(text);
  c.windows.note_is_new = true;
}

void OpenFile(C& c, const A& a) {
  if (!a.paths.empty()) {
    c.services.Open(a.paths, false);
  } else if (!a.text.empty()) {
    c.services.Open({a.text}, false);
  } else {
    ShowDialog(c, DialogMode::kFiles);
  }
}
void OpenFolder(C& c, const A&) { ShowDialog(c, DialogMode::kFolders); }
void Export(C& c, const A& a) {
  c.windows.save = {a.text, a.contents, {}, false};
  ShowDialog(c, DialogMode::kSave);
}
void ExportPicture(C& c, const A& a) {
  PictureRequest picture;
  if (!ParsePicture(a.text, &picture)) return;
  c.windows.save = {picture.name, {}, picture, false};
  ShowDialog(c, DialogMode::kSave);
}
void ExportPng(C& c, const A& a) { ExportView(c, a, "timeline.png"); }
void ExportSvg(C& c, const A& a) { ExportView(c, a, "timeline.svg"); }
void WriteExport(C& c, const A& a) {
  const SaveRequest save = std::exchange(c.windows.save, {});
  if (a.text.empty()) return;
  const bool replace = a.number > 0;
  if (save.of_view) {
    c.windows.views.push_back({a.text, replace});
    return;
  }
  if (save.picture) {
    c.windows.pictures.push_back(*save.picture);
    c.windows.pictures.back().name = a.text;
    c.windows.pictures.back().replace = replace;
    return;
  }
  std::string where = a.text;
  const bool ok = c.services.SaveFile(a.text, save.contents, replace, &where);
  Say(c, (ok ? "Saved " : "Not saved: ") + where);
}
void AnswerQuestion(C& c, const A& a) {
  OpenAnswer answer = OpenAnswer::kCancel;
  if (a.text == "compare") answer = OpenAnswer::kCompare;
  if (a.text == "merge") answer = OpenAnswer::kMerge;
  if (a.text == "instead") answer = OpenAnswer::kInstead;
  c.services.Answer(answer);
}
void CompareWith(C& c, const A& a) {
  std::vector<std::string> paths = a.paths;
  if (paths.empty() && !a.text.empty()) paths = {a.text};
  if (paths.empty()) {
    ShowDialog(c, DialogMode::kCompare);
  } else {
    c.services.Open(paths, true);
  }
}
void OpenSample(C& c, const A&) { c.services.Open({c.session.sample_path}, false); }
void CloseRun(C& c, const A& a) {
  if (const Run* run = c.RunOf(a.run)) c.services.CloseRun(run->id);
}
void ClearRecent(C& c, const A&) { c.services.ClearRecent(); }
void CancelLoading(C& c, const A&) { c.services.CancelLoading(); }
void Quit(C& c, const A&) { c.services.Quit(); }
// "name.png x y width height"
void SavePicture(C& c, const A& a) {
  PictureRequest picture;
  if (ParsePicture(a.text, &picture)) c.windows.pictures.push_back(std::move(picture));
}

}  // namespace stepscope::actions
