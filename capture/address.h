// capture/ records a running program: it asks the profiler servers that TensorFlow and JAX start
// (`tf.profiler.experimental.server.start`, `jax.profiler.start_server`) for a profile, and writes
// it as TensorBoard would. The folder knows gRPC and no window. Start reading at record.h;
// grpc_call.h is one call as a pure function of bytes, call_servers.h makes it over sockets.
//
// Address: where a profiler server listens. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"

namespace stepscope::capture {

inline constexpr size_t kMaxAddresses = 256;

struct Address {
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string Text() const;  // "node1:6009", "[::1]:6009"
  bool operator==(const Address&) const = default;
};

// Reads "node1:6009,node2:6009"; grpc:// may stand before each. kUsage says what is wrong.
Result<std::vector<Address>> ParseAddresses(std::string_view text);

// A name for the files of each address: the host, and the port too where addresses share a host.
// The names are distinct, have no character that leads to another folder, and begin with no dot.
std::vector<std::string> FileNamesOf(std::span<const Address> addresses);

}  // namespace stepscope::capture
