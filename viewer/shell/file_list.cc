// Reads a folder for the file dialog and sorts its entries.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "model/base/job.h"
#include "viewer/shell/file_dialog.h"

namespace stepscope {
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
