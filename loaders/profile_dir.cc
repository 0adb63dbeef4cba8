#include "loaders/profile_dir.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/loader.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

using Kind = FileEnding::Kind;

struct Found {
  std::string path, name;
  FileName kind;
};

struct Walk {
  size_t entries = 0;
  bool cut = false;  // a limit was reached
  std::map<std::string, std::vector<Found>>
      files;  // by directory, relative to the root; "" is the root
};

std::string JoinNames(std::string folder, const std::string& name) {
  if (!folder.empty()) folder += '/';
  return folder += name;
}

void List(const fs::path& directory, const std::string& relative, int depth, Walk* walk) {
  std::error_code error;
  fs::directory_iterator it(directory, fs::directory_options::skip_permission_denied, error);
  std::vector<std::pair<fs::path, std::string>> below;
  bool fleet = false;
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    if (++walk->entries > kMaxDirectoryEntries) {
      walk->cut = true;
      return;
    }
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    fleet = fleet || name == kFleetMark;
    if (it->is_directory(ignored)) {
      // Links to directories could lead around in circles.
      if (!it->is_symlink(ignored)) below.emplace_back(it->path(), JoinNames(relative, name));
    } else if (it->is_regular_file(ignored)) {
      FileName kind = ClassifyFileName(name);
      if (kind.loader != nullptr) {
        walk->files[relative].push_back({it->path().string(), name, std::move(kind)});
      }
    }
  }
  // A fleet of thousands of ranks has more tables than may be listed.
  if (fleet) std::erase_if(below, [](const auto& b) { return b.first.filename() != kFleetFolder; });
  if (depth >= kMaxDirectoryDepth && !below.empty()) walk->cut = true;
  if (depth >= kMaxDirectoryDepth) return;
  for (const auto& [path, rel] : below) List(path, rel, depth + 1, walk);
}

// "train/plugins/profile/2026" -> "train/2026"; the root itself has its own name.
std::string RunName(const fs::path& root, std::string relative) {
  if (relative.empty()) {
    const fs::path trimmed = root.has_filename() ? root : root.parent_path();
    std::error_code error;
    std::string name = trimmed.filename().string();
    if (name != "." && name != "..") return name;
    return fs::weakly_canonical(root, error).filename().string();
  }
  // The parts of a fleet lie in a folder of their own (docs/fleet.md).
  if (fs::path(relative).filename() == kFleetFolder)
    return RunName(root, fs::path(relative).parent_path().string());
  for (const std::string_view layer : {"plugins/profile/", "profile/"}) {
    const size_t at = relative.rfind(layer);
    const bool whole = at != std::string::npos && (at == 0 || relative[at - 1] == '/');
    const bool last = whole && relative.find('/', at + layer.size()) == std::string::npos;
    if (last && (layer.size() > 8 || at == 0)) return relative.erase(at, layer.size());
  }
  return relative;
}

bool SniffsAsProfile(const std::string& path) {
  const Result<std::string> prefix = ReadPrefix(path, 4096);
  if (!prefix.ok()) return false;
  const auto bytes = std::as_bytes(std::span(prefix->data(), prefix->size()));
  return std::any_of(Loaders().begin(), Loaders().end(),
                     [&](const LoaderDesc* loader) { return loader->sniff(bytes); });
}

// A run directory of TensorFlow or JAX, where loose JSON files are something else.
bool IsProfilerDirectory(const fs::path& directory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(directory, error).parent_path();
  return whole.filename() == "profile" && whole.parent_path().filename() == "plugins";
}

bool IsCertain(const FileName& name) {
  return name.kind == Kind::kOwn || name.kind == Kind::kCommon;
}

// The first loader, in order of preference, that certainly has files here; else the first one whose
// files these may be; else null.
const LoaderDesc* ChooseLoader(const std::vector<Found>& found) {
  for (const Kind least : {Kind::kCommon, Kind::kLoose}) {
    for (const LoaderDesc* loader : Loaders()) {
      if (std::any_of(found.begin(), found.end(), [&](const Found& f) {
            return f.kind.loader == loader && f.kind.kind <= least;
          }))
        return loader;
    }
  }
  return nullptr;
}

// The first of two files of a host is read, unless it is empty: a capture that is too large for an
// .xplane.pb leaves an empty one beside its .xplane.riegeli.
// `places`: of the run's files, by host.
void AddFile(const Found& found, std::unordered_map<std::string, size_t>* places, ProfileRun* run) {
  const auto [place, added] = places->try_emplace(found.kind.host, run->files.size());
  if (added) {
    run->files.push_back({found.path, found.kind.host, nullptr});
    return;
  }
  InputFile* const same = &run->files[place->second];
  std::string skipped = found.name, read = fs::path(same->path).filename().string();
  std::error_code error;
  if (fs::file_size(same->path, error) == 0 && !error) {
    same->path = found.path;
    std::swap(skipped, read);
  }
  run->skipped.push_back(skipped + ": " + read + " of this host is read instead");
}

// Why a file of another format than that of the run is not read.
std::string OtherFormat(const Found& found, const LoaderDesc& chosen, const ProfileRun& run) {
  const bool has = std::any_of(run.files.begin(), run.files.end(),
                               [&](const InputFile& i) { return i.host == found.kind.host; });
  const std::string name = chosen.format->name;
  return found.name + (has ? ": the " + name + " of this host is read instead"
                           : ": the " + name +
                                 "s of this run are read; open this file itself to "
                                 "see it");
}

// JAX writes the events of a run once more for another viewer: it is read only where nothing else
// of the run is there.
bool IsCopy(const Found& found) { return found.name.starts_with("perfetto_trace.json"); }

// Puts the files that make up the directory's run into `run`. False if there are none.
bool MakeRun(std::vector<Found> found, bool allow_loose, ProfileRun* run) {
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.name < b.name; });
  const LoaderDesc* chosen = ChooseLoader(found);
  std::unordered_map<std::string, size_t> places;
  for (const Found& f : found) {
    if (f.kind.loader != chosen) continue;
    const bool loose = f.kind.kind == Kind::kLoose && allow_loose && SniffsAsProfile(f.path);
    if (IsCertain(f.kind) || loose) AddFile(f, &places, run);
  }
  for (const Found& f : found) {
    if (run->files.empty() && IsCopy(f) && SniffsAsProfile(f.path)) {
      AddFile(f, &places, run);
    } else if (f.kind.kind == Kind::kSkipped) {
      run->skipped.push_back(f.name + ": " + f.kind.reason);
    } else if (f.kind.loader != chosen) {
      run->skipped.push_back(OtherFormat(f, *chosen, *run));
    }
  }
  std::sort(run->skipped.begin(), run->skipped.end());
  return !run->files.empty();
}

// "*.xplane.pb, *.trace.json": names that make a file a profile.
std::string CertainNames() {
  std::string text;
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& e : loader->endings) {
      if (e.kind == Kind::kOwn || e.kind == Kind::kCommon)
        text += (text.empty() ? "*" : ", *") + std::string(e.text);
    }
  }
  return text;
}

Status NothingFound(const std::string& path, const Walk& walk) {
  std::string text = path + ": no profile found. Looked for plugins/profile/<run>/<host>" +
                     Loaders().front()->endings.front().text + " at any height, and for " +
                     CertainNames() + " (also .gz, .zst) in the folder itself; ";
  text += std::to_string(walk.entries) + " entries seen";
  if (walk.cut)
    text += ", then a limit was reached (depth " + std::to_string(kMaxDirectoryDepth) + ", " +
            std::to_string(kMaxDirectoryEntries) + " entries)";
  for (const auto& [directory, files] : walk.files) {
    for (const Found& f : files) {
      if (f.kind.kind == Kind::kSkipped)
        return {ErrorCode::kFormat, text + ". " + f.name + " is there: " + f.kind.reason};
    }
  }
  return {ErrorCode::kFormat, text};
}

// Captures of graphs are loaded with the run beside them: they are runs only where there is no
// other.
void DropCaptures(std::vector<ProfileRun>* runs) {
  const auto captures = [](const ProfileRun& run) {
    return fs::path(run.directory).filename() == kCaptureFolder;
  };
  if (!std::all_of(runs->begin(), runs->end(), captures)) std::erase_if(*runs, captures);
}

Result<std::vector<ProfileRun>> RunsOfWalk(const std::string& path, Walk walk, bool loose) {
  const fs::path root(path);
  std::vector<ProfileRun> runs;
  for (auto& entry : walk.files) {
    const auto& [relative, found] = entry;
    ProfileRun run;
    run.directory = relative.empty() ? path : (root / relative).string();
    const bool profiler_directory = IsProfilerDirectory(run.directory);
    const bool at_root = relative.empty();
    // Below the given folder only what is certainly a profile counts: a home directory is full of
    // JSON.
    const bool has_profile = std::any_of(found.begin(), found.end(), [&](const Found& f) {
      return f.kind.kind == Kind::kOwn || (IsCopy(f) && profiler_directory) ||
             (f.kind.kind == Kind::kCommon && (at_root || profiler_directory));
    });
    if (!has_profile && !at_root) continue;
    run.name = RunName(root, relative);
    if (MakeRun(std::move(entry.second), loose && at_root && !profiler_directory, &run))
      runs.push_back(std::move(run));
  }
  if (runs.empty()) return NothingFound(path, walk);
  DropCaptures(&runs);
  // Newest first: run names are dates, and `train/2026_…` sorts with its date.
  std::stable_sort(runs.begin(), runs.end(), [](const ProfileRun& a, const ProfileRun& b) {
    const std::string a_last = a.name.substr(a.name.rfind('/') + 1);
    const std::string b_last = b.name.substr(b.name.rfind('/') + 1);
    return a_last != b_last ? a_last > b_last : a.name > b.name;
  });
  return runs;
}

Result<std::vector<ProfileRun>> RunsOfDirectory(const std::string& path) {
  Walk walk;
  List(fs::path(path), "", 0, &walk);
  return RunsOfWalk(path, std::move(walk), true);
}

}  // namespace

Result<std::vector<ProfileRun>> RunsOfListing(const std::string& root,
                                              std::span<const ListedFile> files) {
  Walk walk;
  for (const ListedFile& file : files) {
    if (++walk.entries > kMaxDirectoryEntries) {
      walk.cut = true;
      break;
    }
    const size_t slash = file.path.rfind('/');
    const std::string name = slash == std::string::npos ? file.path : file.path.substr(slash + 1);
    FileName kind = ClassifyFileName(name);
    if (kind.loader == nullptr || file.bytes == 0) continue;
    walk.files[slash == std::string::npos ? std::string() : file.path.substr(0, slash)].push_back(
        {root + (root.ends_with('/') ? "" : "/") + file.path, name, std::move(kind)});
  }
  return RunsOfWalk(root, std::move(walk), false);
}

Result<ProfileRun> PickRun(std::vector<ProfileRun> runs, const std::string& wanted,
                           const std::string& path) {
  // The runs of a fleet are in its parts: its loader chooses (loaders/fleet).
  const bool fleet =
      runs.size() == 1 && fs::path(runs.front().directory).filename() == kFleetFolder;
  if (wanted.empty() || fleet) return std::move(runs.front());
  std::string known;
  for (ProfileRun& run : runs) {
    if (run.name == wanted) return std::move(run);
    known += (known.empty() ? "" : ", ") + run.name;
  }
  return Status(ErrorCode::kUsage, path + ": no run named " + wanted + "; there are: " + known);
}

FileName ClassifyFileName(std::string_view name) {
  std::string_view stem = name;
  for (const std::string_view packed : kPackedEndings) {
    if (!stem.ends_with(packed)) continue;
    stem.remove_suffix(packed.size());
    break;
  }
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& ending : loader->endings) {
      if (!stem.ends_with(ending.text)) continue;
      stem.remove_suffix(std::string_view(ending.text).size());
      return {loader, ending.kind, std::string(stem), ending.reason};
    }
  }
  return {};
}

std::vector<std::string> ReadEndings(const LoaderDesc& loader) {
  std::vector<std::string> endings;
  for (const FileEnding& ending : loader.endings) {
    if (ending.kind == Kind::kSkipped) continue;
    endings.emplace_back(ending.text);
    for (const std::string_view packed : kPackedEndings)
      endings.push_back(ending.text + std::string(packed));
  }
  return endings;
}

Result<std::vector<ProfileRun>> FindRuns(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    return Status(ErrorCode::kIo, path + ": no such file or directory");
  }
  if (error) return Status(ErrorCode::kIo, path + ": " + error.message());
  if (status.type() == fs::file_type::directory) return RunsOfDirectory(path);
  if (status.type() != fs::file_type::regular) {
    return Status(ErrorCode::kIo, path + ": neither a file nor a directory");
  }
  const fs::path file(path);
  ProfileRun run;
  run.name = file.filename().string();
  run.directory = file.has_parent_path() ? file.parent_path().string() : ".";
  FileName kind = ClassifyFileName(run.name);
  run.files.push_back({path, kind.host.empty() ? file.stem().string() : kind.host, nullptr});
  return std::vector<ProfileRun>{std::move(run)};
}

}  // namespace stepscope
