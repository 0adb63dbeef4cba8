// FakeProfiler: a profiler server on 127.0.0.1, as TensorFlow and JAX start one, that answers with
// a given profile and has one fault. One thread serves all connections until the destructor.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::test {

enum class ServerFault {
  kNone,
  kTls,              // answers the preface with an alert of TLS
  kHttp1,            // answers "HTTP/1.1 400 Bad Request"
  kOtherProtocol,    // answers the banner of an SSH server
  kBrokenHttp2,      // settings, then bytes that are no frames
  kSilent,           // takes the connection and says nothing
  kClosesAtOnce,     // closes the connection
  kNotFound,         // HTTP status 404, as a web server with HTTP/2
  kUnimplemented,    // gRPC without this service
  kRefuses,          // gRPC status INTERNAL with a message
  kDiesRecording,    // closes the connection after half of the duration
  kCutAnswer,        // closes it in the middle of the answer
  kResetsAnswer,     // resets the stream in the middle of the answer
  kNoStatus,         // ends the stream without a gRPC status
  kShortMessage,     // ends it well, with half of the message that was announced
  kTooLarge,         // announces an answer of 4 GB
  kCompressed,       // sets the flag of a compressed message
  kGarbageMessage,   // an answer that is no protobuf
  kGarbageProfile,   // a profile that is no protobuf
  kPaths,            // tool data with names that lead elsewhere, and no profile of its own
  kWritesItself,     // writes the file itself, as older servers do
  kWritesElsewhere,  // does so on another machine
};

struct FakeProfilerOptions {
  ServerFault fault = ServerFault::kNone;
  std::string xspace = {};   // what it records
  int empty_answers = 0;     // the first answers say that nothing was recorded
  std::string monitor = {};  // the answer to Monitor; empty: it has none
};

// A Profile request that it got.
struct SeenRequest {
  uint64_t duration_ms = 0;
  uint32_t host_level = 0, device_level = 0, python_level = 0;
  std::string repository_root, session_id, host_name;
  bool emit_xspace = false;
  std::chrono::steady_clock::time_point when;
};

class FakeProfiler {
 public:
  explicit FakeProfiler(FakeProfilerOptions options);
  ~FakeProfiler();
  FakeProfiler(const FakeProfiler&) = delete;
  FakeProfiler& operator=(const FakeProfiler&) = delete;

  int port() const;
  std::string address() const;  // "127.0.0.1:PORT"
  std::vector<SeenRequest> seen() const;
  int cancelled() const;  // calls that the client left before their answer

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A port of 127.0.0.1 where nobody listens.
int FreePort();

// The bytes that such a server sends over one connection, for seeds of the fuzz target.
std::string BytesOfAnswer(const FakeProfilerOptions& options, std::string_view client_bytes);

}  // namespace stepscope::test
