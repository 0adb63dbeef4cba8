#include "capture/record.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "capture/answer.h"
#include "capture/call_servers.h"
#include "capture/profiler.pb.h"

namespace stepscope::capture {
namespace fs = std::filesystem;
namespace {

constexpr const char kProfileMethod[] = "/tensorflow.ProfilerService/Profile";
constexpr uint64_t kMaxEvents = 1'000'000;       // as TensorBoard asks; servers of GPUs ignore it
constexpr std::chrono::minutes kCollectTime{5};  // for a server to put a large profile together
constexpr std::chrono::milliseconds kBetweenAttempts{200};

std::string TimeText(std::chrono::milliseconds time) {
  const auto ms = time.count();
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  return std::to_string(ms) + " ms";
}

// A folder for the run that is not there yet: named by the local time, as TensorBoard names it.
fs::path NewRunDirectory(const fs::path& profiles) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char name[32];
  std::strftime(name, sizeof name, "%Y_%m_%d_%H_%M_%S", &local);
  fs::path path = profiles / name;
  std::error_code error;
  for (int i = 2; fs::exists(path, error); ++i)
    path = profiles / (name + ("_" + std::to_string(i)));
  return path;
}

// What became of one server in one attempt.
enum class Outcome { kRecorded, kNothing, kRetry, kFailed };

class Recording {
 public:
  Recording(const RecordOptions& options, const WriteFile& write, Progress& progress,
            SentTime* sent)
      : options_(options),
        write_(write),
        progress_(progress),
        sent_(sent),
        names_(FileNamesOf(options.servers)) {
    std::error_code error;
    const fs::path log = fs::absolute(options.log_directory, error).lexically_normal();
    run_ = NewRunDirectory(log / "plugins" / "profile");
  }

  Result<Recorded> Run(const std::stop_token& stop) {
    for (int attempt = 1;; ++attempt) {
      recorded_.attempts = attempt;
      if (!Attempt(stop)) return Cancelled();
      if (!recorded_.files.empty()) return Finished();
      if (attempt >= options_.attempts || !MayRetry()) break;
      if (!Wait(stop)) return Cancelled();
    }
    CleanUp();
    return WhyNothing();
  }

 private:
  struct Gave {
    Outcome outcome = Outcome::kFailed;
    Status status;
  };

  CallRequest RequestFor(size_t server) const {
    pb::ProfileRequest request;
    const auto ms = static_cast<uint64_t>(options_.duration.count());
    request.set_duration_ms(ms);
    request.set_max_events(kMaxEvents);
    request.add_tools("xplane.pb");
    pb::ProfileOptions& levels = *request.mutable_opts();
    levels.set_version(1);
    levels.set_host_tracer_level(static_cast<uint32_t>(options_.host_level));
    levels.set_device_tracer_level(static_cast<uint32_t>(options_.device_level));
    levels.set_python_tracer_level(static_cast<uint32_t>(options_.python_level));
    levels.set_enable_hlo_proto(true);
    levels.set_duration_ms(ms);
    // Older servers, such as that of TensorFlow 2.18, do not know emit_xspace. They write the file
    // themselves, where and as these three fields say.
    request.set_repository_root(run_.parent_path().string());
    request.set_session_id(run_.filename().string());
    request.set_host_name(names_[server]);
    request.set_emit_xspace(true);
    return {kProfileMethod, request.SerializeAsString(), options_.max_answer_bytes};
  }

  // One recording of all servers. False: it was stopped.
  bool Attempt(const std::stop_token& stop) {
    std::vector<ServerCall> calls;
    for (size_t i = 0; i < options_.servers.size(); ++i)
      calls.push_back({options_.servers[i], RequestFor(i)});
    gave_.assign(calls.size(), {});
    progress_.bytes_done = progress_.bytes_total = 0;  // of the attempt before
    CallTimes times;
    times.delay = options_.delay;
    times.silence = options_.duration + kCollectTime;
    return CallServers(calls, times, stop, progress_, sent_,
                       [this](size_t server, const CallAnswer& answer) {
                         gave_[server] = TakeAnswer(server, answer);
                       });
  }

  fs::path FileOf(size_t server) const { return run_ / (names_[server] + ".xplane.pb"); }
  std::string Named(size_t server, const std::string& what) const {
    return options_.servers[server].Text() + ": " + what;
  }

  Gave TakeAnswer(size_t server, const CallAnswer& answer) {
    if (!answer.status.ok()) {
      const bool later = answer.grpc_status == kGrpcUnavailable ||
                         answer.grpc_status == kGrpcAlreadyExists ||
                         (answer.grpc_status == kGrpcUnknown &&
                          answer.grpc_message == "Stream removed");  // a server that starts again
      return {later ? Outcome::kRetry : Outcome::kFailed, answer.status};
    }
    const Result<ProfileAnswer> profile = ReadProfileAnswer(answer.message);
    if (!profile.ok()) return Garbage(server);
    if (profile->xspace.empty()) return TakeWritten(server, profile->empty_trace);
    const XSpaceContent content = ContentOf(profile->xspace);
    if (content == XSpaceContent::kGarbage) return Garbage(server);
    if (profile->empty_trace || content == XSpaceContent::kNothing) return Nothing(server);
    return Write(server, profile->xspace);
  }

  Gave Garbage(size_t server) const {
    return {Outcome::kFailed,
            Status(ErrorCode::kFormat,
                   Named(server,
                         "what the program sent is no profile; see that it is TensorFlow or JAX, "
                         "and record again"))};
  }

  Gave Nothing(size_t server) const {
    const std::string tries = recorded_.attempts == 1
                                  ? "in "
                                  : "in " + std::to_string(recorded_.attempts) + " attempts of ";
    return {Outcome::kNothing,
            Status(ErrorCode::kIo,
                   Named(server, "nothing was recorded " + tries + TimeText(options_.duration) +
                                     ": the program ran nothing that is traced; record while it "
                                     "trains, for longer, or with higher tracer levels"))};
  }

  Gave Write(size_t server, std::string_view xspace) {
    const std::string path = FileOf(server).string();
    if (!write_(path, xspace))
      return {Outcome::kFailed,
              Status(ErrorCode::kIo, path + ": cannot be written; see that the folder can be "
                                            "written and the disk has room, or choose another")};
    recorded_.files.push_back(path);
    recorded_.bytes += xspace.size();
    return {Outcome::kRecorded, {}};
  }

  // A server that does not send the profile has written it, on its own machine: on this one where
  // both share the folder.
  Gave TakeWritten(size_t server, bool empty) {
    std::error_code error;
    const fs::path path = FileOf(server);
    const bool here = fs::is_regular_file(path, error);
    if (empty) {
      if (here) fs::remove(path, error);
      return Nothing(server);
    }
    if (here) {
      recorded_.files.push_back(path.string());
      recorded_.bytes += fs::file_size(path, error);
      return {Outcome::kRecorded, {}};
    }
    return {Outcome::kFailed,
            Status(ErrorCode::kIo,
                   Named(server,
                         "the program is of an older version, which wrote the profile on "
                         "its own machine, to " +
                             path.string() + "; open it from there (ssh://" +
                             options_.servers[server].host + path.string() +
                             "), or record into a folder that both machines share"))};
  }

  bool MayRetry() const {
    return std::all_of(gave_.begin(), gave_.end(), [](const Gave& g) {
      return g.outcome == Outcome::kNothing || g.outcome == Outcome::kRetry;
    });
  }

  static bool Wait(const std::stop_token& stop) {
    const auto end = std::chrono::steady_clock::now() + kBetweenAttempts;
    while (std::chrono::steady_clock::now() < end) {
      if (stop.stop_requested()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  Result<Recorded> Finished() {
    recorded_.run_directory = run_.string();
    for (const Gave& gave : gave_) {
      if (!gave.status.ok()) recorded_.failures.push_back(gave.status.message());
    }
    return recorded_;
  }

  // Servers that failed say more than those that recorded nothing.
  Status WhyNothing() const {
    for (const Outcome outcome : {Outcome::kFailed, Outcome::kRetry, Outcome::kNothing}) {
      for (const Gave& gave : gave_) {
        if (gave.outcome == outcome) return gave.status;
      }
    }
    return {ErrorCode::kIo, "nothing was recorded"};
  }

  Status Cancelled() {
    CleanUp();
    return {ErrorCode::kCancelled, "the recording was cancelled; nothing is kept"};
  }

  // Removes what was written of a run that is not whole, and its folder. The folder is this run's:
  // it was not there before.
  void CleanUp() {
    std::error_code error;
    for (size_t i = 0; i < names_.size(); ++i) fs::remove(FileOf(i), error);
    fs::remove(run_, error);  // only if it is empty
  }

  const RecordOptions& options_;
  const WriteFile& write_;
  Progress& progress_;
  SentTime* const sent_;
  const std::vector<std::string> names_;
  fs::path run_;
  std::vector<Gave> gave_;
  Recorded recorded_;
};

}  // namespace

Result<Recorded> RecordPrograms(const RecordOptions& options, const WriteFile& write,
                                const std::stop_token& stop, Progress& progress, SentTime* sent) {
  return Recording(options, write, progress, sent).Run(stop);
}

}  // namespace stepscope::capture
