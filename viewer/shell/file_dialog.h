// FileDialog: an open dialog drawn with ImGui, for every desktop and over SSH. Directories are read
// on a worker thread, so a slow network folder does not stop the window. UI thread only.
#pragma once

#include <string>
#include <vector>

#include "model/base/latest_job.h"
#include "viewer/core/panel.h"

namespace stepscope {

struct FileEntry {
  std::string name;
  bool folder = false;
  uint64_t bytes = 0;
};

struct Listing {
  std::string folder, error;       // error: why it cannot be read
  std::vector<FileEntry> entries;  // folders first, then by name; at most kMaxEntries
  bool cut = false;
};

inline constexpr size_t kMaxEntries = 20'000;
Listing ListFolder(const std::string& folder, bool hidden, const std::stop_token& stop = {});
// Whether the name ends like a profile: shown bright, other files dimmed.
bool LooksLikeProfile(const std::string& name);
std::string ParentFolder(const std::string& folder);

class FileDialog {
 public:
  explicit FileDialog(JobThreads& threads) : threads_(threads) {}
  // Draws the dialog while open; pushes "file.open" with a path, and closes itself through *open.
  void Draw(const PanelContext& context, bool* open, bool folders_only);
  bool busy() const { return job_.active(); }

 private:
  void Go(const std::string& folder, bool hidden);
  void DrawTop(const PanelContext& context, bool hidden);
  void DrawList(const PanelContext& context, bool* open, bool hidden);
  void DrawBottom(const PanelContext& context, bool* open, bool folders_only, bool hidden);
  void Choose(const PanelContext& context, const std::string& path, bool* open);

  JobThreads& threads_;
  Listing listing_;
  LatestJob<Listing> job_;
  std::string path_;      // text of the path box
  std::string selected_;  // entry name
  bool listed_hidden_ = false;
};

}  // namespace stepscope
