// Makes one gRPC call to each of several servers at the same moment, over sockets. One thread
// serves all of them, so that any number costs one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "capture/address.h"
#include "capture/grpc_call.h"
#include "model/base/status.h"
#include "model/jobs/job.h"

namespace stepscope::capture {

struct ServerCall {
  Address server;
  CallRequest request;
};

struct CallAnswer {
  Status status;  // ok, or one line that names the server
  int grpc_status = kNoGrpcStatus;
  std::string grpc_message;
  std::string message;  // the answer; empty where the call failed
};

struct CallTimes {
  std::chrono::milliseconds connect{10'000};  // for a connection, and for its first bytes
  std::chrono::milliseconds delay{0};         // from when all are connected to the requests
  std::chrono::milliseconds silence{60'000};  // the longest time without a byte of an answer
};

// The stage of the progress from the requests to the first bytes of an answer.
inline constexpr const char kStageRecording[] = "Recording";

// When requests last went out; any thread may read it.
using SentTime = std::atomic<std::chrono::steady_clock::time_point>;

// Connects to all servers. The requests go out together once each server is connected or has
// failed. `take` gets each answer as soon as it has come, with the index of its call; it runs on
// this thread. Returns false within 0.1 s of a stop: connections are closed then, by which servers
// stop recording. `progress` gets stages and bytes of answers, `sent` the time of the requests.
bool CallServers(std::span<const ServerCall> calls, const CallTimes& times,
                 const std::stop_token& stop, Progress& progress, SentTime* sent,
                 const std::function<void(size_t index, CallAnswer answer)>& take);

}  // namespace stepscope::capture
