#include "loaders/profile_dir.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "loaders/files/json_forms.h"
#include "loaders/loader.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

using Kind = FileEnding::Kind;

struct Found {
  std::string path, name;
  FileName kind;
  int rank = -1;  // as the folder says
};

// A file that no loader reads by its name.
struct Other {
  std::string path, name;
  std::optional<ForeignFile> foreign;
};

struct Walk {
  size_t entries = 0;
  bool cut = false;           // a limit was reached
  std::vector<Other> others;  // the first of them
  std::map<std::string, std::vector<Found>>
      files;  // by directory, relative to the root; "" is the root
};

std::string JoinNames(std::string folder, const std::string& name) {
  if (!folder.empty()) folder += '/';
  return folder += name;
}

// Hidden folders hold the files of other programs.
bool IsHidden(const std::string& relative) {
  return relative.starts_with('.') || relative.find("/.") != std::string::npos;
}

void AddFound(const std::string& relative, std::string path, const std::string& name, Walk* walk) {
  constexpr size_t kMostOthers = 256;
  FileName kind = ClassifyFileName(name);
  const bool beside = kind.foreign && kind.foreign->kind == ForeignFile::Kind::kBeside;
  if (kind.loader == nullptr && walk->others.size() < kMostOthers && !IsHidden(relative))
    walk->others.push_back({path, name, kind.foreign});
  if (kind.loader != nullptr || beside)
    walk->files[relative].push_back({std::move(path), name, std::move(kind)});
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
      AddFound(relative, it->path().string(), name, walk);
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
  if (JsonFormOf(*prefix) != JsonForm::kUsual) return true;
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
  return name.loader != nullptr && (name.kind == Kind::kOwn || name.kind == Kind::kCommon);
}

bool IsEmptyFile(const std::string& path) {
  std::error_code error;
  return fs::file_size(path, error) == 0 && !error;
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

// The first of two files of a host is read, unless it is empty or damaged: a capture that is too
// large for an .xplane.pb leaves an empty one beside its .xplane.riegeli.
// `places`: of the run's files, by host.
void AddFile(const Found& found, std::unordered_map<std::string, size_t>* places, ProfileRun* run) {
  const auto [place, added] = places->try_emplace(found.kind.host, run->files.size());
  if (added) {
    run->files.push_back({found.path, found.kind.host, nullptr, found.rank});
    return;
  }
  InputFile* const same = &run->files[place->second];
  std::string skipped = found.name, read = fs::path(same->path).filename().string();
  if (IsEmptyFile(same->path) || (!SniffsAsProfile(same->path) && SniffsAsProfile(found.path))) {
    same->path = found.path;
    std::swap(skipped, read);
  }
  run->skipped.push_back(skipped + ": " + read + " of this host is read instead");
}

// Drops files that are empty or damaged where another format has a good file of their host: their
// names would choose the loader. An .xplane.pb of more than 2 GB is written empty, and the
// .trace.json.gz beside it is whole.
void DropDamaged(std::vector<Found>* found, ProfileRun* run) {
  std::unordered_map<std::string, std::vector<size_t>> by_host;
  for (size_t i = 0; i < found->size(); ++i) {
    if (IsCertain((*found)[i].kind)) by_host[(*found)[i].kind.host].push_back(i);
  }
  std::vector<bool> drop(found->size());
  for (const auto& [host, files] : by_host) {
    const LoaderDesc* first = (*found)[files.front()].kind.loader;
    const bool several = std::any_of(files.begin(), files.end(),
                                     [&](size_t i) { return (*found)[i].kind.loader != first; });
    if (!several) continue;
    std::vector<size_t> damaged;
    const Found* good = nullptr;
    for (const size_t i : files) {
      const Found& file = (*found)[i];
      if (!SniffsAsProfile(file.path)) {
        damaged.push_back(i);
      } else if (good == nullptr) {
        good = &file;
      }
    }
    if (good == nullptr) continue;
    for (const size_t i : damaged) {
      const Found& file = (*found)[i];
      if (file.kind.loader == good->kind.loader) continue;  // AddFile chooses
      drop[i] = true;
      run->missing.push_back(
          file.name +
          (IsEmptyFile(file.path) ? ": the file is empty; " : ": the file is damaged; ") +
          good->name + " of this host is read instead");
    }
  }
  run->skipped.insert(run->skipped.end(), run->missing.begin(), run->missing.end());
  size_t at = 0;
  std::erase_if(*found, [&](const Found&) { return drop[at++]; });
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

// Names a file that was skipped because its content is no profile, if a profile should be there.
void NameLoose(const Found& found, ProfileRun* run) {
  const Result<std::string> prefix = ReadPrefix(found.path, kForeignPrefix);
  if (!prefix.ok() || SniffsAsProfile(found.path)) return;
  const std::optional<ForeignFile> foreign = ForeignByContent(*prefix);
  const bool instead = foreign && foreign->kind == ForeignFile::Kind::kInstead;
  if (!prefix->empty() && !instead) return;
  run->missing.push_back(found.name + ": " +
                         (prefix->empty() ? "the file is empty" : foreign->Text()));
  run->skipped.push_back(run->missing.back());
}

// Puts the files that make up the directory's run into `run`. False if there are none.
bool MakeRun(std::vector<Found> found, bool allow_loose, ProfileRun* run) {
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.name < b.name; });
  DropDamaged(&found, run);
  const LoaderDesc* chosen = ChooseLoader(found);
  std::unordered_map<std::string, size_t> places;
  for (const Found& f : found) {
    if (f.kind.loader != chosen || chosen == nullptr) continue;
    const bool loose = f.kind.kind == Kind::kLoose && allow_loose && SniffsAsProfile(f.path);
    if (IsCertain(f.kind) || loose) AddFile(f, &places, run);
  }
  for (const Found& f : found) {
    if (run->files.empty() && IsCopy(f) && SniffsAsProfile(f.path)) {
      AddFile(f, &places, run);
    } else if (f.kind.foreign) {
      run->skipped.push_back(f.name + ": " + f.kind.foreign->name);
      if (IsCopy(f) && SniffsAsProfile(f.path)) run->others.push_back({f.path, f.kind.host});
    } else if (f.kind.loader != chosen) {
      run->skipped.push_back(OtherFormat(f, *chosen, *run));
      if (IsCertain(f.kind)) run->others.push_back({f.path, f.kind.host});
    } else if (allow_loose && f.kind.kind == Kind::kLoose) {
      NameLoose(f, run);
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

// What a file in a folder without profiles is, or nothing.
std::optional<ForeignFile> NameOther(const Other& file) {
  if (file.foreign) return file.foreign;
  const Result<std::string> prefix = ReadPrefix(file.path, kForeignPrefix);
  if (!prefix.ok() || prefix->empty()) return std::nullopt;
  std::optional<ForeignFile> found = ForeignByContent(*prefix);
  if (found && found->kind == ForeignFile::Kind::kGeneral) return std::nullopt;
  return found;
}

// What lies in a folder without profiles, the most telling first: "vm.overview_page.pb: tool data".
// Empty where nothing is known.
std::string WhatIsThere(const Walk& walk) {
  constexpr size_t kMostRead = 64, kMostSaid = 3;
  std::vector<Other> files;
  for (const auto& [directory, found] : walk.files) {
    for (const Found& f : found) {
      if (f.kind.loader != nullptr) files.push_back({f.path, f.name, std::nullopt});
    }
  }
  files.insert(files.end(), walk.others.begin(), walk.others.end());
  struct Said {
    ForeignFile what;
    std::string first;
    size_t files = 0;
  };
  std::vector<Said> said;
  size_t read = 0;
  for (const Other& file : files) {
    if (!file.foreign && read++ >= kMostRead) continue;
    const std::optional<ForeignFile> what = NameOther(file);
    if (!what) continue;
    auto at = std::find_if(said.begin(), said.end(),
                           [&](const Said& s) { return s.what.name == what->name; });
    if (at == said.end()) at = said.insert(at, {*what, file.name});
    ++at->files;
  }
  const auto rank = [](const Said& s) {
    using ForeignKind = ForeignFile::Kind;
    return s.what.kind == ForeignKind::kInstead ? 0 : s.what.kind == ForeignKind::kBeside ? 1 : 2;
  };
  std::stable_sort(said.begin(), said.end(),
                   [&](const Said& a, const Said& b) { return rank(a) < rank(b); });
  std::string text;
  for (size_t i = 0; i < std::min(said.size(), kMostSaid); ++i) {
    const size_t more = said[i].files - 1;
    text += (i > 0 ? ". " : "") + said[i].first +
            (more > 0 ? " and " + std::to_string(more) + " more" : "") + ": " + said[i].what.Text();
  }
  return text;
}

Status NothingFound(const std::string& path, const Walk& walk) {
  const std::string there = WhatIsThere(walk);
  std::string text = path + ": no profile found. ";
  if (!there.empty()) text += there + ". ";
  text += "Looked for plugins/profile/<run>/<host>" +
          std::string(Loaders().front()->endings.front().text) + " at any height, and for " +
          CertainNames() + " (also .gz, .zst) in the folder itself; ";
  text += std::to_string(walk.entries) + " entries seen";
  if (walk.cut)
    text += ", then a limit was reached (depth " + std::to_string(kMaxDirectoryDepth) + ", " +
            std::to_string(kMaxDirectoryEntries) + " entries)";
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

// Ascend's profilers write a folder for each process, and the trace below it:
// "<host>_<pid>_<time>_ascend_pt/ASCEND_PROFILER_OUTPUT/trace_view.json" (torch_npu) or
// "PROF_<number>_<time>/mindstudio_profiler_output/msprof_<time>.json" (msprof).
struct AscendLayout {
  std::string_view folder, file;
};
constexpr AscendLayout kAscendLayouts[] = {{"ASCEND_PROFILER_OUTPUT", "trace_view.json"},
                                           {"mindstudio_profiler_output", "msprof_"}};

// The folder at that place below the root: its own name where it is the root.
std::string FolderName(const fs::path& root, const std::string& relative) {
  return fs::path(RunName(root, relative)).filename().string();
}

std::string Parent(const std::string& relative) {
  return fs::path(relative).parent_path().string();
}

// 3 where "profiler_info_3.json" is among the files; -1 where there is none.
int AscendRank(const std::vector<Found>& found) {
  constexpr std::string_view kInfo = "profiler_info_";
  for (const Found& f : found) {
    if (!f.name.starts_with(kInfo)) continue;
    int rank = -1;
    std::from_chars(f.name.data() + kInfo.size(), f.name.data() + f.name.size(), rank);
    return rank;
  }
  return -1;
}

// The process that wrote a folder: "rank0" for "rank0_ascend_pt".
std::string AscendProcess(std::string folder) {
  constexpr std::string_view kEnding = "_ascend_pt";
  if (folder.ends_with(kEnding)) folder.resize(folder.size() - kEnding.size());
  return folder;
}

// The traces of a folder of one of Ascend's layouts, with their processes as hosts.
std::vector<Found> AscendTraces(const fs::path& root, const std::string& relative,
                                const AscendLayout& layout, const Walk& walk) {
  std::vector<Found> traces;
  const std::string process = FolderName(root, Parent(relative));
  const auto around = walk.files.find(Parent(relative));
  for (const Found& f : walk.files.at(relative)) {
    if (f.kind.loader == nullptr || !f.name.starts_with(layout.file)) continue;
    Found& trace = traces.emplace_back(f);
    trace.name = process + "/" + relative.substr(relative.rfind('/') + 1) + "/" + f.name;
    trace.kind.kind = Kind::kOwn;
    trace.kind.host = AscendProcess(process);
    if (traces.size() > 1) trace.kind.host += " " + f.name;
    if (around != walk.files.end()) trace.rank = AscendRank(around->second);
  }
  return traces;
}

// Moves the traces of Ascend's layouts to the folder that holds those of all processes, where they
// make up one run. What msprof wrote below a folder of torch_npu is in its trace already.
void GatherAscend(const fs::path& root, Walk* walk) {
  std::map<std::string, std::vector<Found>> gathered;  // by folder
  std::vector<std::string> done;                       // folders of processes
  for (const AscendLayout& layout : kAscendLayouts) {
    for (const auto& [relative, found] : walk->files) {
      if (relative.empty() || FolderName(root, relative) != layout.folder) continue;
      const bool inside = std::any_of(done.begin(), done.end(), [&](const std::string& folder) {
        return folder.empty() || relative.starts_with(folder + "/");
      });
      std::vector<Found> traces =
          inside ? std::vector<Found>() : AscendTraces(root, relative, layout, *walk);
      std::vector<Found>& all = gathered[Parent(Parent(relative))];
      if (!traces.empty()) done.push_back(Parent(relative));
      std::move(traces.begin(), traces.end(), std::back_inserter(all));
    }
  }
  std::erase_if(walk->files, [&](const auto& entry) {
    return !entry.first.empty() &&
           std::any_of(std::begin(kAscendLayouts), std::end(kAscendLayouts),
                       [&](const auto& l) { return FolderName(root, entry.first) == l.folder; });
  });
  for (auto& [folder, traces] : gathered) {
    if (traces.empty()) continue;
    std::vector<Found>& found = walk->files[folder];
    // JSON beside them is about the recording: profiler_info_0.json.
    std::erase_if(found, [](const Found& f) { return !IsCertain(f.kind); });
    std::move(traces.begin(), traces.end(), std::back_inserter(found));
  }
}

// In a folder of one of Ascend's layouts the tables beside the trace are no traces.
void KeepAscendTraces(const fs::path& root, Walk* walk) {
  const auto at_root = walk->files.find("");
  if (at_root == walk->files.end()) return;
  for (const AscendLayout& layout : kAscendLayouts) {
    if (FolderName(root, "") != layout.folder) continue;
    std::erase_if(at_root->second,
                  [&](const Found& f) { return !f.name.starts_with(layout.file); });
  }
}

Result<std::vector<ProfileRun>> RunsOfWalk(const std::string& path, Walk walk, bool loose) {
  const fs::path root(path);
  GatherAscend(root, &walk);
  KeepAscendTraces(root, &walk);
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
      return (f.kind.loader != nullptr && f.kind.kind == Kind::kOwn) ||
             (IsCopy(f) && profiler_directory) ||
             (IsCertain(f.kind) && (at_root || profiler_directory));
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
    if (file.bytes == 0) continue;
    AddFound(slash == std::string::npos ? std::string() : file.path.substr(0, slash),
             root + (root.ends_with('/') ? "" : "/") + file.path, name, &walk);
  }
  return RunsOfWalk(root, std::move(walk), false);
}

Result<ProfileRun> PickRun(std::vector<ProfileRun> runs, const std::string& wanted,
                           const std::string& path) {
  // The runs of a fleet are in its parts: its loader chooses (loaders/fleet).
  const bool fleet =
      runs.size() == 1 && fs::path(runs.front().directory).filename() == kFleetFolder;
  if (wanted.empty() || fleet || runs.size() == 1) return std::move(runs.front());
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
  FileName found;
  found.foreign = ForeignByName(stem);
  if (found.foreign) return found;
  for (const LoaderDesc* loader : Loaders()) {
    for (const FileEnding& ending : loader->endings) {
      if (!stem.ends_with(ending.text)) continue;
      stem.remove_suffix(std::string_view(ending.text).size());
      return {loader, ending.kind, std::string(stem), std::nullopt};
    }
  }
  return found;
}

std::vector<std::string> ReadEndings(const LoaderDesc& loader) {
  std::vector<std::string> endings;
  for (const FileEnding& ending : loader.endings) {
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
