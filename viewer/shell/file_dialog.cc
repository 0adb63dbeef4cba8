#include "viewer/shell/file_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "viewer/core/settings.h"
#include "viewer/widgets/draw.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEndings[] = {".xplane.pb",     ".xplane.pb.gz",     ".xplane.pb.zst",
                                    ".trace.json",    ".trace.json.gz",    ".trace.json.zst",
                                    ".pt.trace.json", ".pt.trace.json.gz", ".json",
                                    ".json.gz",       ".json.zst"};

std::string Join(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

void FormatBytes(uint64_t bytes, char* out, size_t size) {
  const double mb = static_cast<double>(bytes) / 1e6;
  if (bytes < 1000)
    std::snprintf(out, size, "%u B", static_cast<unsigned>(bytes));
  else if (mb < 1)
    std::snprintf(out, size, "%.1f kB", mb * 1000);
  else if (mb < 1000)
    std::snprintf(out, size, "%.1f MB", mb);
  else
    std::snprintf(out, size, "%.2f GB", mb / 1000);
}

}  // namespace

bool LooksLikeProfile(const std::string& name) {
  return std::any_of(std::begin(kEndings), std::end(kEndings),
                     [&](const char* e) { return name.ends_with(e); });
}

std::string ParentFolder(const std::string& folder) {
  const fs::path parent = fs::path(folder).parent_path();
  return parent.empty() ? "/" : parent.string();
}

Listing ListFolder(const std::string& folder, bool hidden, const std::stop_token& stop) {
  Listing out;
  std::error_code error;
  const fs::path path = folder.empty() ? fs::current_path(error) : fs::absolute(folder, error);
  out.folder = path.lexically_normal().string();
  while (out.folder.size() > 1 && out.folder.back() == '/') out.folder.pop_back();
  fs::directory_iterator it(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (stop.stop_requested()) break;  // of a slow network folder that was left
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
    out.entries.push_back(std::move(entry));
  }
  if (error) out.error = out.folder + ": " + error.message();
  std::sort(out.entries.begin(), out.entries.end(), [](const FileEntry& a, const FileEntry& b) {
    return a.folder != b.folder ? a.folder : a.name < b.name;
  });
  return out;
}

void FileDialog::Go(const std::string& folder, bool hidden) {
  listed_hidden_ = hidden;
  selected_.clear();
  job_.Start(threads_, [folder, hidden](const std::stop_token& stop, Progress&) {
    return ListFolder(folder, hidden, stop);
  });
}

void FileDialog::Choose(const PanelContext& context, const std::string& path, bool* open) {
  CommandArgs remember;
  remember.text = "dialog.folder=" + listing_.folder;
  context.commands.Push("app.set", std::move(remember));
  CommandArgs args;
  args.text = path;
  context.commands.Push("file.open", std::move(args));
  *open = false;
}

void FileDialog::Draw(const PanelContext& context, bool* open, bool folders_only) {
  if (std::optional<Listing> listing = job_.Take()) {
    listing_ = std::move(*listing);
    path_ = listing_.folder;
  }
  if (!*open) return;
  const char* title = folders_only ? "Open folder###open_dialog" : "Open file###open_dialog";
  const bool hidden = context.settings.Bool("dialog.hidden");
  if (!ImGui::IsPopupOpen("###open_dialog")) {
    ImGui::OpenPopup("###open_dialog");
    Go(listing_.folder.empty() ? context.settings.Get("dialog.folder") : listing_.folder, hidden);
  }
  if (hidden != listed_hidden_) Go(listing_.folder, hidden);
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float unit = ImGui::GetFontSize();
  ImGui::SetNextWindowSize(
      {std::min(screen.x * 0.9f, unit * 56), std::min(screen.y * 0.85f, unit * 38)},
      ImGuiCond_Appearing);
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5f, 0.5f});
  // On the panels' ground: controls are as raised as a popup.
  ImGui::PushStyleColor(ImGuiCol_PopupBg, context.theme[Role::kPanel]);
  const bool shown = ImGui::BeginPopupModal(title, open, ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  if (!shown) return;
  DrawTop(context, hidden);
  DrawList(context, open, hidden);
  DrawBottom(context, open, folders_only, hidden);
  if (!*open || ImGui::IsKeyPressed(ImGuiKey_Escape)) {
    *open = false;
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void FileDialog::DrawTop(const PanelContext& context, bool hidden) {
  if (ImGui::Button(context.fonts->icons ? icon::kUp : "Up"))
    Go(ParentFolder(listing_.folder), hidden);
  ImGui::SetItemTooltip("One folder up (Backspace)");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  if (InputText("##path", "", &path_, ImGuiInputTextFlags_EnterReturnsTrue)) Go(path_, hidden);
  if (!ImGui::GetIO().WantTextInput && ImGui::IsKeyPressed(ImGuiKey_Backspace))
    Go(ParentFolder(listing_.folder), hidden);
}

void FileDialog::DrawList(const PanelContext& context, bool* open, bool hidden) {
  const float bottom = ImGui::GetFrameHeightWithSpacing() + ImGui::GetStyle().ItemSpacing.y;
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                ImGuiTableFlags_NoSavedSettings | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable("##files", 2, flags, {0, -bottom})) return;
  ImGui::TableSetupColumn("Name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Size", ImGuiTableColumnFlags_WidthFixed, ImGui::GetFontSize() * 6);
  std::string enter;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(listing_.entries.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FileEntry& entry = listing_.entries[static_cast<size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const bool bright = entry.folder || LooksLikeProfile(entry.name);
      if (context.fonts->icons) {
        ImGui::TextDisabled("%s", entry.folder ? icon::kFolder : icon::kFile);
        ImGui::SameLine();
      }
      if (!bright) ImGui::PushStyleColor(ImGuiCol_Text, context.theme[Role::kText3]);
      const ImGuiSelectableFlags select =
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick;
      if (ImGui::Selectable(entry.name.c_str(), entry.name == selected_, select)) {
        selected_ = entry.name;
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) enter = entry.name;
      }
      if (!bright) ImGui::PopStyleColor();
      ImGui::TableNextColumn();
      if (!entry.folder) {
        std::array<char, 24> size{};
        FormatBytes(entry.bytes, size.data(), size.size());
        ImGui::TextDisabled("%s", size.data());
      }
      ImGui::PopID();
    }
  }
  if (!listing_.error.empty()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(listing_.error.c_str());
  }
  ImGui::EndTable();
  if (enter.empty()) return;
  const auto found = std::find_if(listing_.entries.begin(), listing_.entries.end(),
                                  [&](const FileEntry& e) { return e.name == enter; });
  if (found != listing_.entries.end() && found->folder) {
    Go(Join(listing_.folder, enter), hidden);
  } else {
    Choose(context, Join(listing_.folder, enter), open);
  }
}

void FileDialog::DrawBottom(const PanelContext& context, bool* open, bool folders_only,
                            bool hidden) {
  bool show_hidden = hidden;
  if (ImGui::Checkbox("Hidden files", &show_hidden)) {
    CommandArgs args;
    args.text = std::string("dialog.hidden=") + (show_hidden ? "true" : "false");
    context.commands.Push("app.set", std::move(args));
  }
  if (context.services.has_native_dialog()) {
    ImGui::SameLine();
    if (ImGui::Button("Desktop's dialog")) {
      context.services.NativeOpenDialog(folders_only);
      *open = false;
    }
  }
  if (listing_.cut) {
    ImGui::SameLine();
    ImGui::TextDisabled("Only the first %zu entries are listed.", kMaxEntries);
  }
  const float width = ImGui::GetFontSize() * 9;
  ImGui::SameLine(ImGui::GetWindowWidth() - ImGui::GetStyle().WindowPadding.x - 2 * width -
                  ImGui::GetStyle().ItemSpacing.x);
  if (ImGui::Button("Cancel", {width, 0})) *open = false;
  ImGui::SameLine();
  const std::string target = selected_.empty() ? listing_.folder : Join(listing_.folder, selected_);
  const bool usable = folders_only || !selected_.empty();
  ImGui::BeginDisabled(!usable);
  ImGui::PushStyleColor(ImGuiCol_Button, context.theme[Role::kAccent]);
  ImGui::PushStyleColor(ImGuiCol_Text, context.theme.TextOn(context.theme[Role::kAccent]));
  if (ImGui::Button(selected_.empty() && folders_only ? "Open this folder" : "Open", {width, 0}))
    Choose(context, target, open);
  ImGui::PopStyleColor(2);
  ImGui::EndDisabled();
}

}  // namespace stepscope
