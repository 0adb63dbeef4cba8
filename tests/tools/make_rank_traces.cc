// make_rank_traces FOLDER [RANKS [STEPS [COLLECTIVES [LATE_RANK [LATE_US [THROTTLED_RANK
// [THROTTLE_% [GROUP_RANKS [SLOW_GROUP [SLOW_US]]]]]]]]]]: writes the PyTorch traces of a job's
// ranks (tests/support/rank_profiles.h) into a folder that exists.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/rank_profiles.h"

int main(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) {
    return i < argc ? static_cast<int>(std::strtol(argv[i], nullptr, 10)) : otherwise;
  };
  stepscope::test::RankJobOptions options;
  options.ranks = number(2, options.ranks);
  options.steps = number(3, options.steps);
  options.collectives = number(4, options.collectives);
  options.late_rank = number(5, options.late_rank);
  options.late_us = number(6, 0);
  options.throttled_rank = number(7, -1);
  options.throttle = number(8, 100) / 100.0;
  options.group_ranks = number(9, 0);
  options.slow_group = number(10, -1);
  options.slow_us = number(11, 0);
  for (int r = 0; r < options.ranks; ++r) options.clock_offset_us.push_back(137.0 * r);
  for (int r = 0; argc > 1 && r < options.ranks; ++r) {
    std::ofstream file(std::string(argv[1]) + "/" + stepscope::test::RankFileName(r),
                       std::ios::binary);
    if (!(file << stepscope::test::MakeRank(options, r))) {
      std::fprintf(stderr, "make_rank_traces: cannot write into %s\n", argv[1]);
      return EXIT_FAILURE;
    }
  }
  return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
