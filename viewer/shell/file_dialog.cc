#include "viewer/shell/file_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/digits.h"
#include "model/base/key_table.h"
#include "model/jobs/job.h"
#include "viewer/core/search/search.h"
#include "viewer/core/state/settings.h"
#include "viewer/shell/shell.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

std::string FolderPart(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos) return {};
  return slash == 0 ? "/" : text.substr(0, slash);
}

std::string NamePart(const std::string& text) {
  const size_t slash = text.rfind('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

std::string WithSlash(const std::string& folder) {
  return folder.ends_with('/') ? folder : folder + "/";
}

std::string WithHome(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || (path != "~" && !path.starts_with("~/"))) return path;
  return home + path.substr(1);
}

const char* TitleOf(DialogMode mode) {
  constexpr std::pair<DialogMode, const char*> kTitles[] = {
      {DialogMode::kFolders, "Open folder###open_dialog"},
      {DialogMode::kSave, "Save as###open_dialog"},
      {DialogMode::kCompare, "Compare with###open_dialog"}};
  return FindValue(kTitles, mode, "Open files###open_dialog");
}

std::string Settings::*FolderSetting(DialogMode mode) {
  return mode == DialogMode::kSave ? &Settings::export_folder : &Settings::open_folder;
}

void DrawDate(const FileEntry& entry) {
  if (entry.modified != 0)
    ImGui::TextDisabled("%s", LocalTime(entry.modified, "%Y-%m-%d %H:%M").c_str());
}

}  // namespace

std::string FileDialog::Join(std::string_view name) const {
  return WithSlash(listing_.folder).append(name);
}

const FileEntry* FileDialog::At(int position) const {
  if (position < 0 || static_cast<size_t>(position) >= shown_.size()) return nullptr;
  return &listing_.entries[shown_[static_cast<size_t>(position)]];
}

bool FileDialog::Selectable(const Frame& frame, const FileEntry& entry) const {
  return entry.folder || frame.mode != DialogMode::kFolders;
}

std::vector<std::string> FileDialog::Chosen() const {
  std::vector<std::string> out;
  for (const std::string& name : selected_) out.push_back(Join(name));
  const FileEntry* entry = At(cursor_);
  if (out.empty() && entry != nullptr) out.push_back(Join(entry->name));
  return out;
}

void FileDialog::Go(const std::string& folder, bool hidden, bool keep_text) {
  listed_hidden_ = hidden;
  keep_text_ = keep_text;
  text_before_ = path_.text;
  wanted_ = WithHome(folder);
  selected_.clear();
  cursor_ = anchor_ = -1;
  job_.Start(queue_, [folder = wanted_, hidden](Progress&) { return ListFolder(folder, hidden); });
}

// The text that was typed while a folder was being listed: it goes behind that folder's path.
std::string FileDialog::TypedSinceGo() const {
  return path_.text.starts_with(text_before_) ? path_.text.substr(text_before_.size())
                                              : std::string();
}

void FileDialog::Poll() {
  std::optional<Listing> listing = job_.Take();
  if (!listing) return;
  listing_ = std::move(*listing);
  wanted_ = listing_.folder;
  if (!keep_text_) {
    const std::string typed = TypedSinceGo();
    path_.text = WithSlash(listing_.folder) + name_ + typed;
    path_.Focus({}, true);
    follow_ = !typed.empty();
  }
  SortEntries(&listing_.entries, sort_, descending_);
  ShowEntries();
}

// Shows the entries whose name contains the text behind the folder. Called when the
// text changes; O(entries).
void FileDialog::ShowEntries() {
  const std::string typed = NamePart(path_.text), lower = Lower(filter_ ? typed : std::string());
  shown_.clear();
  cursor_ = anchor_ = -1;
  for (uint32_t i = 0; i < listing_.entries.size(); ++i) {
    const FileEntry& entry = listing_.entries[i];
    if (!lower.empty() && !ContainsLower(entry.name, lower)) continue;
    if (entry.name == typed) cursor_ = static_cast<int>(shown_.size());
    shown_.push_back(i);
  }
  if (!lower.empty() && cursor_ < 0 && !shown_.empty()) cursor_ = 0;
}

// Follows an edit of the path box: lists another folder, or filters by another name.
void FileDialog::FollowText(const Frame& frame) {
  asked_.clear();
  selected_.clear();
  if (job_.active() && !keep_text_) return;  // the text begins with the folder that is left
  if (frame.mode == DialogMode::kSave) name_ = NamePart(path_.text);
  const std::string folder = FolderPart(path_.text);
  if (!folder.empty() && WithHome(folder) != wanted_) Go(folder, frame.hidden, true);
  ShowEntries();
}

void FileDialog::Open(const Frame& frame, std::vector<std::string> paths) {
  frame.context.commands.PushSetting(FolderSetting(frame.mode), listing_.folder);
  const bool compare = frame.mode == DialogMode::kCompare;
  frame.context.commands.Push(compare ? CommandId("file.compare") : CommandId("file.open"),
                              {.text = paths.front(), .paths = paths});
  *frame.open = false;
}

// Saves. A file that exists is written over only after the user has confirmed it.
void FileDialog::Save(const Frame& frame) {
  const std::string target = WithHome(path_.text);
  const std::string name = NamePart(target);
  if (name.empty() || job_.active()) return;
  const auto there = std::find_if(listing_.entries.begin(), listing_.entries.end(),
                                  [&](const FileEntry& e) { return e.name == name; });
  const bool exists = there != listing_.entries.end();
  if (exists && there->folder) {
    name_.clear();
    Go(Join(name), frame.hidden, false);
    return;
  }
  if (exists && asked_ != target) {
    asked_ = target;
    return;
  }
  frame.context.commands.PushSetting(FolderSetting(frame.mode), listing_.folder);
  frame.context.commands.Push("file.write", {.text = target, .replace = exists});
  *frame.open = false;
}

void FileDialog::Enter(const Frame& frame) {
  if (job_.active()) {
    enter_ = true;
    return;
  }
  const FileEntry* entry = At(cursor_);
  if (entry != nullptr && entry->folder && selected_.size() < 2) {
    if (frame.mode != DialogMode::kSave) name_.clear();
    Go(Join(entry->name), frame.hidden, false);
  } else if (frame.mode == DialogMode::kSave) {
    Save(frame);
  } else if (std::vector<std::string> paths = Chosen(); !paths.empty()) {
    Open(frame, std::move(paths));
  } else if (!NamePart(path_.text).empty()) {
    Open(frame, {WithHome(path_.text)});  // the load says what is wrong with it
  } else if (frame.mode == DialogMode::kFolders) {
    Open(frame, {listing_.folder});
  }
}

void FileDialog::Move(const Frame& frame, int by) {
  if (shown_.empty()) return;
  const auto last = static_cast<int>(shown_.size()) - 1;
  cursor_ = std::clamp(cursor_ < 0 ? (by > 0 ? 0 : last) : cursor_ + by, 0, last);
  to_cursor_ = true;
  const FileEntry& entry = *At(cursor_);
  if (frame.mode == DialogMode::kSave) return;
  if (!ImGui::GetIO().KeyShift) selected_.clear();
  if (!ImGui::GetIO().KeyShift) anchor_ = cursor_;
  if (Selectable(frame, entry)) selected_.insert(entry.name);
}

void FileDialog::Click(const Frame& frame, int at) {
  const ImGuiIO& io = ImGui::GetIO();
  const FileEntry& entry = *At(at);
  if (frame.mode == DialogMode::kSave) {
    if (!entry.folder) path_.text = Join(name_ = entry.name);
    asked_.clear();
  } else if (Selectable(frame, entry)) {
    if (!io.KeyCtrl) selected_.clear();
    if (io.KeyShift && anchor_ >= 0) {
      for (int i = std::min(anchor_, at); i <= std::max(anchor_, at); ++i)
        if (Selectable(frame, *At(i))) selected_.insert(At(i)->name);
    } else if (io.KeyCtrl && selected_.erase(entry.name) > 0) {
      anchor_ = at;
    } else {
      selected_.insert(entry.name);
      anchor_ = at;
    }
  }
  cursor_ = at;
}

void FileDialog::HandleKeys(const Frame& frame) {
  const int page = 12;
  const auto pressed = [](ImGuiKey key) {
    return ImGui::IsKeyPressed(key, true) && !ImGui::GetIO().KeyAlt;
  };
  if (pressed(ImGuiKey_DownArrow)) Move(frame, 1);
  if (pressed(ImGuiKey_UpArrow)) Move(frame, -1);
  if (pressed(ImGuiKey_PageDown)) Move(frame, page);
  if (pressed(ImGuiKey_PageUp)) Move(frame, -page);
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyAlt && ImGui::IsKeyPressed(ImGuiKey_UpArrow))
    Go(ParentFolder(listing_.folder), frame.hidden, false);
  if (io.KeyCtrl && ImGui::IsKeyPressed(ImGuiKey_H, false))
    frame.context.commands.PushSetting(&Settings::hidden_files, !frame.hidden);
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
      ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false)) {
    if (io.KeyCtrl && frame.mode == DialogMode::kFolders) {
      std::vector<std::string> paths = Chosen();
      Open(frame, paths.empty() ? std::vector<std::string>{listing_.folder} : std::move(paths));
    } else {
      Enter(frame);
    }
  } else if (enter_ && !job_.active()) {
    enter_ = false;
    Enter(frame);
  }
}

void FileDialog::Begin(const Frame& frame, const std::string& save_name) {
  name_ = frame.mode == DialogMode::kSave ? save_name : std::string();
  filter_ = frame.mode != DialogMode::kSave;
  asked_.clear();
  enter_ = false;
  path_ = {};
  std::string folder = frame.context.settings.*FolderSetting(frame.mode);
  if (folder.empty() && frame.mode != DialogMode::kSave) folder = listing_.folder;
  Go(folder, frame.hidden, false);
}

void FileDialog::Draw(const PanelContext& context, bool* open, DialogMode mode,
                      const std::string& save_name) {
  Poll();
  if (!*open) return;
  const Frame frame{context, mode, context.settings.hidden_files, open};
  if (!ImGui::IsPopupOpen("###open_dialog")) {
    ImGui::OpenPopup("###open_dialog");
    Begin(frame, save_name);
  }
  if (frame.hidden != listed_hidden_) Go(listing_.folder, frame.hidden, false);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowSize(
      {std::min(screen.x * 0.9f, unit * 62), std::min(screen.y * 0.85f, unit * 38)},
      ImGuiCond_Appearing);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  // The arrow keys move in the list, from wherever the keyboard is.
  const bool shown = [&] {
    const DialogStyle style(context.theme);
    return ImGui::BeginPopupModal(TitleOf(mode), open,
                                  ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNavInputs);
  }();
  if (!shown) return;
  HandleKeys(frame);
  DrawTop(frame);
  DrawList(frame);
  DrawBottom(frame);
  if (!*open || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    *open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void FileDialog::DrawTop(const Frame& frame) {
  if (ImGui::Button(frame.context.fonts.icons ? icon::kUp : "Up"))
    Go(ParentFolder(listing_.folder), frame.hidden, false);
  ImGui::SetItemTooltip("One folder up (Alt+Up)");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::IsAnyItemActive() && !ImGui::IsMouseDown(ImGuiMouseButton_Left) && !path_.waiting)
    path_.Focus({}, true);
  const bool edited = path_.Draw("##path", "");
  if (edited || std::exchange(follow_, false)) FollowText(frame);
}

void FileDialog::DrawList(const Frame& frame) {
  const float bottom = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_PadOuterX |
                                ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_NoBordersInBody;
  if (!ImGui::BeginTable("##files", 3, flags, {0, -bottom})) return;
  const float unit = ImGui::GetFontSize();
  ImGui::TableSetupColumn("Name",
                          ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_DefaultSort);
  ImGui::TableSetupColumn(
      "Size", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending,
      unit * 6);
  ImGui::TableSetupColumn(
      "Modified", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_PreferSortDescending,
      unit * 9);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
  ImGuiTableSortSpecs* sort = ImGui::TableGetSortSpecs();
  if (sort != nullptr && sort->SpecsDirty && sort->SpecsCount > 0) {
    sort->SpecsDirty = false;
    sort_ = static_cast<FileSort>(sort->Specs[0].ColumnIndex);
    descending_ = sort->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    SortEntries(&listing_.entries, sort_, descending_);
    ShowEntries();
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()));
  if (to_cursor_ && cursor_ >= 0) clipper.IncludeItemByIndex(cursor_);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) DrawEntry(frame, i);
  }
  to_cursor_ = false;
  if (!listing_.error.empty()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(listing_.error.c_str());
  }
  ImGui::EndTable();
}

void FileDialog::DrawEntry(const Frame& frame, int at) {
  const PanelContext& context = frame.context;
  const FileEntry entry = *At(at);  // a copy: a click may list another folder
  ImGui::PushID(at);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const std::string format =
      entry.folder || (frame.mode != DialogMode::kFiles && frame.mode != DialogMode::kCompare)
          ? std::string()
          : context.services.FormatOfFile(entry.name);
  const bool bright = entry.folder || !format.empty();
  if (context.fonts.icons) {
    ImGui::TextDisabled("%s", entry.folder ? icon::kFolder : icon::kFile);
    ImGui::SameLine();
  }
  if (!bright) ImGui::PushStyleColor(ImGuiCol_Text, context.theme[Role::kText3]);
  const bool on = at == cursor_ || selected_.count(entry.name) > 0;
  const bool clicked = ImGui::Selectable(ItemLabel(entry.name).c_str(), on,
                                         ImGuiSelectableFlags_SpanAllColumns |
                                             ImGuiSelectableFlags_AllowDoubleClick |
                                             ImGuiSelectableFlags_NoAutoClosePopups);
  if (!bright) ImGui::PopStyleColor();
  if (!format.empty()) ImGui::SetItemTooltip("%s", format.c_str());
  if (to_cursor_ && at == cursor_ && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
  ImGui::TableNextColumn();
  if (!entry.folder) ImGui::TextDisabled("%s", BytesText(entry.bytes).c_str());
  ImGui::TableNextColumn();
  DrawDate(entry);
  ImGui::PopID();
  if (!clicked) return;
  Click(frame, at);
  if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) Enter(frame);
}

void FileDialog::DrawBottom(const Frame& frame) {
  const PanelContext& context = frame.context;
  const bool save = frame.mode == DialogMode::kSave, folders = frame.mode == DialogMode::kFolders;
  bool hidden = frame.hidden;
  if (ImGui::Checkbox("Hidden files", &hidden))
    context.commands.PushSetting(&Settings::hidden_files, hidden);
  ImGui::SetItemTooltip("Ctrl+H");
  if (!save && context.services.has_native_dialog()) {
    ImGui::SameLine();
    if (ImGui::Button("Desktop's dialog")) {
      context.services.NativeOpenDialog(folders);
      *frame.open = false;
    }
  }
  ImGui::SameLine();
  if (!asked_.empty()) {
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(context.theme[Role::kWarning]),
                       "%s exists. Replace it?", NamePart(asked_).c_str());
  } else if (listing_.cut) {
    ImGui::TextDisabled("Only the first %zu entries are listed.", kMaxEntries);
  } else if (selected_.size() > 1) {
    ImGui::TextDisabled("%zu selected", selected_.size());
  } else if (folders) {
    ImGui::TextDisabled("Enter goes in, Ctrl+Enter opens");
  } else {
    ImGui::TextDisabled(save ? "" : "Ctrl and Shift select several");
  }
  const float width = ImGui::GetFontSize() * 9;
  ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - 2 * width -
                  ImGui::GetStyle().ItemSpacing.x);
  if (ImGui::Button("Cancel", {width, 0})) *frame.open = false;
  ImGui::SameLine();
  const bool usable = save ? !NamePart(path_.text).empty() : folders || !Chosen().empty();
  ImGui::BeginDisabled(!usable);
  ImGui::PushStyleColor(ImGuiCol_Button, context.theme[Role::kAccent]);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.TextOn(context.theme[Role::kAccent]));
  const char* label = save ? (asked_.empty() ? "Save###go" : "Replace###go")
                      : folders && Chosen().empty() ? "Open this folder###go"
                                                    : "Open###go";
  if (ImGui::Button(label, {width, 0})) {
    std::vector<std::string> paths = Chosen();
    if (save) {
      Save(frame);
    } else {
      Open(frame, paths.empty() ? std::vector<std::string>{listing_.folder} : std::move(paths));
    }
  }
  ImGui::PopStyleColor(2);
  ImGui::EndDisabled();
}

// Reads a folder for the file dialog and sorts its entries.
namespace {

namespace fs = std::filesystem;

int64_t Modified(const fs::directory_entry& entry) {
  std::error_code error;
  const auto time = entry.last_write_time(error);
  if (error) return 0;
  const auto system = fs::file_time_type::clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

}  // namespace

std::string ParentFolder(const std::string& folder) {
  const fs::path parent = fs::path(folder).parent_path();
  return parent.empty() ? "/" : parent.string();
}

void SortEntries(std::vector<FileEntry>* entries, FileSort by, bool descending) {
  const auto key = [by](const FileEntry& e) {
    switch (by) {
      case FileSort::kSize:
        return static_cast<int64_t>(std::min<uint64_t>(e.bytes, INT64_MAX));
      case FileSort::kDate:
        return e.modified;
      case FileSort::kName:
        break;
    }
    return int64_t{0};
  };
  std::sort(entries->begin(), entries->end(), [&](const FileEntry& a, const FileEntry& b) {
    if (a.folder != b.folder) return a.folder;
    const int64_t key_a = key(a), key_b = key(b);
    if (key_a != key_b) return descending ? key_a > key_b : key_a < key_b;
    return descending && by == FileSort::kName ? a.name > b.name : a.name < b.name;
  });
}

Listing ListFolder(const std::string& folder, bool hidden) {
  Listing out;
  std::error_code error;
  const fs::path path = folder.empty() ? fs::current_path(error) : fs::absolute(folder, error);
  out.folder = path.lexically_normal().string();
  while (out.folder.size() > 1 && out.folder.back() == '/') out.folder.pop_back();
  fs::directory_iterator it(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    CheckStop();  // the user may have left a slow network folder
    FileEntry entry;
    entry.name = it->path().filename().string();
    if (!hidden && entry.name.starts_with(".")) continue;
    if (out.entries.size() >= kMaxEntries) {
      out.cut = true;
      break;
    }
    std::error_code ignored;  // a file may vanish between listing and asking
    entry.folder = it->is_directory(ignored);
    if (!entry.folder) entry.bytes = it->file_size(ignored);
    if (ignored) entry.bytes = 0;
    entry.modified = Modified(*it);
    out.entries.push_back(std::move(entry));
  }
  if (error) out.error = out.folder + ": " + error.message();
  SortEntries(&out.entries, FileSort::kName, false);
  return out;
}

}  // namespace stepscope
