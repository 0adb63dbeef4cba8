#include "model/analysis/steps/builders/infer_steps.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/analysis/steps/steps.h"
#include "tests/support/kineto_text.h"
#include "tests/support/loaded.h"

namespace stepscope {
namespace {

// The steps of a program with ranges of these names, each around five launches.
size_t StepsOf(const std::vector<std::string>& ranges) {
  test::KinetoText t;
  int call = 0;
  for (size_t r = 0; r < ranges.size(); ++r) {
    const double at = 1000 + 1000 * static_cast<double>(r);
    t.Host("user_annotation", ranges[r], at, 800);
    for (int k = 0; k < 5; ++k) {
      ++call;
      t.Launch(call, at + 10 + 100 * k, 5);
      t.Kernel("kernel_" + std::to_string(call * call), call, at + 20 + 100 * k, 60);
    }
  }
  AnalysisContext context(test::Loaded("t.json", t.Text(test::kH100)), Definitions::kStepscope);
  return context.Get<StepDatabase>().steps.size();
}

}  // namespace

TEST_CASE("Ranges whose names differ in a number that does not count are not one range again") {
  CHECK(StepsOf({"optimizer train.py:23", "optimizer train.py:25"}) == 0);
  CHECK(StepsOf({"f(3, 9)", "f(3, 4)", "f(8, 4)"}) == 0);
  CHECK(StepsOf({"train.py:23", "train.py:25", "train.py:23", "train.py:25"}) == 2);
  CHECK(StepsOf({"loop 7 of 9", "loop 8 of 9", "loop 9 of 9"}) == 3);
  CHECK(StepsOf({"step 10", "step 20", "step 30"}) == 3);  // it says that it is a step
  CHECK(StepsOf({"forward", "forward", "forward"}) == 3);
}

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
