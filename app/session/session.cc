#include "app/session/session.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <mutex>
#include <new>
#include <utility>

#include "app/session/capture_job.h"
#include "app/session/job_view.h"
#include "app/session/open_together.h"
#include "app/session/profile_fingerprint.h"
#include "app/system/paths.h"
#include "loaders/profile_dir.h"
#include "loaders/remote/remote_path.h"

namespace stepscope {
namespace fs = std::filesystem;
namespace {

constexpr size_t kNowhere = static_cast<size_t>(-1);
constexpr const char* kNoMemory =
    ": not enough memory to load it; close other programs or record a shorter profile";

double Seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

// The host's name without what the file's name says already: "rank 3" for the host "train rank 3"
// of train.json.gz.
std::string_view BesideFile(std::string_view host, std::string_view file) {
  const std::string_view stem = file.substr(0, file.find('.'));
  if (host == file || !host.starts_with(stem)) return host == file ? "" : host;
  const std::string_view rest = host.substr(stem.size());
  return rest.empty() || rest.front() == ' ' ? rest.substr(std::min<size_t>(1, rest.size())) : host;
}

// The name of the log directory that a run lies in, whether it, its "plugins/profile" or the run
// was opened. TensorBoard's folders between them say nothing.
std::string LogDirectory(const Trace& trace) {
  fs::path path = fs::path(trace.path).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == trace.run) {
    path = path.parent_path();
    if (path.filename() != "profile") return {};  // a file is a run of its own
  }
  for (const char* folder : {"profile", "plugins"})
    if (path.filename() == folder) path = path.parent_path();
  const std::string name = path.filename().string();
  return name == "." || name == ".." ? std::string() : name;
}

// The profile's name in the window, as in "logs · 2026_11_21_11_45_06 · vm" or "resnet · 8 hosts".
std::string LabelOf(const Trace& trace) {
  std::string label = trace.run.empty() ? fs::path(trace.path).filename().string() : trace.run;
  const std::string logs = trace.run.empty() ? std::string() : LogDirectory(trace);
  // Several files together are called after the first: "rank0.json and 7 more".
  const bool named = logs == trace.run || trace.run.starts_with(logs + " and ");
  if (!logs.empty() && !named) label = logs + " · " + label;
  if (trace.hosts.size() == 1) {
    const std::string_view host = BesideFile(trace.HostName(HostId(0)), label);
    if (!host.empty()) label += " · " + std::string(host);
  } else if (trace.hosts.size() > 1) {
    label += " · " + std::to_string(trace.hosts.size()) + " hosts";
  }
  return label;
}

// The list of recent profiles has absolute paths, so that they hold when the program is started
// elsewhere.
std::string AbsolutePath(const std::string& path) {
  if (IsRemotePath(path)) return path;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::vector<std::string> FormatLines() {
  std::vector<std::string> lines;
  for (const LoaderDesc* loader : Loaders()) {
    std::string line = loader->filter;
    const char* before = ": ";
    for (const FileEnding& ending : loader->endings) {
      if (ending.kind == FileEnding::Kind::kSkipped) continue;
      line += before + std::string(ending.text);
      before = ", ";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

// Says why, where a connection broke before any event had come: then the first picture says more.
std::string WhyOnlyPicture(const Trace& trace) {
  const Diagnostic* cut = trace.diagnostics.Find("remote.cut");
  if (cut == nullptr || trace.counts.events() > 0) return {};
  return cut->first.front() + ": only a first picture of the profile has come";
}

}  // namespace

// The load writes the trace, the window takes it.
struct Session::Preview {
  std::mutex mutex;
  std::shared_ptr<const Trace> trace;
};

Session::Session(const SettingsStore& store, SessionHost host)
    : store_(store),
      host_(std::move(host)),
      threads_([this] { RequestFrame(); }),
      dialog_(threads_),
      capture_(std::make_unique<CaptureJob>(threads_)) {
  view_.capture.default_folder = RecordingsDirectory().string();
  view_.recent = store_.ReadRecent();
  view_.formats = FormatLines();
  view_.sample_path = SamplePath();
}

Session::~Session() = default;

Session::Loaded Session::Load(const LoadRequest& request, const std::stop_token& stop,
                              Progress& progress) {
  try {
    std::vector<std::string> runs;
    Result<std::shared_ptr<const Trace>> trace =
        LoadPaths(request.paths, request.options, stop, progress, &runs);
    std::string fingerprint = trace.ok() ? ProfileFingerprint(*trace.value()) : std::string();
    return {std::move(trace), std::move(runs), std::move(fingerprint)};
  } catch (const std::bad_alloc&) {
    return {Status(ErrorCode::kLimit, request.paths[0] + kNoMemory), {}, {}};
  }
}

void Session::StartNext() {
  if (load_ || queue_.empty()) return;
  load_ = CurrentLoad{std::move(queue_.front()), std::chrono::steady_clock::now(),
                      std::make_shared<Preview>(), ProfileId()};
  queue_.pop_front();
  LoadRequest request = load_->request;
  // A profile that is to be replaced is shown until all of the other one has come.
  if (!request.replaces.valid()) {
    request.options.preview = [preview = load_->preview,
                               wake = host_.wake](std::shared_ptr<const Trace> trace) {
      {
        std::lock_guard lock(preview->mutex);
        preview->trace = std::move(trace);
      }
      if (wake) wake();
    };
  }
  load_job_.Start(threads_, [request](const std::stop_token& stop, Progress& progress) {
    return Load(request, stop, progress);
  });
  UpdateLoading();
}

// Shows the first picture of a profile, whose place the profile takes later.
void Session::TakePreview() {
  std::shared_ptr<const Trace> trace;
  {
    std::lock_guard lock(load_->preview->mutex);
    trace = std::exchange(load_->preview->trace, nullptr);
  }
  if (trace == nullptr) return;
  LoadRequest request = load_->request;
  Profile profile;
  profile.id = load_->shown = ProfileId(next_id_++);
  profile.trace = std::move(trace);
  profile.label = LabelOf(*profile.trace);
  profile.arriving = true;
  Put(request, std::move(profile), ProfileLoad{request, false, {}});
}

// Nothing more comes after a first picture, which by itself would pass for the whole.
void Session::DropPreview() {
  if (load_) CloseProfile(std::exchange(load_->shown, ProfileId()));
}

const SessionView& Session::Update() {
  UpdateDerived();  // before a load ends, so that its profile is drawn once first
  if (load_) TakePreview();
  if (load_) FinishLoad();
  StartNext();
  if (auto told = save_.Update()) Note(std::move(*told));
  UpdateInstalling();
  UpdateLoading();
  if (const auto run = capture_->Update(&view_.capture)) OpenRecorded(*run);
  if (auto paths = dialog_.Take(); paths && !paths->empty()) Open(*paths, false);
  return view_;
}

void Session::UpdateLoading() {
  if (!load_) {
    view_.loading.reset();
    if (save_.active()) view_.loading = save_.View();
    if (install_.active()) view_.loading = install_.View();
    return;
  }
  std::string path = load_->request.paths[0];
  if (load_->request.paths.size() > 1)
    path += " and " + std::to_string(load_->request.paths.size() - 1) + " more";
  view_.loading = ViewOfJob(std::move(path), load_->begin, load_job_.progress());
  view_.loading->previewed = load_->shown.valid();
}

void Session::FinishLoad() {
  if (load_job_.progress() != nullptr && !load_job_.done()) return;  // the load still runs
  LoadTimes times;
  times.begin = load_->begin;
  times.end = std::chrono::steady_clock::now();
  if (const Progress* progress = load_job_.progress()) times.stages = progress->history();
  std::optional<Loaded> loaded = load_job_.Take();
  if (!loaded && load_job_.failed())
    loaded = Loaded{Status(ErrorCode::kLimit, load_->request.paths[0] + kNoMemory), {}, {}};
  if (!loaded) return;
  load_times_ = std::move(times);
  load_status_ = loaded->trace.status();
  if (!load_status_.ok()) DropPreview();
  LoadRequest request = std::move(load_->request);
  const ProfileId shown = load_->shown;
  load_.reset();
  if (IndexOf(shown) != kNowhere) request.replaces = shown;
  if (!load_status_.ok()) return FailLoad(std::move(request));
  DismissError();
  if (request.replaces.valid() && request.replaces == shown) {
    view_.error = WhyOnlyPicture(*loaded->trace.value());
    if (!view_.error.empty()) return Remember(request);
  }
  Place(request, std::move(*loaded), Seconds(load_times_.end - load_times_.begin), shown);
  Remember(request);
}

void Session::FailLoad(LoadRequest request) {
  if (load_status_.code() == ErrorCode::kCancelled) return;
  view_.error = load_status_.message();
  view_.can_install = load_status_.code() == ErrorCode::kNotInstalled && request.paths.size() == 1;
  if (view_.can_install) not_there_ = std::move(request);
}

void Session::Place(const LoadRequest& request, Loaded loaded, double seconds, ProfileId follows) {
  Profile profile;
  profile.id = ProfileId(next_id_++);
  profile.trace = std::move(loaded.trace).value();
  profile.label = LabelOf(*profile.trace);
  if (!hold_analyses_)
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, definitions_);
  profile.runs = std::move(loaded.runs);
  profile.load_seconds = seconds;
  profile.fingerprint = std::move(loaded.fingerprint);
  profile.follows = follows;
  ProfileLoad state{request, !hold_analyses_ && HasDerivedParts(*profile.trace), {}};
  state.request.options.run = profile.trace->run;
  Put(request, std::move(profile), std::move(state));
}

void Session::Put(const LoadRequest& request, Profile profile, ProfileLoad state) {
  const size_t place = IndexOf(request.replaces);
  if (place != kNowhere) {
    view_.profiles[place] = std::move(profile);
    loads_[place] = std::move(state);
  } else {
    if (!request.add) {
      view_.profiles.clear();
      loads_.clear();
    }
    view_.profiles.push_back(std::move(profile));
    loads_.push_back(std::move(state));
  }
  ++view_.generation;
}

void Session::Remember(const LoadRequest& request) {
  if (request.paths.size() != 1 || request.paths[0] == view_.sample_path) return;
  view_.recent = store_.AddRecent(AbsolutePath(request.paths[0]), std::time(nullptr));
}

// Derived tracks wait until the profile has been drawn once: opening never waits for an analysis.
void Session::UpdateDerived() {
  for (size_t i = 0; i < loads_.size(); ++i) {
    ProfileLoad& state = loads_[i];
    if (std::optional<DerivedParts> derived = state.derive.Take()) {
      view_.profiles[i].derived = std::move(derived->sets);
      view_.profiles[i].flows = std::move(derived->flows);
    } else if (state.derive_due && !load_ && !hold_derived_) {  // a load goes first
      state.derive_due = false;
      state.derive.Start(
          threads_, [context = view_.profiles[i].analysis](const std::stop_token& stop, Progress&) {
            return Derive(*context, stop);
          });
    }
  }
}

bool Session::deriving() const {
  return std::any_of(loads_.begin(), loads_.end(),
                     [](const ProfileLoad& s) { return s.derive.active() || s.derive_due; });
}

size_t Session::IndexOf(ProfileId profile) const {
  if (!profile.valid()) return kNowhere;
  for (size_t i = 0; i < view_.profiles.size(); ++i) {
    if (view_.profiles[i].id == profile) return i;
  }
  return kNowhere;
}

void Session::SetDefinitions(Definitions definitions) {
  if (definitions == definitions_) return;
  definitions_ = definitions;
  for (size_t i = 0; i < view_.profiles.size(); ++i) ResetAnalyses(i);
  ++view_.generation;
  RequestFrame();
}

void Session::HoldAnalyses(bool hold) {
  if (hold == hold_analyses_) return;
  hold_analyses_ = hold;
  for (size_t i = 0; i < view_.profiles.size(); ++i) ResetAnalyses(i);
  ++view_.generation;
}

void Session::ResetAnalyses(size_t profile_index) {
  loads_[profile_index].derive.Stop();
  Profile& profile = view_.profiles[profile_index];
  if (profile.arriving) return;
  profile.analysis.reset();
  profile.derived.clear();
  profile.flows.reset();
  if (hold_analyses_) return;
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, definitions_);
  loads_[profile_index].derive_due = HasDerivedParts(*profile.trace);
}

void Session::Open(const std::vector<std::string>& paths, bool add_for_comparison) {
  if (!add_for_comparison && paths.size() > 1) {
    const PathsByKind by_kind = SplitByKind(paths);
    if (by_kind.mixed()) {
      OpenNow(by_kind.traces, false);
      for (const std::string& snapshot : by_kind.snapshots) OpenNow({snapshot}, true);
      return;
    }
  }
  const bool two = asks_ && !add_for_comparison && paths.size() == 2;
  if (two && !AreOfOneJob(ReadProfileHint(paths[0]), ReadProfileHint(paths[1]))) {
    Ask(paths, false);
  } else {
    OpenNow(paths, add_for_comparison);
  }
}

void Session::Drop(const std::vector<std::string>& paths) {
  const bool beside = asks_ && paths.size() == 1 && !view_.profiles.empty();
  if (beside) {
    Ask(paths, true);
  } else {
    Open(paths, false);
  }
}

void Session::Ask(const std::vector<std::string>& paths, bool beside) {
  view_.question = OpenQuestion{paths, beside};
  RequestFrame();
}

void Session::Answer(OpenAnswer answer) {
  const std::optional<OpenQuestion> question = std::exchange(view_.question, std::nullopt);
  if (!question) return;
  if (answer == OpenAnswer::kMerge || answer == OpenAnswer::kInstead)
    OpenNow(question->paths, false);
  if (answer != OpenAnswer::kCompare) return;
  bool add = question->beside;
  for (const std::string& path : question->paths) OpenNow({path}, std::exchange(add, true));
}

void Session::OpenNow(const std::vector<std::string>& paths, bool add_for_comparison) {
  if (paths.empty()) return;
  view_.question.reset();  // the newest choice wins
  // A new choice replaces a load that is under way; a profile to compare with waits for it.
  if (!add_for_comparison) DropLoads();
  LoadRequest request{paths, default_options_, add_for_comparison, ProfileId()};
  queue_.push_back(std::move(request));
  StartNext();
  RequestFrame();
}

void Session::EnqueueReload(size_t profile_index, LoadOptions options) {
  LoadRequest request = loads_[profile_index].request;
  request.options = std::move(options);
  request.replaces = view_.profiles[profile_index].id;
  DropLoads();
  queue_.push_back(std::move(request));
  StartNext();
  RequestFrame();
}

void Session::OpenRun(ProfileId profile, const std::string& run_name) {
  const size_t i = IndexOf(profile);
  if (i == kNowhere) return;
  LoadOptions options = loads_[i].request.options;
  options.run = run_name;
  EnqueueReload(i, std::move(options));
}

void Session::CloseProfile(ProfileId profile) {
  if (load_ && load_->shown.valid() && load_->shown == profile) return DropLoads();
  const size_t i = IndexOf(profile);
  if (i == kNowhere) return;
  view_.profiles.erase(view_.profiles.begin() + static_cast<std::ptrdiff_t>(i));
  loads_.erase(loads_.begin() + static_cast<std::ptrdiff_t>(i));
  ++view_.generation;
}

// Ends what is shown: a load, or else the writing of a profile.
void Session::CancelLoading() {
  if (loading()) return DropLoads();
  if (auto told = save_.Stop()) Note(std::move(*told));
  view_.loading.reset();
}

// A profile that is being written goes on.
void Session::DropLoads() {
  queue_.clear();
  install_.Stop();
  view_.loading.reset();
  if (!load_) return;
  DropPreview();
  load_job_.Stop();
  load_.reset();
  load_status_ = Status(ErrorCode::kCancelled, "loading was cancelled");
}

void Session::Capture(const CaptureRequest& request) {
  capture_->Start(request, &view_.capture);
  RequestFrame();
}

void Session::CancelCapture() { capture_->Cancel(&view_.capture); }

void Session::DismissCaptureProblem() { view_.capture.problem.clear(); }

// Opens a recording beside what is open. The last recording of this session stays, so that the two
// are compared; the others are on the disk and among recent profiles.
void Session::OpenRecorded(const std::string& run_directory) {
  const auto is_recording = [this](const ProfileLoad& load) {
    return load.request.paths.size() == 1 &&
           std::find(recorded_.begin(), recorded_.end(), load.request.paths[0]) != recorded_.end();
  };
  for (size_t i = loads_.size(), newer = 0; i-- > 0;) {
    if (is_recording(loads_[i]) && newer++ > 0) CloseProfile(view_.profiles[i].id);
  }
  recorded_.push_back(run_directory);
  OpenNow({run_directory}, !view_.profiles.empty());
}

void Session::DismissError() {
  view_.error.clear();
  view_.can_install = false;
}

void Session::InstallThere() {
  if (!view_.can_install) return;
  DismissError();
  install_.Start(not_there_.paths[0]);
  RequestFrame();
}

// The profile that was asked for is loaded as soon as its host can send it.
void Session::UpdateInstalling() {
  const std::optional<Status> status = install_.Update();
  if (!status) return;
  if (!status->ok()) {
    view_.error = status->message();
    return;
  }
  queue_.push_back(std::move(not_there_));
  StartNext();
}

std::string Session::FormatOfFile(const std::string& name) const {
  const FileName file = ClassifyFileName(name);
  const bool read = file.loader != nullptr && file.kind != FileEnding::Kind::kSkipped;
  return read ? file.loader->filter : std::string();
}

void Session::NativeOpenDialog(bool folder) { dialog_.Show(folder); }

bool Session::has_native_dialog() const { return dialog_.available(); }

void Session::Quit() {
  if (host_.quit) host_.quit();
}

void Session::ToggleFullscreen() {
  if (host_.toggle_fullscreen) host_.toggle_fullscreen();
}

void Session::SetClipboard(const std::string& text) {
  if (host_.set_clipboard) host_.set_clipboard(text);
}

void Session::Note(std::string text) {
  view_.note = std::move(text);
  ++view_.notes;
}

void Session::SaveProfile(ProfileId profile, TimeRange range, const std::string& path,
                          bool replace) {
  const size_t i = IndexOf(profile);
  if (i == kNowhere || view_.profiles[i].arriving) return;
  if (save_.active()) return Note("Not saved: " + path + ": another profile is being saved");
  save_.Start(view_.profiles[i].trace, range, TargetOf(path, replace));
  RequestFrame();
}

bool Session::SaveFile(const std::string& path, const std::string& contents, bool replace,
                       std::string* where) {
  const fs::path target = TargetOf(path, replace);
  if (target.filename().empty()) return false;
  if (!WriteFileAtomically(target, contents)) return false;
  if (where) *where = target.string();
  return true;
}

std::string Session::ReadNotes(const std::string& fingerprint) {
  return store_.ReadNotes(fingerprint);
}

bool Session::WriteNotes(const std::string& fingerprint, const std::string& text) {
  return store_.WriteNotes(fingerprint, text);
}

std::string Session::SetNotesAside(const std::string& fingerprint) {
  return store_.SetNotesAside(fingerprint);
}

// The folder that the program was started in, and those of profiles that the user has opened.
std::vector<std::string> Session::AgentFolders() const {
  std::error_code error;
  std::vector<std::string> folders = {fs::current_path(error).string()};
  const auto add = [&folders](const std::string& path) {
    if (!path.empty() && !IsRemotePath(path))
      folders.push_back(fs::path(path).parent_path().string());
  };
  for (const RecentProfile& recent : view_.recent) add(recent.path);
  for (const ProfileLoad& load : loads_) add(AbsolutePath(load.request.paths[0]));
  return folders;
}

std::string Session::AllowAgents(bool allow) {
  agents_.reset();
  view_.agents = {};
  if (!allow) return "";
  AgentSocketConfig config = agent_config_;
  config.folders = AgentFolders();
  config.wake = [this] { RequestFrame(); };
  Result<std::unique_ptr<AgentSocket>> opened = AgentSocket::Open(std::move(config));
  if (!opened.ok()) return opened.status().message();
  agents_ = std::move(opened).value();
  view_.agents.allowed = true;
  return "";
}

ProfileId Session::OpenedAs(const std::string& path) const {
  for (size_t i = 0; i < loads_.size(); ++i) {
    const std::vector<std::string>& paths = loads_[i].request.paths;
    if (paths.size() == 1 && AbsolutePath(paths[0]) == path) return view_.profiles[i].id;
  }
  return ProfileId();
}

void Session::RequestFrame() {
  if (host_.wake) host_.wake();
}

void Session::ClearRecent() {
  store_.ClearRecent();
  view_.recent.clear();
}

}  // namespace stepscope
