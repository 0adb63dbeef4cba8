#include "model/analysis/steps/builders/infer_steps.h"

#include <doctest/doctest.h>

#include <vector>

namespace stepscope {

TEST_CASE("The period of a sequence is the step, not the layer in it") {
  std::vector<uint32_t> sequence;
  for (int step = 0; step < 6; ++step) {
    for (uint32_t layer = 0; layer < 10; ++layer) sequence.insert(sequence.end(), {1, 2, 3});
    sequence.push_back(4);
  }
  double share = 0;
  CHECK(FindPeriod(sequence, 0.9, &share) == 31);
  CHECK(share == 1);
  std::vector<uint32_t> none(100);
  for (uint32_t i = 0; i < none.size(); ++i) none[i] = i * i % 97;
  none.resize(60);
  CHECK(FindPeriod(none, 0.9, &share) == 0);
}

}  // namespace stepscope
