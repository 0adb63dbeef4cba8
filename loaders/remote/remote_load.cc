#include "loaders/remote/remote_load.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "loaders/remote/child_process.h"
#include "loaders/remote/frames.h"
#include "loaders/remote/remote.pb.h"
#include "loaders/remote/ssh.h"
#include "loaders/store/store_reader.h"

namespace stepscope::remote {
namespace {

constexpr int kPollMs = 50;
constexpr size_t kCopyBlock = size_t{64} << 10;

// Where a copy of this program lies that LoadRemote has put there.
constexpr const char* kCopyFolder = "$HOME/.cache/stepscope/1";

std::string ServeCommand() {
  const std::string copy = std::string(kCopyFolder) + "/stepscope";
  return "if command -v stepscope >/dev/null 2>&1; then exec stepscope serve --stdio; "
         "elif [ -x \"" +
         copy + "\" ]; then exec \"" + copy +
         "\" serve --stdio; "
         "else exit 127; fi";
}

// Takes a program of `bytes` bytes from standard input, and runs it once. A copy that is cut short
// or cannot run there is removed, with the error of what failed.
std::string InstallCommand(uint64_t bytes) {
  return "mkdir -p \"" + std::string(kCopyFolder) + "\" && cd \"" + kCopyFolder +
         "\" && part=stepscope.$$ && cat >$part && [ $(wc -c <$part) -eq " + std::to_string(bytes) +
         " ] && chmod 755 $part && ./$part --version && mv $part stepscope; "
         "failed=$?; rm -f $part; exit $failed";
}

// Takes the frames of one load.
class Receiver {
 public:
  Receiver(const std::string& address, const RemotePath& remote, const LoadOptions& options,
           const std::stop_token& stop, Progress* progress, std::vector<std::string>* runs)
      : address_(address),
        remote_(remote),
        options_(options),
        stop_(stop),
        progress_(*progress),
        runs_(runs) {}

  // False where nothing more is expected: an error came, or the end.
  bool Add(std::string_view bytes) {
    frames_.Add(bytes);
    if (!begun_ && !frames_.SkipToMagic()) return Fine("other than Stepscope answers there");
    begun_ = true;
    FrameType type{};
    std::string_view payload;
    while (status_.ok() && !ended_ && frames_.Next(&type, &payload)) Take(type, payload);
    return Fine("the data of the host is damaged") && !ended_;
  }

  bool begun() const { return begun_; }
  bool ended() const { return ended_; }
  const Status& status() const { return status_; }
  std::string& store() { return store_; }

 private:
  bool Fine(const char* why) {
    if (frames_.failed() && status_.ok())
      status_ = Status(ErrorCode::kIo, remote_.Destination() + ": " + why);
    return status_.ok();
  }

  template <typename Message>
  bool Parse(std::string_view payload, Message* message) {
    if (message->ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return true;
    status_ = Status(ErrorCode::kIo, remote_.Destination() + ": the data of the host is damaged");
    return false;
  }

  void Take(FrameType type, std::string_view payload) {
    switch (type) {
      case FrameType::kHello:
        return TakeHello(payload);
      case FrameType::kProgress:
        return TakeProgress(payload);
      case FrameType::kRuns:
        return TakeRuns(payload);
      case FrameType::kData:
        return TakeData(payload);
      case FrameType::kFailure:
        return TakeFailure(payload);
      case FrameType::kEnd: {
        pb::End end;
        if (!Parse(payload, &end)) return;
        ended_ = end.bytes() == store_.size();
        if (!ended_)
          status_ =
              Status(ErrorCode::kIo, remote_.Destination() + ": parts of the profile are missing");
        return;
      }
      default:
        return;  // of a newer program
    }
  }

  void TakeHello(std::string_view payload) {
    pb::Hello hello;
    if (!Parse(payload, &hello) || hello.protocol() == kProtocol) return;
    status_ = Status(ErrorCode::kUnsupported,
                     remote_.Destination() + ": another version of Stepscope is there (" +
                         hello.program() + "), which does not fit this one; install the same");
  }

  void TakeProgress(std::string_view payload) {
    pb::Progress report;
    if (!Parse(payload, &report) || !store_.empty()) return;
    if (progress_.bytes_total == 0) progress_.SetStage("Loading on the other machine");
    progress_.bytes_total = report.bytes_total();
    progress_.bytes_done = std::min(report.bytes_done(), report.bytes_total());
  }

  void TakeRuns(std::string_view payload) {
    pb::Runs runs;
    if (Parse(payload, &runs) && runs_ != nullptr)
      runs_->assign(runs.names().begin(), runs.names().end());
  }

  void TakeData(std::string_view payload) {
    if (store_.empty()) {
      progress_.bytes_total = 0;  // the size of the store is known when all of it is there
      progress_.bytes_done = 0;
      progress_.SetStage("Receiving the profile");
    }
    if (store_.size() + payload.size() > options_.max_inflated_bytes) {
      status_ = Status(ErrorCode::kLimit,
                       remote_.Destination() + ": more comes than --max-inflated allows");
      return;
    }
    store_.append(payload);
    progress_.bytes_done += payload.size();
    if (options_.preview != nullptr && !previewed_) Preview();
  }

  void Preview() {
    const size_t bytes = store::PreviewBytes(store_, &preview_at_);
    if (bytes == 0) return;
    previewed_ = true;
    Result<std::shared_ptr<const Trace>> picture = store::ReadPreview(
        address_, std::string_view(store_).substr(0, bytes), options_.max_inflated_bytes, stop_);
    if (picture.ok()) options_.preview(std::move(picture).value());
  }

  void TakeFailure(std::string_view payload) {
    pb::Failure failure;
    if (!Parse(payload, &failure)) return;
    const auto code =
        failure.code() > static_cast<uint32_t>(ErrorCode::kUsage) || failure.code() == 0
            ? ErrorCode::kIo
            : static_cast<ErrorCode>(failure.code());
    status_ = Status(code, remote_.Destination() + ": " + failure.text());
  }

  const std::string& address_;
  const RemotePath& remote_;
  const LoadOptions& options_;
  const std::stop_token& stop_;
  Progress& progress_;
  std::vector<std::string>* runs_;
  FrameReader frames_;
  std::string store_;
  Status status_;
  bool begun_ = false, ended_ = false, previewed_ = false;
  size_t preview_at_ = 0;
};

std::string RequestOf(const RemotePath& remote, const LoadOptions& options) {
  pb::Request request;
  request.set_protocol(kProtocol);
  request.set_path(remote.path);
  request.set_run(options.run);
  request.set_host(options.host);
  request.set_max_inflated_bytes(options.max_inflated_bytes);
  return Frame(FrameType::kRequest, request.SerializeAsString());
}

std::string MegabytesText(size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

Result<std::shared_ptr<const Trace>> ReadReceived(const std::string& address, std::string bytes,
                                                  const Status& broken, const LoadOptions& options,
                                                  const std::stop_token& stop) {
  Column<char> copy;
  copy.Resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  const size_t size = bytes.size();
  bytes = {};
  TraceBuilder builder;
  builder.trace().path = address;
  Progress progress;  // the bytes are counted already
  const Status read =
      store::ReadStoreInto(MakeMemorySource(address, size, std::move(copy), !broken.ok()),
                           {options.max_inflated_bytes, false}, stop, &progress, &builder);
  if (!read.ok()) return broken.ok() ? read : broken;
  if (!broken.ok()) {
    builder.trace().diagnostics.Count(
        "remote.cut", Severity::kWarning,
        "The connection broke before all of the profile had come: what came is shown",
        broken.message() + ", after " + MegabytesText(size));
  }
  return builder.Finish(stop, &progress);
}

}  // namespace

Result<std::shared_ptr<const Trace>> LoadRemote(const std::string& address,
                                                const LoadOptions& options,
                                                const std::stop_token& stop, Progress& progress,
                                                std::vector<std::string>* runs) {
  const Result<RemotePath> remote = ParseRemotePath(address);
  if (!remote.ok()) return remote.status();
  progress.SetStage("Connecting");
  Result<std::unique_ptr<ChildProcess>> started =
      ChildProcess::Start(SshArguments(*remote, ServeCommand()), SshVariables());
  if (!started.ok()) return started.status();
  ChildProcess& ssh = **started;
  ssh.Send(RequestOf(*remote, options));  // where it fails, nothing comes, and ssh says why
  Receiver receiver(address, *remote, options, stop, &progress, runs);
  std::string bytes;
  for (bool more = true; more;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    bytes.clear();
    const ChildProcess::Got got = ssh.Receive(&bytes, kPollMs);
    more = got != ChildProcess::Got::kEnd;
    if (got == ChildProcess::Got::kBytes) more = receiver.Add(bytes);
  }
  if (!receiver.status().ok() && receiver.store().empty()) return receiver.status();
  Status broken = receiver.status();
  if (!receiver.ended() && broken.ok()) broken = WhyFailed(*remote, ssh.Finish(), ssh.errors());
  if (receiver.store().empty())
    return broken.ok() ? Status(ErrorCode::kIo, remote->Destination() + ": the host sent no data")
                       : broken;
  return ReadReceived(address, std::move(receiver.store()), broken, options, stop);
}

Status InstallRemote(const std::string& address, const std::string& program,
                     const std::stop_token& stop, Progress& progress) {
  const Result<RemotePath> remote = ParseRemotePath(address);
  if (!remote.ok()) return remote.status();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(program.c_str(), "rb"),
                                                       &std::fclose);
  if (file == nullptr) return {ErrorCode::kIo, program + ": cannot be read"};
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(program, error);
  progress.SetStage("Copying Stepscope to the other machine");
  progress.bytes_total = error ? 0 : size;
  Result<std::unique_ptr<ChildProcess>> started =
      ChildProcess::Start(SshArguments(*remote, InstallCommand(size)), SshVariables());
  if (!started.ok()) return started.status();
  ChildProcess& ssh = **started;
  std::string block(kCopyBlock, '\0');
  for (size_t n = 1; n > 0;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    n = std::fread(block.data(), 1, block.size(), file.get());
    if (n > 0 && !ssh.Send(std::string_view(block).substr(0, n), stop)) break;
    progress.bytes_done += n;
  }
  ssh.CloseInput();
  std::string answer;
  while (ssh.Receive(&answer, kPollMs) != ChildProcess::Got::kEnd) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  }
  const int status = ssh.Finish();
  if (status == 0 && answer.find("stepscope") != std::string::npos) return {};
  return WhyFailed(*remote, status, ssh.errors());
}

}  // namespace stepscope::remote
