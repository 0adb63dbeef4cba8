// Writes Perfetto traces packet by packet, as tests need them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope::test {

// A message of the wire format.
class Message {
 public:
  Message& Int(uint32_t field, uint64_t value);
  Message& Fixed(uint32_t field, uint64_t value);
  Message& Real(uint32_t field, double value);
  Message& Text(uint32_t field, std::string_view text);
  Message& Sub(uint32_t field, const Message& message) { return Text(field, message.bytes()); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class PerfettoWriter {
 public:
  explicit PerfettoWriter(uint32_t sequence = 1) : sequence_(sequence) {}
  // Writes `packet` with the id of its sequence.
  PerfettoWriter& Packet(Message packet);
  PerfettoWriter& Process(uint64_t uuid, int pid, std::string_view name);
  PerfettoWriter& Thread(uint64_t uuid, uint64_t parent, int pid, int tid, std::string_view name);
  PerfettoWriter& Track(uint64_t uuid, uint64_t parent, std::string_view name,
                        bool counter = false);
  PerfettoWriter& Begin(uint64_t track, int64_t at, std::string_view category,
                        std::string_view name, const Message& more = {});
  PerfettoWriter& End(uint64_t track, int64_t at);
  PerfettoWriter& Counter(uint64_t track, int64_t at, int64_t value);
  const std::string& Bytes() const { return bytes_; }

 private:
  uint32_t sequence_;
  std::string bytes_;
};

// The same packets inside compressed packets.
std::string Deflated(std::string_view packets);
// A trace with `launches`. Each is an op, a call inside it, and a kernel on GPU 0 with an arrow
// from the call.
std::string PerfettoBytes(int launches);

}  // namespace stepscope::test
