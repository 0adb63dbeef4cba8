#include "tests/support/rank_profiles.h"

#include <algorithm>

#include "tests/support/kineto_text.h"

namespace stepscope::test {
namespace {

constexpr double kFirst = 1000, kInputUs = 60, kCopyUs = 30, kComputeUs = 200, kBetweenUs = 40;

class RankWriter {
 public:
  RankWriter(const RankJobOptions& options, int rank) : o_(options), rank_(rank) {
    if (static_cast<std::size_t>(rank) < o_.clock_offset_us.size())
      offset_ = o_.clock_offset_us[static_cast<std::size_t>(rank)];
    text_.On(rank % 8, 7);
    FindLags();
  }

  std::string Write() {
    for (int step = 0; step < o_.steps; ++step) WriteStep(step);
    return "{\"baseTimeNanoseconds\":1750000000000000000,\"distributedInfo\":{\"backend\":\"nccl\","
           "\"rank\":" +
           std::to_string(rank_) + ",\"world_size\":" + std::to_string(o_.ranks) + "}," +
           text_.Text().substr(1);
  }

 private:
  bool IsLate(LateBy cause) const { return rank_ == o_.late_rank && o_.late_by == cause; }
  double More(LateBy cause) const { return IsLate(cause) ? o_.late_us : 0; }
  // A number from -jitter_us to jitter_us.
  double Jitter(int step, int collective, int what) const {
    std::uint64_t h =
        static_cast<std::uint64_t>(rank_) * 1000003u + static_cast<std::uint64_t>(step) * 10007u +
        static_cast<std::uint64_t>(collective) * 101u + static_cast<std::uint64_t>(what) + 1;
    h *= 0x9e3779b97f4a7c15u;
    h ^= h >> 31;
    h *= 0xbf58476d1ce4e5b9u;
    return (static_cast<double>(h >> 40) / static_cast<double>(1 << 24) * 2 - 1) * o_.jitter_us;
  }
  // Adds a launch, and the work right after it.
  void Work(const std::string& category, const std::string& name, double at, double us,
            const std::string& arguments = "") {
    text_.Launch(++correlation_, at + offset_ - 6, 4);
    text_.Device(category, name, correlation_, at + offset_, us, arguments);
  }
  void WriteStep(int step);
  void Collective(int step, int nth, double at, double end);
  std::string Arguments(int nth) const;
  bool IsOfGroup(int nth) const { return nth == 1 && o_.group_ranks > 0; }
  double ComputeOf(int rank) const {
    return kComputeUs * (rank == o_.throttled_rank ? o_.throttle : 1);
  }
  void FindLags();

  const RankJobOptions& o_;
  const int rank_;
  double offset_ = 0, now_ = kFirst;
  int correlation_ = 0;
  std::int64_t seq_ = 0;
  // By collective: how much later than planned it ends for this rank, beyond the one before, and
  // by how much its transfer is slower.
  std::vector<double> later_;
  KinetoText text_;
};

// All ranks are equal at the end of a step, so each step has the same lags.
void RankWriter::FindLags() {
  std::vector<double> lag(static_cast<std::size_t>(o_.ranks));
  for (int c = 0; c < o_.collectives; ++c) {
    const int group_ranks = IsOfGroup(c) ? o_.group_ranks : o_.ranks;
    const double before = lag[static_cast<std::size_t>(rank_)];
    for (int first = 0; first < o_.ranks; first += group_ranks) {
      const int end = std::min(o_.ranks, first + group_ranks);
      double most = 0;
      for (int r = first; r < end; ++r) {
        const double late = c == 0 && r == o_.late_rank ? o_.late_us : 0;
        most = std::max(most, lag[static_cast<std::size_t>(r)] + ComputeOf(r) - kComputeUs + late);
      }
      if (IsOfGroup(c) && first / group_ranks == o_.slow_group) most += o_.slow_us;
      for (int r = first; r < end; ++r) lag[static_cast<std::size_t>(r)] = most;
    }
    later_.push_back(lag[static_cast<std::size_t>(rank_)] - before);
  }
}

std::string RankWriter::Arguments(int nth) const {
  std::string ranks;
  const int size = IsOfGroup(nth) ? o_.group_ranks : o_.ranks,
            group = IsOfGroup(nth) ? rank_ / size : 0;
  const int first = group * size, end = std::min(o_.ranks, first + size);
  for (int r = first; r < end; ++r) ranks += (r == first ? "" : ", ") + std::to_string(r);
  const std::string n = std::to_string(o_.elements);
  return "\"Collective name\":\"allreduce\",\"In msg nelems\":" + n + ",\"Out msg nelems\":" + n +
         ",\"Group size\":" + std::to_string(end - first) +
         ",\"dtype\":\"BFloat16\",\"Process Group Name\":\"" +
         (IsOfGroup(nth) ? "tp" + std::to_string(group) : "0") + "\",\"Process Group Ranks\":\"[" +
         ranks + "]\",\"Seq\":" + std::to_string(seq_);
}

void RankWriter::Collective(int step, int nth, double at, double end) {
  ++seq_;
  const bool missing =
      rank_ == o_.missing_rank && step == o_.missing_step && nth == o_.missing_collective;
  if (missing) return;
  Work("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", at,
       end - at, o_.arguments ? Arguments(nth) : "");
}

void RankWriter::WriteStep(int step) {
  const double begin = now_;
  double at = begin + 10;
  const double input = kInputUs + More(LateBy::kInput);
  text_.Host("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
             at + offset_, input);
  at += input + 10;
  Work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", at, kCopyUs + More(LateBy::kCopy));
  at += kCopyUs + More(LateBy::kCopy);
  const double host = 20 + More(LateBy::kHost);
  text_.Host("cpu_op", "aten::unique_consecutive", at + offset_, host);
  at += host + 10;
  double shared = begin + 10 + kInputUs + 10 + kCopyUs + 30;  // when ranks that are not late arrive
  for (int c = 0; c < o_.collectives; ++c) {
    const double compute = ComputeOf(rank_) + (c == 0 ? More(LateBy::kCompute) : 0);
    Work("kernel", "sm90_gemm_bf16", at, compute);
    shared += kComputeUs;
    const double arrival = at + compute + 3 + o_.jitter_us + Jitter(step, c, 0);
    const double end =
        shared + 3 + 2 * o_.jitter_us + o_.transfer_us + later_[static_cast<std::size_t>(c)];
    Collective(step, c, arrival, end + Jitter(step, c, 1) / 2);
    at = end + o_.jitter_us + 10;
    shared = at;
  }
  now_ = at + kBetweenUs;
  if (o_.markers)
    text_.Host("user_annotation", "ProfilerStep#" + std::to_string(step), begin + offset_,
               at - begin);
}

}  // namespace

std::string MakeRank(const RankJobOptions& options, int rank) {
  return RankWriter(options, rank).Write();
}

std::string RankFileName(int rank) { return "rank" + std::to_string(rank) + ".pt.trace.json"; }

}  // namespace stepscope::test
