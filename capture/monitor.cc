#include "capture/monitor.h"

#include <utility>

#include "capture/call_servers.h"
#include "capture/profiler.pb.h"

namespace stepscope::capture {
namespace {

constexpr const char kMonitorMethod[] = "/tensorflow.ProfilerService/Monitor";
constexpr int kMonitorLevel = 2;
constexpr uint64_t kMaxMonitorBytes = uint64_t{1} << 20;
constexpr std::chrono::seconds kMonitorSilence{10};

Result<std::string> LineOf(const Address& server, const CallAnswer& answer) {
  if (answer.grpc_status == kGrpcUnimplemented)
    return Status(ErrorCode::kUnsupported,
                  server.Text() +
                      ": the program has no monitor, which only programs on TPUs have; record it "
                      "instead, without --monitor");
  if (!answer.status.ok()) return answer.status;
  pb::MonitorResponse response;
  if (!response.ParseFromString(answer.message))
    return Status(ErrorCode::kFormat, server.Text() +
                                          ": what the program sent makes no sense; see that it is "
                                          "TensorFlow or JAX");
  return InOneLine(response.data());
}

}  // namespace

std::string InOneLine(std::string_view text) {
  std::string line;
  bool gap = false;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == '\t') {
      gap = !line.empty();
      continue;
    }
    if (c == ' ' && (gap || line.empty())) continue;
    if (gap) line += "   ";
    gap = false;
    line += c;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::vector<Result<std::string>> Monitor(std::span<const Address> servers,
                                         std::chrono::milliseconds duration,
                                         const std::stop_token& stop) {
  pb::MonitorRequest request;
  request.set_duration_ms(static_cast<uint64_t>(duration.count()));
  request.set_monitoring_level(kMonitorLevel);
  const std::string message = request.SerializeAsString();
  std::vector<ServerCall> calls;
  for (const Address& server : servers)
    calls.push_back({server, {kMonitorMethod, message, kMaxMonitorBytes}});
  std::vector<Result<std::string>> lines(servers.size(), std::string());
  CallTimes times;
  times.silence = duration + kMonitorSilence;
  Progress progress;
  SentTime sent;
  const bool whole = CallServers(
      calls, times, stop, progress, &sent,
      [&](size_t i, const CallAnswer& answer) { lines[i] = LineOf(servers[i], answer); });
  if (!whole) lines.clear();
  return lines;
}

}  // namespace stepscope::capture
