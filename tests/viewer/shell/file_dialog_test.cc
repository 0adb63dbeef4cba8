// The file dialog: what it lists, and that it can be used with the keyboard alone.
#include "viewer/shell/file_dialog.h"

#include <doctest/doctest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/viewer/viewer_fixture.h"

using namespace stepscope;  // NOLINT
namespace fs = std::filesystem;

namespace {

// A folder with a folder, two profiles and a text.
class Folder {
 public:
  Folder() : root_(fs::temp_directory_path() / "stepscope_file_dialog_test") {
    fs::remove_all(root_);
    fs::create_directories(root_ / "zeta");
    fs::create_directories(root_ / ".hidden");
    std::ofstream(root_ / "a.xplane.pb") << "12345";
    std::ofstream(root_ / "b.txt") << "x";
    std::ofstream(root_ / "c.json.gz") << std::string(2000, 'c');
    std::ofstream(root_ / "zeta" / "inner.json") << "{}";
    using std::chrono::hours;
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(root_ / "a.xplane.pb", now - hours(2));
    fs::last_write_time(root_ / "b.txt", now - hours(1));
    fs::last_write_time(root_ / "c.json.gz", now - hours(3));
  }
  ~Folder() { fs::remove_all(root_); }
  std::string At(const std::string& name) const { return (root_ / name).string(); }
  std::string path() const { return root_.string(); }

 private:
  fs::path root_;
};

// The viewer with the dialog open at a folder.
struct Dialog {
  Dialog(const Folder& folder, CommandId command, CommandArgs args = {})
      : f({1280, 800},
          "dialog.folder = " + folder.path() + "\ndialog.export_folder = " + folder.path() + "\n") {
    f.Push(command, std::move(args));
    Wait();
  }
  // Until the folder has been read, which the path box shows.
  void Wait() {
    const std::string before = text();
    for (int i = 0; i < 5000 && (text() == before || text().empty()); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      f.Frame();
    }
    f.Frame(5);
  }
  bool open() const {
    const ImGuiWindow* window = ImGui::FindWindowByName("###open_dialog");
    return window != nullptr && window->Active;
  }
  static std::string text() {
    const char* text = ImGui::GetCurrentContext()->InputTextState.TextSrc;
    return text != nullptr ? text : "";
  }
  test::ViewerFixture f;
};

std::vector<std::string> Names(const std::vector<FileEntry>& entries) {
  std::vector<std::string> names;
  for (const FileEntry& e : entries) names.push_back(e.name);
  return names;
}

}  // namespace

TEST_CASE("a listing has folders first, hidden files on request, and says what it cannot read") {
  const Folder folder;
  const Listing plain = ListFolder(folder.path(), false);
  CHECK(Names(plain.entries) ==
        std::vector<std::string>{"zeta", "a.xplane.pb", "b.txt", "c.json.gz"});
  CHECK(plain.entries[0].folder);
  CHECK(plain.entries[1].bytes == 5);
  CHECK(plain.entries[1].modified > 1'600'000'000);
  CHECK(plain.error.empty());
  CHECK(ListFolder(folder.path(), true).entries.size() == 5);
  const Listing missing = ListFolder(folder.At("none"), false);
  CHECK(missing.entries.empty());
  CHECK(missing.error.find("none") != std::string::npos);
}

TEST_CASE("a listing is sorted by name, size and date, folders first") {
  const Folder folder;
  std::vector<FileEntry> entries = ListFolder(folder.path(), false).entries;
  SortEntries(&entries, FileSort::kSize, true);
  CHECK(Names(entries) == std::vector<std::string>{"zeta", "c.json.gz", "a.xplane.pb", "b.txt"});
  SortEntries(&entries, FileSort::kDate, true);
  CHECK(Names(entries) == std::vector<std::string>{"zeta", "b.txt", "a.xplane.pb", "c.json.gz"});
  SortEntries(&entries, FileSort::kName, true);
  CHECK(Names(entries) == std::vector<std::string>{"zeta", "c.json.gz", "b.txt", "a.xplane.pb"});
}

TEST_CASE("every folder has a parent") {
  CHECK(ParentFolder("/a/b") == "/a");
  CHECK(ParentFolder("/") == "/");
}

TEST_CASE("files that the app calls profiles are bright, and a tooltip names their format") {
  const Folder folder;
  Dialog dialog(folder, "file.open");
  const auto tooltip_in_row = [&](const char* name) {
    const ImGuiWindow* window = ImGui::FindWindowByName("###open_dialog");
    REQUIRE(window != nullptr);
    const std::vector<FileEntry> entries = ListFolder(folder.path(), false).entries;
    const auto at = std::find_if(entries.begin(), entries.end(),
                                 [&](const FileEntry& e) { return e.name == name; });
    const float row = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
    const ImGuiWindow* list = nullptr;
    for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows)
      if (w->ParentWindow == window && w->Active) list = w;
    REQUIRE(list != nullptr);
    dialog.f.MoveTo(list->Pos.x + 60,
                    list->Pos.y + row * (static_cast<float>(at - entries.begin()) + 1.5f));
    dialog.f.Frame(60);
    return std::any_of(ImGui::GetCurrentContext()->Windows.begin(),
                       ImGui::GetCurrentContext()->Windows.end(), [](const ImGuiWindow* w) {
                         return (w->Flags & ImGuiWindowFlags_Tooltip) != 0 && w->Active;
                       });
  };
  CHECK(tooltip_in_row("a.xplane.pb"));
  CHECK_FALSE(tooltip_in_row("b.txt"));
}

TEST_CASE("the path box has the keyboard; typing filters, Enter goes in and opens") {
  const Folder folder;
  Dialog dialog(folder, "file.open");
  REQUIRE(dialog.open());
  CHECK(ImGui::GetIO().WantTextInput);
  CHECK(dialog.text() == folder.path() + "/");
  dialog.f.Type("zet");
  dialog.f.Key(ImGuiKey_Enter);
  dialog.Wait();
  CHECK(dialog.text() == folder.path() + "/zeta/");
  CHECK(dialog.open());
  dialog.f.Key(ImGuiKey_DownArrow);
  dialog.f.Key(ImGuiKey_Enter);
  dialog.f.Frame(3);
  CHECK_FALSE(dialog.open());
  CHECK(dialog.f.services.opened == std::vector<std::string>{folder.At("zeta/inner.json")});
}

TEST_CASE("several files are opened at once, chosen with Shift and the arrow keys") {
  const Folder folder;
  Dialog dialog(folder, "file.open");
  dialog.f.Key(ImGuiKey_DownArrow);  // zeta
  dialog.f.Key(ImGuiKey_DownArrow);  // a.xplane.pb
  dialog.f.Key(ImGuiKey_DownArrow, ImGuiMod_Shift);
  dialog.f.Key(ImGuiKey_DownArrow, ImGuiMod_Shift);
  dialog.f.Key(ImGuiKey_Enter);
  dialog.f.Frame(3);
  CHECK(dialog.f.services.opened == std::vector<std::string>{folder.At("a.xplane.pb"),
                                                             folder.At("b.txt"),
                                                             folder.At("c.json.gz")});
}

TEST_CASE("Escape closes the dialog and nothing else") {
  const Folder folder;
  Dialog dialog(folder, "file.open_folder");
  dialog.f.Open(test::TrainingTrace());
  dialog.f.viewer->SelectByName("sgemm");
  dialog.f.Frame(5);
  REQUIRE(dialog.open());
  dialog.f.Key(ImGuiKey_Escape);
  CHECK_FALSE(dialog.open());
  CHECK(dialog.f.viewer->view().selected.valid());
  CHECK(dialog.f.services.opened.empty());
}

TEST_CASE("a folder is opened with Ctrl+Enter") {
  const Folder folder;
  Dialog dialog(folder, "file.open_folder");
  dialog.f.Key(ImGuiKey_DownArrow);
  dialog.f.Key(ImGuiKey_Enter, ImGuiMod_Ctrl);
  dialog.f.Frame(3);
  CHECK(dialog.f.services.opened == std::vector<std::string>{folder.At("zeta")});
}

TEST_CASE("an export asks where to write") {
  const Folder folder;
  CommandArgs args;
  args.text = "ops.csv";
  args.contents = "a,b\r\n";
  Dialog dialog(folder, "file.export", args);
  REQUIRE(dialog.open());
  CHECK(dialog.text() == folder.At("ops.csv"));
  CHECK(dialog.f.services.saved_path.empty());
  dialog.f.Key(ImGuiKey_Enter);
  dialog.f.Frame(3);
  CHECK_FALSE(dialog.open());
  CHECK(dialog.f.services.saved_path == folder.At("ops.csv"));
  CHECK(dialog.f.services.saved == "a,b\r\n");
  CHECK_FALSE(dialog.f.services.replaced);
}

TEST_CASE("an export asks before it writes over a file") {
  const Folder folder;
  CommandArgs args;
  args.text = "b.txt";
  args.contents = "new";
  Dialog dialog(folder, "file.export", args);
  dialog.f.Key(ImGuiKey_Enter);
  dialog.f.Frame(3);
  CHECK(dialog.open());
  CHECK(dialog.f.services.saved_path.empty());
  SUBCASE("yes") {
    dialog.f.Key(ImGuiKey_Enter);
    dialog.f.Frame(3);
    CHECK(dialog.f.services.saved_path == folder.At("b.txt"));
    CHECK(dialog.f.services.replaced);
  }
  SUBCASE("no") {
    dialog.f.Key(ImGuiKey_Escape);
    CHECK_FALSE(dialog.open());
    CHECK(dialog.f.services.saved_path.empty());
  }
}
