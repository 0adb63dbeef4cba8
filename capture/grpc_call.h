// GrpcCall: one unary gRPC call without TLS, from bytes to bytes. It makes no system call and knows
// no socket, so that tests and the fuzz target feed it any bytes. What comes is untrusted.
//
// HTTP/2 is done by nghttp2, the library that curl uses for it: 190 KB that need nothing but the C
// library. curl can do the same (prior knowledge, trailers), but Debian's libcurl loads 29 shared
// libraries of 18 MB, which costs each start of the program 5 ms, and hides the bytes by which TLS
// and HTTP/1 are told apart. grpc++ is larger than the rest of this program. What gRPC adds to
// HTTP/2 is little: a prefix of five bytes before a message, and its status in the trailers.
// (The page "gRPC over HTTP2" of the documentation of gRPC.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "capture/address.h"
#include "model/base/status.h"

namespace stepscope::capture {

// gRPC's codes, as far as they are told apart. kNoGrpcStatus: none came.
inline constexpr int kNoGrpcStatus = -1, kGrpcOk = 0, kGrpcUnknown = 2, kGrpcAlreadyExists = 6,
                     kGrpcUnimplemented = 12, kGrpcUnavailable = 14;

// The most bytes of an answer: a message of protobuf cannot be larger.
inline constexpr uint64_t kMaxAnswerBytes = (uint64_t{2} << 30) - 1;

struct CallRequest {
  std::string method;   // "/tensorflow.ProfilerService/Profile"
  std::string message;  // protobuf
  uint64_t max_answer_bytes = kMaxAnswerBytes;
};

class GrpcCall {
 public:
  GrpcCall(const Address& server, CallRequest request);
  ~GrpcCall();
  GrpcCall(const GrpcCall&) = delete;
  GrpcCall& operator=(const GrpcCall&) = delete;

  // Whether the server has introduced itself. The request may be sent before, but a server that
  // speaks another protocol is known only then.
  bool ready() const;
  void SendRequest();
  bool sent() const;

  // The next bytes for the server; empty: none now. They stay the same until Consume() takes them.
  std::string_view Output();
  void Consume(size_t bytes);
  void Input(std::string_view bytes);  // the next bytes of the server
  void End();                          // the server has closed the connection

  bool done() const;  // an answer, or an error: nothing more is needed from the server
  // After done(): ok, or one line that names the server and says what to do. kIo, kLimit or
  // kFormat.
  const Status& status() const;
  int grpc_status() const;                  // kNoGrpcStatus: none came
  const std::string& grpc_message() const;  // one line of printable text, cut to 500 bytes
  std::string TakeMessage();                // the answer
  uint64_t received() const;                // bytes of the answer so far
  uint64_t expected() const;                // 0: not known yet

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope::capture
