#include "loaders/remote/serve.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "loaders/loader.h"
#include "loaders/remote/frames.h"
#include "loaders/remote/remote.pb.h"
#include "loaders/store/store_writer.h"

namespace stepscope::remote {
namespace {

constexpr int kServePollMs = 50;
constexpr int kPollsPerReport = 4;
constexpr size_t kMaxRequest = size_t{1} << 20;

// Writes frames. Any thread.
class Out {
 public:
  explicit Out(int fd) : fd_(fd) {}
  void Send(FrameType type, std::string_view payload) { Write(Frame(type, payload)); }
  void Write(std::string_view bytes) {
    std::lock_guard lock(mutex_);
    while (!bytes.empty() && good_) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      good_ = n > 0;
      if (good_) bytes.remove_prefix(static_cast<size_t>(n));
    }
  }
  bool good() {
    std::lock_guard lock(mutex_);
    return good_;
  }

 private:
  std::mutex mutex_;
  int fd_;
  bool good_ = true;
};

bool ReadRequest(int in, pb::Request* request) {
  FrameReader frames;
  char buffer[4096];
  for (size_t total = 0; total < kMaxRequest;) {
    const ssize_t n = ::read(in, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    total += static_cast<size_t>(n);
    frames.Add({buffer, static_cast<size_t>(n)});
    FrameType type{};
    std::string_view payload;
    if (frames.Next(&type, &payload)) {
      return type == FrameType::kRequest &&
             request->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
    }
    if (frames.failed()) return false;
  }
  return false;
}

// "~/logs" is below the user's home.
std::string Expanded(const std::string& path) {
  const char* home = std::getenv("HOME");
  if (home == nullptr || !(path == "~" || path.starts_with("~/"))) return path;
  return home + path.substr(1);
}

// Stops the load when the other side has gone, and reports how far it is.
class Watcher {
 public:
  Watcher(int in, Out* out, const Progress* progress, std::stop_source* stop)
      : thread_([=](const std::stop_token& done) {
          for (int polls = 1; !done.stop_requested(); ++polls) {
            if (HasGone(in)) return (void)stop->request_stop();
            if (polls % kPollsPerReport == 0) Report(*progress, out);
          }
        }) {}

 private:
  // Waits a little. The other side sends nothing more, so what can be read is its end.
  static bool HasGone(int in) {
    pollfd waiting{in, POLLIN, 0};
    char c = 0;
    return ::poll(&waiting, 1, kServePollMs) > 0 && ::read(in, &c, 1) <= 0;
  }
  static void Report(const Progress& progress, Out* out) {
    pb::Progress report;
    report.set_stage(progress.stage());
    report.set_bytes_done(progress.bytes_done);
    report.set_bytes_total(progress.bytes_total);
    out->Send(FrameType::kProgress, report.SerializeAsString());
  }

  std::jthread thread_;
};

Status SendStore(const pb::Request& request, const std::string& program, std::stop_source* stop,
                 Progress* progress, uint64_t* store_bytes, Out* out) {
  LoadOptions options;
  options.run = request.run();
  options.host = request.host();
  if (request.max_inflated_bytes() > 0) options.max_inflated_bytes = request.max_inflated_bytes();
  std::vector<std::string> names;
  const Result<std::shared_ptr<const Trace>> trace =
      LoadPath(Expanded(request.path()), options, stop->get_token(), *progress, &names);
  if (!trace.ok()) return trace.status();
  pb::Runs runs;
  for (const std::string& name : names) runs.add_names(name);
  out->Send(FrameType::kRuns, runs.SerializeAsString());
  StreamSender sender(
      request.came_bytes(), request.came_sum(),
      [out](FrameType type, std::string_view payload) { out->Send(type, payload); });
  Status written = store::WriteStore(
      **trace, {{}, program},
      [&](std::string_view bytes) {
        sender.Add(bytes);
        if (!out->good()) stop->request_stop();
      },
      stop->get_token());
  if (written.ok()) sender.Finish();
  *store_bytes = sender.bytes();
  return written;
}

}  // namespace

bool Serve(int in, int out_fd, const std::string& program) {
  ::signal(SIGPIPE, SIG_IGN);
  Out out(out_fd);
  pb::Hello hello;
  hello.set_protocol(kProtocol);
  hello.set_program(program);
  out.Write(kServeMagic);
  out.Send(FrameType::kHello, hello.SerializeAsString());
  pb::Request request;
  if (!ReadRequest(in, &request)) return false;
  std::stop_source stop;
  Progress progress;
  Status status;
  uint64_t store_bytes = 0;
  {
    const Watcher watcher(in, &out, &progress, &stop);
    status = SendStore(request, program, &stop, &progress, &store_bytes, &out);
  }
  if (!status.ok()) {
    pb::Failure failure;
    failure.set_code(static_cast<uint32_t>(status.code()));
    failure.set_text(status.message());
    out.Send(FrameType::kFailure, failure.SerializeAsString());
    return false;
  }
  pb::End end;
  end.set_bytes(store_bytes);
  out.Send(FrameType::kEnd, end.SerializeAsString());
  return out.good();
}

}  // namespace stepscope::remote
