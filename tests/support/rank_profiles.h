// PyTorch traces of the ranks of one job, one text each. One problem is planted: clocks that do not
// agree, a rank that comes late to the first collective of each step, or a rank that misses a
// collective; a fleet has several: also a GPU that computes slower, and a group whose transfers are
// slow. The same options give the same texts.
//
// In each step a rank fetches input, copies it, computes and meets the others in `collectives`
// all-reduces, which end for all when the last one has come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepscope::test {

enum class LateBy : std::uint8_t { kInput, kHost, kCompute, kCopy };

struct RankJobOptions {
  int ranks = 4;
  int steps = 8;
  int collectives = 3;                  // in each step
  std::vector<double> clock_offset_us;  // by rank; ranks beyond the end have 0
  int late_rank = -1;
  double late_us = 0;
  LateBy late_by = LateBy::kCompute;
  int missing_rank = -1;  // takes no part in `missing_collective` of `missing_step`
  int missing_step = 0, missing_collective = 0;
  double jitter_us = 2;             // the most that an arrival or end is shifted, either way
  bool arguments = true;            // process group, Seq and bytes are recorded
  bool markers = true;              // ProfilerStep#N
  std::int64_t elements = 1 << 20;  // of each collective, in BFloat16
  double transfer_us = 80;          // from the last arrival to the end
  int throttled_rank = -1;          // its kernels take `throttle` times as long
  double throttle = 1;
  // The second collective of each step, which must not be the last one, is of groups of so many
  // ranks each; 0: of all, as the others are.
  int group_ranks = 0;
  int slow_group = -1;  // its transfers take slow_us longer
  double slow_us = 0;
};

std::string MakeRank(const RankJobOptions& options, int rank);
// The name of a rank's file: "rank3.pt.trace.json".
std::string RankFileName(int rank);

}  // namespace stepscope::test
