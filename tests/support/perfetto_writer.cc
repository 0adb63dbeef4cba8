#include "tests/support/perfetto_writer.h"

#include <igzip_lib.h>

#include <bit>
#include <cstring>
#include <vector>

#include "tests/support/wire.h"

namespace stepscope::test {

Message& Message::Int(uint32_t field, uint64_t value) {
  PutVarint(&bytes_, uint64_t{field} << 3);
  PutVarint(&bytes_, value);
  return *this;
}
Message& Message::Fixed(uint32_t field, uint64_t value) {
  PutVarint(&bytes_, uint64_t{field} << 3 | 1);
  char raw[8];
  std::memcpy(raw, &value, 8);
  bytes_.append(raw, 8);
  return *this;
}
Message& Message::Real(uint32_t field, double value) {
  return Fixed(field, std::bit_cast<uint64_t>(value));
}
Message& Message::Text(uint32_t field, std::string_view text) {
  PutVarint(&bytes_, uint64_t{field} << 3 | 2);
  PutVarint(&bytes_, text.size());
  bytes_ += text;
  return *this;
}

PerfettoWriter& PerfettoWriter::Packet(Message packet) {
  packet.Int(10, sequence_);
  bytes_ += Message().Sub(1, packet).bytes();
  return *this;
}

PerfettoWriter& PerfettoWriter::Process(uint64_t uuid, int pid, std::string_view name) {
  const auto id = static_cast<uint64_t>(pid);
  return Packet(
      Message().Sub(60, Message().Int(1, uuid).Sub(3, Message().Int(1, id).Text(6, name))));
}
PerfettoWriter& PerfettoWriter::Thread(uint64_t uuid, uint64_t parent, int pid, int tid,
                                       std::string_view name) {
  const Message thread =
      Message().Int(1, static_cast<uint64_t>(pid)).Int(2, static_cast<uint64_t>(tid)).Text(5, name);
  return Packet(Message().Sub(60, Message().Int(1, uuid).Int(5, parent).Sub(4, thread)));
}
PerfettoWriter& PerfettoWriter::Track(uint64_t uuid, uint64_t parent, std::string_view name,
                                      bool counter) {
  Message track = Message().Int(1, uuid).Int(5, parent).Text(2, name);
  if (counter) track.Sub(8, Message());
  return Packet(Message().Sub(60, track));
}
PerfettoWriter& PerfettoWriter::Begin(uint64_t track, int64_t at, std::string_view category,
                                      std::string_view name, const Message& more) {
  const Message event = Message().Int(9, 1).Int(11, track).Text(22, category).Text(23, name);
  const std::string bytes = event.bytes() + more.bytes();
  return Packet(Message().Int(8, static_cast<uint64_t>(at)).Text(11, bytes));
}
PerfettoWriter& PerfettoWriter::End(uint64_t track, int64_t at) {
  return Packet(
      Message().Int(8, static_cast<uint64_t>(at)).Sub(11, Message().Int(9, 2).Int(11, track)));
}
PerfettoWriter& PerfettoWriter::Counter(uint64_t track, int64_t at, int64_t value) {
  const Message event = Message().Int(9, 4).Int(11, track).Int(30, static_cast<uint64_t>(value));
  return Packet(Message().Int(8, static_cast<uint64_t>(at)).Sub(11, event));
}

std::string Deflated(std::string_view packets) {
  std::vector<uint8_t> out(packets.size() + 4096);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.gzip_flag = IGZIP_ZLIB;
  stream.end_of_stream = 1;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(packets.data()));
  stream.avail_in = static_cast<uint32_t>(packets.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uint32_t>(out.size());
  isal_deflate(&stream);
  const std::string_view data(reinterpret_cast<const char*>(out.data()), stream.total_out);
  return Message().Sub(1, Message().Text(50, data)).bytes();
}

std::string PerfettoBytes(int launches) {
  PerfettoWriter w;
  w.Packet(Message().Int(13, 1).Sub(
      6, Message()
             .Sub(1, Message().Int(1, 6).Int(2, 1'000'000))
             .Sub(1, Message().Int(1, 1).Int(2, 1'700'000'000'001'000'000))));
  w.Process(1, 77, "python3").Thread(2, 1, 77, 78, "main").Track(3, 1, "GPU 0 Stream #7");
  w.Track(4, 1, "Bytes in use", true);
  for (int i = 0; i < launches; ++i) {
    const int64_t t = 1'000'000 + 1'000'000 * int64_t{i};
    const auto id = static_cast<uint64_t>(i + 1);
    const Message correlation = Message().Sub(4, Message().Text(10, "correlation").Int(4, id));
    w.Begin(2, t, "cpu_op", "aten::mm");
    w.Begin(2, t + 100'000, "cuda_runtime", "cudaLaunchKernel", Message(correlation).Fixed(47, id));
    w.End(2, t + 200'000).End(2, t + 500'000);
    w.Begin(3, t + 300'000, "kernel", "gemm", Message(correlation).Fixed(48, id));
    w.End(3, t + 700'000);
    w.Counter(4, t, 100 * i);
  }
  return w.Bytes();
}

}  // namespace stepscope::test
