// Writes seeds for the fuzz target of recording: `make_capture_seeds FOLDER` makes a file for what
// a profiler server sends with each of its faults, and one for the message alone.
#include <cstdio>
#include <fstream>
#include <string>

#include "capture/grpc_call.h"
#include "capture/profiler.pb.h"
#include "tests/support/fake_profiler.h"
#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace {

using namespace stepscope;

std::string RequestBytes() {
  capture::pb::ProfileRequest request;
  request.set_emit_xspace(true);
  capture::GrpcCall call({"127.0.0.1", "6009"},
                         {"/tensorflow.ProfilerService/Profile", request.SerializeAsString()});
  call.SendRequest();
  std::string bytes;
  for (std::string_view out = call.Output(); !out.empty(); out = call.Output()) {
    bytes.append(out);
    call.Consume(out.size());
  }
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "make_capture_seeds FOLDER\n"), 2;
  const std::string folder = argv[1];
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event("step", 0, 1000);
  const std::string xspace = b.Bytes();
  const std::string client = RequestBytes();
  using test::ServerFault;
  for (int i = 0; i <= static_cast<int>(ServerFault::kPaths); ++i) {
    test::FakeProfilerOptions options;
    options.fault = static_cast<ServerFault>(i);
    options.xspace = xspace;
    const std::string bytes = test::BytesOfAnswer(options, client);
    if (!bytes.empty())
      std::ofstream(folder + "/server_" + std::to_string(i), std::ios::binary) << '\0' << bytes;
  }
  std::string message;
  test::PutBytes(&message, 8, xspace);
  test::PutUint(&message, 7, 1);
  std::ofstream(folder + "/message", std::ios::binary) << '\1' << message;
  return 0;
}
