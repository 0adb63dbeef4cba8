// How a session loads profiles: the queue of loads, the first picture of a profile, and the part
// that stays when a load ends too early.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "app/session/jobs.h"
#include "app/session/profile_facts.h"
#include "app/session/session.h"
#include "loaders/remote/receiver.h"
#include "loaders/remote/remote_path.h"

namespace stepscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kNoMemory =
    ": not enough memory to load it; close other programs or record a shorter profile";

double Seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

// The bytes that came before the connection broke; null: all is there.
std::shared_ptr<const ByteSource> CameOf(const LoadOptions& options) {
  return options.part == nullptr ? nullptr : options.part->came();
}

std::string WhyCut(const Trace& trace) {
  const Diagnostic* cut = trace.diagnostics.Find(kRemoteCut);
  const std::string why = cut == nullptr || cut->first.empty() ? trace.path : cut->first.front();
  return why + (trace.counts.events() > 0 ? ": what came is shown"
                                          : ": only a first picture of the profile has come");
}

}  // namespace

// The load writes the trace, the window takes it.
struct Session::Preview {
  std::mutex mutex;
  std::shared_ptr<const Trace> trace;
};

Session::Loaded Session::Load(const LoadRequest& request, Progress& progress) {
  try {
    std::vector<std::string> runs;
    Result<std::shared_ptr<const Trace>> trace =
        LoadPaths(request.paths, request.options, CurrentStopToken(), progress, &runs);
    std::string fingerprint = trace.ok() ? ProfileFingerprint(*trace.value()) : std::string();
    return {std::move(trace), std::move(runs), std::move(fingerprint), Clock::now()};
  } catch (const std::bad_alloc&) {
    return {Status(ErrorCode::kLimit, request.paths[0] + kNoMemory), {}, {}, Clock::now()};
  }
}

void Session::StartNext() {
  if (load_ || queue_.empty()) return;
  load_ = CurrentLoad{std::move(queue_.front()), Clock::now(), std::make_shared<Preview>(),
                      ProfileId()};
  queue_.pop_front();
  load_->request.options.part = PartFor(load_->request);
  unfinished_ = {};
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
  // A host that sends a profile may take for ever.
  const bool remote = std::any_of(request.paths.begin(), request.paths.end(), IsRemotePath);
  load_job_.Start(remote ? waits_ : loading_,
                  [request](Progress& progress) { return Load(request, progress); });
  UpdateLoading();
}

// Finds what an earlier load of the same address has got, for the next one to go on with.
std::shared_ptr<StreamPart> Session::PartFor(const LoadRequest& request) const {
  const std::string& path = request.paths[0];
  if (request.paths.size() != 1 || !IsRemotePath(path) || IsBucketPath(path)) return nullptr;
  std::shared_ptr<const ByteSource> came;
  if (unfinished_.paths == request.paths) came = CameOf(unfinished_.options);
  for (const Profile* cut : {FindCut(request.paths), Find(request.replaces)})
    if (cut != nullptr && cut->cut) came = CameOf(loads_.at(cut->id).request.options);
  return std::make_shared<StreamPart>(std::move(came));
}

// Keeps what a load has got that was stopped or failed, until a load of something else begins. What
// a stopped one gets until it ends is kept, too.
void Session::KeepPart(const LoadRequest& request) {
  const Profile* replaced = Find(request.replaces);
  if (replaced == nullptr || !replaced->cut) {
    unfinished_ = request;
  } else if (CameOf(request.options) != nullptr) {
    loads_[replaced->id].request.options.part = request.options.part;
  }
}

const Profile* Session::FindCut(const std::vector<std::string>& paths) const {
  for (const Profile& profile : view_.profiles) {
    if (profile.cut && loads_.at(profile.id).request.paths == paths) return &profile;
  }
  return nullptr;
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
  profile.label = ProfileLabel(*profile.trace);
  profile.arriving = true;
  Insert(request, std::move(profile), ProfileLoad{request, false, {}});
}

// Nothing more comes after a first picture, which by itself would pass for the whole.
void Session::DropPreview() {
  if (load_) CloseProfile(std::exchange(load_->shown, ProfileId()));
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
  const Profile* replaced = Find(load_->request.replaces);
  view_.loading->previewed = load_->shown.valid() || (replaced != nullptr && replaced->cut);
  if (const auto& part = load_->request.options.part; part != nullptr)
    view_.loading->bytes_before = part->reused();
}

void Session::OnLoaded() {
  if (load_job_.progress() != nullptr && !load_job_.done()) return;  // the load still runs
  LoadTimes times;
  times.begin = load_->begin;
  if (const Progress* progress = load_job_.progress()) times.stages = progress->history();
  std::optional<Loaded> loaded = load_job_.Take();
  if (!loaded && load_job_.failed())
    loaded = Loaded{
        Status(ErrorCode::kLimit, load_->request.paths[0] + kNoMemory), {}, {}, Clock::now()};
  if (!loaded) return;
  times.end = loaded->end;
  load_times_ = std::move(times);
  load_status_ = loaded->trace.status();
  if (load_status_.ok()) {
    TakePreview();  // one may have come since Update took the last
  } else {
    DropPreview();
  }
  LoadRequest request = std::move(load_->request);
  const ProfileId shown = load_->shown;
  load_.reset();
  if (Find(shown) != nullptr) request.replaces = shown;
  if (!load_status_.ok()) return FailLoad(std::move(request));
  DismissError();
  Publish(request, std::move(*loaded), shown);
  Remember(request);
}

void Session::Publish(const LoadRequest& request, Loaded loaded, ProfileId picture) {
  const Trace& trace = *loaded.trace.value();
  const bool cut = CameOf(request.options) != nullptr;
  if (cut) view_.error = WhyCut(trace);
  Profile* replaced = Find(request.replaces);
  const bool part_shown = replaced != nullptr && (replaced->id == picture || replaced->cut);
  if (cut && part_shown && trace.counts.events() == 0) {  // the shown part has more
    loads_[replaced->id].request.options.part = request.options.part;
    replaced->cut = true;
    view_.rest_of = replaced->id;
    ++view_.generation;
    return;
  }
  const auto& part = request.options.part;
  const bool same = part_shown && part != nullptr && part->reused() > 0;
  Profile profile = MakeProfile(std::move(loaded), same ? request.replaces : picture, cut);
  if (cut) view_.rest_of = profile.id;
  ProfileLoad load{request, !hold_analyses_ && HasDerivedParts(*profile.trace), {}};
  load.request.options.run = profile.trace->run;
  Insert(request, std::move(profile), std::move(load));
}

void Session::FailLoad(LoadRequest request) {
  KeepPart(request);
  if (load_status_.code() == ErrorCode::kCancelled) return;
  view_.error = load_status_.message();
  view_.can_install = load_status_.code() == ErrorCode::kNotInstalled && request.paths.size() == 1;
  const Profile* shown = Find(request.replaces);
  const bool again = shown != nullptr && shown->cut && !view_.can_install;
  view_.rest_of = again ? request.replaces : ProfileId();
  if (view_.can_install) not_there_ = std::move(request);
}

Profile Session::MakeProfile(Loaded loaded, ProfileId follows, bool cut) {
  Profile profile;
  profile.id = ProfileId(next_id_++);
  profile.trace = std::move(loaded.trace).value();
  profile.label = ProfileLabel(*profile.trace);
  if (!hold_analyses_)
    profile.analysis = std::make_shared<AnalysisContext>(profile.trace, definitions_);
  profile.runs = std::move(loaded.runs);
  profile.load_seconds = Seconds(load_times_.end - load_times_.begin);
  profile.fingerprint = std::move(loaded.fingerprint);
  profile.follows = follows;
  profile.cut = cut;
  return profile;
}

// Inserts the profile in the place of the profile that it replaces. Else it comes behind the
// others, or replaces them all.
void Session::Insert(const LoadRequest& request, Profile profile, ProfileLoad load) {
  Profile* replaced = Find(request.replaces);
  if (replaced != nullptr) {
    loads_.erase(replaced->id);
  } else {
    if (!request.add) {
      view_.profiles.clear();
      loads_.clear();
    }
    replaced = &view_.profiles.emplace_back();
  }
  loads_[profile.id] = std::move(load);
  *replaced = std::move(profile);
  ++view_.generation;
}

void Session::OpenNow(const std::vector<std::string>& paths, bool add_for_comparison) {
  if (paths.empty()) return;
  view_.question.reset();  // the newest choice wins
  // A new choice replaces a load that is under way; a profile to compare with waits for it.
  if (!add_for_comparison) DropLoads();
  LoadRequest request{paths, default_options_, add_for_comparison, ProfileId()};
  // The whole profile takes the place of the part that is shown.
  if (const Profile* cut = FindCut(paths); cut != nullptr && !add_for_comparison)
    request.replaces = cut->id;
  queue_.push_back(std::move(request));
  StartNext();
  RequestFrame();
}

void Session::EnqueueReload(ProfileId profile, LoadOptions options) {
  LoadRequest request = loads_[profile].request;
  request.options = std::move(options);
  request.replaces = profile;
  DropLoads();
  queue_.push_back(std::move(request));
  StartNext();
  RequestFrame();
}

void Session::LoadRest(ProfileId profile) {
  const Profile* shown = Find(profile);
  if (shown == nullptr || !shown->cut) return;
  if (load_ && load_->request.replaces == profile) return;  // it comes already
  DismissError();
  EnqueueReload(profile, loads_[profile].request.options);
}

// A profile that is being written goes on.
void Session::DropLoads() {
  queue_.clear();
  install_.Stop();
  view_.loading.reset();
  if (!load_) return;
  DropPreview();
  KeepPart(load_->request);
  load_job_.Stop();
  load_.reset();
  load_status_ = Status(ErrorCode::kCancelled, "loading was cancelled");
}

}  // namespace stepscope
