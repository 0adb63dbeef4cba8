// FileDialog: chooses files and folders to open and where exports go. ImGui draws it, so it works
// on every desktop and over SSH. The path box has the keyboard from the start: text behind the
// folder filters the list, arrow keys move in it, Enter enters a folder or opens a file. A worker
// thread reads folders, so a slow network folder does not stop the window. UI thread only.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/jobs/latest_job.h"
#include "viewer/core/commands/context.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/input_text.h"

namespace stepscope {

struct FileEntry {
  std::string name;
  bool folder = false;
  uint64_t bytes = 0;
  int64_t modified = 0;  // seconds since 1970; 0: unknown
};

struct Listing {
  std::string folder, error;       // error: why it cannot be read; empty: it was read
  std::vector<FileEntry> entries;  // folders first, then by name; at most kMaxEntries
  bool cut = false;                // the folder has more entries
};

inline constexpr size_t kMaxEntries = 20'000;
// Reads a folder; empty: the current one. `hidden`: names that begin with a dot too. Any thread; it
// may take long on a network, and stops early when told to. O(n log n)
Listing ListFolder(const std::string& folder, bool hidden);
std::string ParentFolder(const std::string& folder);

enum class FileSort { kName, kSize, kDate };
// Folders come first in every order; equal entries are sorted by name.
void SortEntries(std::vector<FileEntry>* entries, FileSort by, bool descending);

class FileDialog {
 public:
  explicit FileDialog(JobQueue& queue) : queue_(queue) {}
  // Draws the dialog while open. Pushes "file.open" with the paths, or "file.write" with the path
  // to write, and closes itself through *open. `save_name` is suggested.
  void Draw(const PanelContext& context, bool* open, DialogMode mode, const std::string& save_name);
  bool busy() const { return job_.active(); }

 private:
  struct Frame {  // what one call of Draw works with
    const PanelContext& context;
    DialogMode mode;
    bool hidden;
    bool* open;
  };
  void Begin(const Frame& frame, const std::string& save_name);
  void Go(const std::string& folder, bool hidden, bool keep_text);
  std::string TypedSinceGo() const;
  void Poll();
  void ShowEntries();
  void FollowText(const Frame& frame);
  void HandleKeys(const Frame& frame);
  void Move(const Frame& frame, int by);
  void Click(const Frame& frame, int at);
  void Enter(const Frame& frame);
  void Open(const Frame& frame, std::vector<std::string> paths);
  void Save(const Frame& frame);
  void DrawTop(const Frame& frame);
  void DrawList(const Frame& frame);
  void DrawEntry(const Frame& frame, int at);
  void DrawBottom(const Frame& frame);
  bool Selectable(const Frame& frame, const FileEntry& entry) const;
  const FileEntry* At(int position) const;
  std::vector<std::string> Chosen() const;  // the paths of the selected entries
  std::string Join(std::string_view name) const;

  JobQueue& queue_;
  Listing listing_;
  LatestJob<Listing> job_;
  std::string wanted_;           // the folder that is listed, or being listed
  TextBox path_;                 // the folder, "/", and what is typed
  std::vector<uint32_t> shown_;  // entries that pass the filter
  std::set<std::string> selected_;
  int cursor_ = -1, anchor_ = -1;  // in shown_
  FileSort sort_ = FileSort::kName;
  bool descending_ = false, listed_hidden_ = false, keep_text_ = false, filter_ = true;
  bool follow_ = false;      // the text was edited while a folder was being listed
  bool enter_ = false;       // Enter was pressed before the folder was listed
  bool to_cursor_ = false;   // scroll it into sight
  std::string name_;         // the name of the file to save
  std::string text_before_;  // what stood in the path box when the folder began to be listed
  std::string asked_;        // the file that is written over if the user confirms once more
};

}  // namespace stepscope
