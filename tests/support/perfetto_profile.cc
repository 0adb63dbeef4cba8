#include "tests/support/perfetto_profile.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/perfetto_writer.h"

namespace stepscope::test {
namespace {

constexpr uint64_t kKernelNames = 200, kOpNames = 120;
constexpr uint64_t kDeltaClock = 64, kCleared = 1, kNeedsState = 2;
enum Category : uint64_t { kOp = 1, kCall, kKernel };

// Names of arguments, numbered from 1.
constexpr std::array kArguments = {"External id",
                                   "Record function id",
                                   "Concrete Inputs",
                                   "Input Dims",
                                   "Ev Idx",
                                   "cbid",
                                   "correlation",
                                   "device",
                                   "context",
                                   "stream",
                                   "registers per thread",
                                   "shared memory",
                                   "blocks per SM",
                                   "warps per SM",
                                   "grid",
                                   "block",
                                   "x",
                                   "y",
                                   "z",
                                   "est. achieved occupancy %"};

Message Entry(uint64_t iid, std::string_view text) { return Message().Int(1, iid).Text(2, text); }
Message Whole(uint64_t name, uint64_t value) {
  return Message().Sub(4, Message().Int(1, name).Int(4, value));
}
Message Real(uint64_t name, double value) {
  return Message().Sub(4, Message().Int(1, name).Real(5, value));
}
Message Text(uint64_t name, std::string_view value) {
  return Message().Sub(4, Message().Int(1, name).Text(6, value));
}
Message Dims(uint64_t name, uint64_t x) {
  Message dims = Message().Int(1, name);
  for (uint64_t i = 0; i < 3; ++i) dims.Sub(11, Message().Int(1, 17 + i).Int(4, i == 0 ? x : 1));
  return Message().Sub(4, dims);
}

// The packets of one sequence. Times count from the packet before; the track is the default one.
class Sequence {
 public:
  Sequence(uint32_t id, uint64_t track, std::string* out) : id_(id), track_(track), out_(*out) {}

  void Begin(uint64_t at) {
    const auto clock = [](uint64_t id, uint64_t time) { return Message().Int(1, id).Int(2, time); };
    Put(Message()
            .Int(13, kCleared)
            .Sub(6, Message().Sub(1, clock(6, at)).Sub(1, clock(kDeltaClock, at).Int(3, 1)))
            .Sub(59, Message().Int(58, kDeltaClock).Sub(11, Message().Int(11, track_)))
            .Sub(12, Names()));
    last_ = at;
  }
  void Event(uint64_t at, std::string_view bytes) {
    Put(Message().Int(8, at - last_).Int(13, kNeedsState).Text(11, bytes));
    last_ = at;
  }
  void Put(Message packet) {
    packet.Int(10, id_);
    out_ += Message().Sub(1, packet).bytes();
  }

 private:
  static Message Names() {
    Message names;
    const std::array categories = {"cpu_op", "cuda_runtime", "kernel"};
    for (uint64_t i = 0; i < categories.size(); ++i) names.Sub(1, Entry(i + 1, categories[i]));
    for (uint64_t i = 1; i <= kOpNames; ++i)
      names.Sub(2, Entry(i, "aten::op_" + std::to_string(i)));
    names.Sub(2, Entry(kOpNames + 1, "cudaLaunchKernel"));
    for (uint64_t i = 1; i <= kKernelNames; ++i)
      names.Sub(2, Entry(1000 + i, "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_" +
                                       std::to_string(i)));
    for (uint64_t i = 0; i < kArguments.size(); ++i) names.Sub(3, Entry(i + 1, kArguments[i]));
    return names;
  }

  uint32_t id_;
  uint64_t track_;
  std::string& out_;
  uint64_t last_ = 0;
};

std::string Slice(Category category, uint64_t name, const Message& more) {
  return Message().Int(9, 1).Int(3, category).Int(10, name).bytes() + more.bytes();
}

// A process with its thread, its GPU and its counter.
class Rank {
 public:
  explicit Rank(uint32_t rank)
      : rank_(rank),
        host_(3 * rank + 1, Uuid(2), &bytes_),
        gpu_(3 * rank + 2, Uuid(3), &bytes_),
        memory_(3 * rank + 3, Uuid(4), &bytes_) {}

  const std::string& Step(uint32_t step, const PerfettoProfileOptions& options) {
    bytes_.clear();
    const uint64_t begin = 1'000'000'000 + uint64_t{step} * (options.launches * 40 + 50) * 1000;
    if (step == 0) Describe();
    if (step % options.clear_every == 0) {
      for (Sequence* s : {&host_, &gpu_, &memory_}) s->Begin(begin);
    }
    for (uint32_t i = 0; i < options.launches; ++i) Launch(begin + 40'000ull * i, i);
    for (uint32_t i = 0; i < options.launches; ++i)
      Kernel(begin + 40'000ull * i + 15'000, i, first_id_ + i);
    for (uint32_t i = 0; i < options.launches; i += 8)
      memory_.Event(begin + 40'000ull * i, Message().Int(9, 4).Int(30, 1'000'000ull * i).bytes());
    first_id_ += options.launches;
    return bytes_;
  }

 private:
  uint64_t Uuid(uint64_t n) const { return (uint64_t{rank_} + 1) << 40 | n; }

  void Describe() {
    const uint64_t pid = 1000 + rank_;
    const Message process = Message().Int(1, pid).Text(6, "python3");
    host_.Put(Message().Sub(60, Message().Int(1, Uuid(1)).Sub(3, process)));
    const Message thread = Message().Int(1, pid).Int(2, pid).Text(5, "main");
    host_.Put(Message().Sub(60, Message().Int(1, Uuid(2)).Int(5, Uuid(1)).Sub(4, thread)));
    const Message track = Message().Int(1, Uuid(3)).Int(5, Uuid(1));
    const std::string name = "GPU " + std::to_string(rank_) + " Stream #7";
    host_.Put(Message().Sub(60, Message(track).Text(2, name)));
    const Message counter = Message().Int(1, Uuid(4)).Int(5, Uuid(1)).Text(2, "Bytes in use");
    host_.Put(Message().Sub(60, Message(counter).Sub(8, Message())));
  }

  void Launch(uint64_t at, uint32_t i) {
    const uint64_t id = first_id_ + i, flow = uint64_t{rank_} << 40 | id;
    std::string op = Whole(1, id).bytes() + Whole(2, id).bytes();
    op += Text(3, "['', '', '[1]', '0', 'False']").bytes();
    op += Text(4, "[[32, 1024, 4096], [4096, 4096], [], [], []]").bytes() + Whole(5, id).bytes();
    host_.Event(at, Slice(kOp, 1 + i % kOpNames, Message()) + op);
    const std::string call = Whole(1, id).bytes() + Whole(6, 211).bytes() + Whole(7, id).bytes();
    host_.Event(at + 4000, Slice(kCall, kOpNames + 1, Message().Fixed(47, flow)) + call);
    host_.Event(at + 9000 + i % 7 * 100, Message().Int(9, 2).bytes());
    host_.Event(at + 30'000, Message().Int(9, 2).bytes());
  }

  void Kernel(uint64_t at, uint32_t i, uint64_t id) {
    std::string more = Whole(8, rank_).bytes() + Whole(9, 1).bytes() + Whole(10, 7).bytes();
    more += Whole(7, id).bytes() + Whole(1, id).bytes() + Whole(11, 128).bytes();
    more += Whole(12, 49152).bytes() + Real(13, 7.75).bytes() + Real(14, 62.0).bytes();
    more += Dims(15, 1024).bytes() + Dims(16, 256).bytes() + Whole(20, 31).bytes();
    const Message flow = Message().Fixed(48, uint64_t{rank_} << 40 | id);
    gpu_.Event(at, Slice(kKernel, 1001 + i % kKernelNames, flow) + more);
    gpu_.Event(at + 20'000 + i % 11 * 1000, Message().Int(9, 2).bytes());
  }

  std::string bytes_;
  uint32_t rank_;
  uint64_t first_id_ = 1;
  Sequence host_, gpu_, memory_;
};

}  // namespace

void WritePerfettoProfile(const PerfettoProfileOptions& options,
                          const std::function<void(std::string_view)>& write) {
  std::vector<std::unique_ptr<Rank>> ranks;
  for (uint32_t r = 0; r < options.ranks; ++r) ranks.push_back(std::make_unique<Rank>(r));
  for (uint32_t step = 0; step < options.steps; ++step) {
    for (const auto& rank : ranks) write(rank->Step(step, options));
  }
}

}  // namespace stepscope::test
