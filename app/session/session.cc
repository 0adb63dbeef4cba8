#include "app/session/session.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "app/session/jobs.h"
#include "app/session/open_together.h"
#include "app/system/paths.h"
#include "loaders/profile_dir.h"
#include "loaders/remote/remote_path.h"

namespace stepscope {
namespace fs = std::filesystem;
namespace {

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
      line += before + std::string(ending.text);
      before = ", ";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Session::Session(Scheduler& scheduler, const SettingsStore& store, SessionHost host,
                 AgentSocketConfig agents)
    : store_(store),
      host_(std::move(host)),
      scheduler_(scheduler),
      loading_(scheduler, Urgency::kFirst),
      deriving_(scheduler, Urgency::kRest),
      waits_(scheduler, Urgency::kBlocking),
      dialog_(waits_),
      capture_(std::make_unique<CaptureJob>(waits_)),
      agent_config_(std::move(agents)) {
  view_.capture.default_folder = RecordingsDirectory().string();
  view_.recent = store_.ReadRecent();
  view_.formats = FormatLines();
  view_.sample_path = SamplePath();
}

Session::~Session() = default;

const SessionView& Session::Update() {
  UpdateDerived();  // before a load ends, so that its profile is drawn once first
  if (load_) TakePreview();
  if (load_) OnLoaded();
  StartNext();
  if (auto told = save_.Update()) Note(std::move(*told));
  UpdateInstalling();
  UpdateLoading();
  if (const auto run = capture_->Update(&view_.capture)) OpenRecorded(*run);
  if (auto paths = dialog_.TakeChosen(); paths && !paths->empty()) Open(*paths, false);
  return view_;
}

void Session::Remember(const LoadRequest& request) {
  if (request.paths.size() != 1 || request.paths[0] == view_.sample_path) return;
  view_.recent = store_.AddRecent(AbsolutePath(request.paths[0]), std::time(nullptr));
}

// Derived tracks wait until the profile has been drawn once: opening never waits for an analysis.
void Session::UpdateDerived() {
  for (Profile& profile : view_.profiles) {
    ProfileLoad& load = loads_[profile.id];
    if (std::optional<DerivedParts> derived = load.derive.Take()) {
      profile.derived = std::move(derived->sets);
      profile.flows = std::move(derived->flows);
    } else if (load.derive_due) {
      load.derive_due = false;
      load.derive.Start(deriving_,
                        [context = profile.analysis](Progress&) { return Derive(*context); });
    }
  }
}

bool Session::deriving() const {
  return std::any_of(loads_.begin(), loads_.end(), [](const auto& load) {
    return load.second.derive.active() || load.second.derive_due;
  });
}

bool Session::cancelling() {
  return loading_.stopping() + deriving_.stopping() + waits_.stopping() > 0;
}

const Profile* Session::Find(ProfileId profile) const {
  return profile.valid() ? FindProfile(view_.profiles, profile) : nullptr;
}

Profile* Session::Find(ProfileId profile) {
  return const_cast<Profile*>(std::as_const(*this).Find(profile));
}

void Session::SetDefinitions(Definitions definitions) {
  if (definitions == definitions_) return;
  definitions_ = definitions;
  ResetAnalyses();
  RequestFrame();
}

void Session::HoldAnalyses(bool hold) {
  if (hold == hold_analyses_) return;
  hold_analyses_ = hold;
  ResetAnalyses();
}

// Gives all profiles new contexts, or none while analyses are held.
void Session::ResetAnalyses() {
  ++view_.generation;
  for (Profile& profile : view_.profiles) {
    ProfileLoad& load = loads_[profile.id];
    load.derive.Stop();
    if (profile.arriving) continue;
    profile.analysis.reset();
    profile.derived.clear();
    profile.flows.reset();
    if (hold_analyses_) continue;
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, definitions_);
    load.derive_due = HasDerivedParts(*profile.trace);
  }
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

void Session::OpenRun(ProfileId profile, const std::string& run_name) {
  if (Find(profile) == nullptr) return;
  LoadOptions options = loads_[profile].request.options;
  options.run = run_name;
  EnqueueReload(profile, std::move(options));
}

void Session::CloseProfile(ProfileId profile) {
  if (load_ && load_->shown.valid() && load_->shown == profile) {
    DropLoads();
    unfinished_ = {};
    return;
  }
  if (profile.valid() && view_.rest_of == profile) DismissError();
  if (Find(profile) == nullptr) return;
  std::erase_if(view_.profiles, [profile](const Profile& open) { return open.id == profile; });
  loads_.erase(profile);
  ++view_.generation;
}

// Stops the load in progress, else the save in progress.
void Session::CancelLoading() {
  if (loading()) return DropLoads();
  if (auto told = save_.Stop()) Note(std::move(*told));
  view_.loading.reset();
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
  for (size_t i = view_.profiles.size(), newer = 0; i-- > 0;) {
    const ProfileId profile = view_.profiles[i].id;
    if (is_recording(loads_[profile]) && newer++ > 0) CloseProfile(profile);
  }
  recorded_.push_back(run_directory);
  OpenNow({run_directory}, !view_.profiles.empty());
}

void Session::DismissError() {
  view_.error.clear();
  view_.can_install = false;
  view_.rest_of = {};
}

void Session::InstallThere() {
  if (!view_.can_install) return;
  DismissError();
  install_.Start(not_there_.paths[0]);
  RequestFrame();
}

// Loads the profile when the program is installed on its host.
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
  return file.loader != nullptr ? file.loader->filter : std::string();
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
  const Profile* saved = Find(profile);
  if (saved == nullptr || saved->arriving) return;
  if (save_.active()) return Note("Not saved: " + path + ": another profile is being saved");
  save_.Start(saved->trace, range, SaveTarget(path, replace));
  RequestFrame();
}

bool Session::SaveFile(const std::string& path, const std::string& contents, bool replace,
                       std::string* where) {
  const fs::path target = SaveTarget(path, replace);
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
  for (const Profile& profile : view_.profiles)
    add(AbsolutePath(loads_.at(profile.id).request.paths[0]));
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
  for (const Profile& profile : view_.profiles) {
    const std::vector<std::string>& paths = loads_.at(profile.id).request.paths;
    if (paths.size() == 1 && AbsolutePath(paths[0]) == path) return profile.id;
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
