// Any bytes as what a profiler server sends: HTTP/2 in pieces of any size, or the message in it.
// The first byte says which, and how large the pieces are.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "capture/answer.h"
#include "capture/grpc_call.h"

namespace {

using namespace stepscope::capture;

void ReadMessage(std::string_view message) {
  const auto answer = ReadProfileAnswer(message);
  if (!answer.ok() || answer->xspace.empty()) return;
  if (answer->xspace.data() < message.data() ||
      answer->xspace.data() + answer->xspace.size() > message.data() + message.size())
    std::abort();
  (void)ContentOf(answer->xspace);
}

void Drain(GrpcCall& call) {
  for (std::string_view out = call.Output(); !out.empty(); out = call.Output())
    call.Consume(out.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) return ReadMessage(input), 0;
  const size_t piece = data[0] == 0 ? size : data[0];
  constexpr uint64_t kMost = uint64_t{1} << 20;
  GrpcCall call({"127.0.0.1", "6009"}, {"/tensorflow.ProfilerService/Profile", "request", kMost});
  call.SendRequest();
  Drain(call);
  while (!input.empty() && !call.done()) {
    const std::string_view next = input.substr(0, std::min(piece, input.size()));
    input.remove_prefix(next.size());
    call.Input(next);
    Drain(call);
  }
  call.End();
  if (!call.done() || call.received() > kMost) std::abort();
  if (call.status().ok()) ReadMessage(call.TakeMessage());
  if (!call.status().ok() && call.status().message().find('\n') != std::string::npos) std::abort();
  return 0;
}
