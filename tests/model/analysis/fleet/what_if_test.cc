// Facts made by hand have planted shares, which what-if must give.
#include "model/analysis/fleet/what_if.h"

#include <doctest/doctest.h>

#include <functional>

namespace stepscope {
namespace {

constexpr Ps kUs = kPsPerUs;
constexpr int kRanks = 100, kSteps = 20;

struct PlantedJob {
  std::function<Ps(int rank, int step, int nth)> compute = [](int, int, int) { return 500 * kUs; };
  std::function<Ps(int step, int nth)> transfer = [](int, int) { return 100 * kUs; };
  int stages = 0;
};

// Each step: two collectives of all ranks, after compute.
std::vector<RankFacts> FactsOf(const PlantedJob& planted) {
  std::vector<RankFacts> all(kRanks);
  for (int r = 0; r < kRanks; ++r) {
    RankFacts& f = all[static_cast<size_t>(r)];
    f.rank.number = f.rank.own_number = r;
    f.rank.has_device = true;
    if (planted.stages > 0) f.rank.file = "pp" + std::to_string(r % planted.stages) + ".json";
    f.names = {"allreduce"};
    f.groups = {{"0", "", true, -1, -1}};
  }
  Ps now = 0;
  for (int step = 0; step < kSteps; ++step) {
    const Ps begin = now;
    for (int nth = 0; nth < 2; ++nth) {
      Ps arrival = 0;
      for (int r = 0; r < kRanks; ++r) arrival = std::max(arrival, planted.compute(r, step, nth));
      const Ps end = now + arrival + planted.transfer(step, nth);
      for (int r = 0; r < kRanks; ++r) {
        RankFacts& f = all[static_cast<size_t>(r)];
        RankCall call;
        call.group = 0;
        call.in_step = call.explained = true;
        call.step = step;
        call.order = step * 2 + nth;
        call.since = now;
        call.begin = now + planted.compute(r, step, nth);
        call.end = end;
        f.waits.push_back({static_cast<uint32_t>(f.calls.size()), StepTimeClass::kCompute,
                           call.begin - call.since});
        f.calls.push_back(call);
      }
      now = end;
    }
    for (RankFacts& f : all)
      f.steps.push_back({step, {begin, now}, now - begin, now - begin, true});
  }
  return all;
}

WhatIf Ask(const PlantedJob& planted) {
  const std::vector<RankFacts> facts = FactsOf(planted);
  return AskWhatIf(facts, PutTogether(facts));
}

doctest::Approx Near(double value) { return doctest::Approx(value).epsilon(0.001); }

TEST_CASE("a job without stragglers has no slowdown and no shares") {
  const WhatIf w = Ask({});
  CHECK(w.steps == kSteps);
  CHECK(w.step == Near(1200.0 * kUs));
  CHECK(w.ideal == Near(w.step));
  CHECK_FALSE(w.slowest_ranks);
  CHECK_FALSE(w.network);
}

TEST_CASE("one slow rank has the whole slowdown, which the ideal spreads over all ranks") {
  PlantedJob job;
  job.compute = [](int rank, int, int) { return (rank == 42 ? 700 : 500) * kUs; };
  const WhatIf w = Ask(job);
  CHECK(w.step == Near(1600.0 * kUs));
  CHECK(w.ideal == Near((1200.0 + 2 * 200.0 / kRanks) * kUs));
  REQUIRE(w.slowest.size() == 3);  // 3 % of 100
  CHECK(w.slowest.front() == 42);
  CHECK(*w.slowest_ranks == Near(1));
  CHECK(std::abs(*w.uneven_input) < 0.001);
  CHECK(std::abs(*w.network) < 0.001);
  CHECK_FALSE(w.stage_share);
}

TEST_CASE("a slow pipeline stage has the slowdown, and the slowest ranks do not") {
  PlantedJob job;
  job.stages = 4;
  job.compute = [](int rank, int, int) { return (rank % 4 == 3 ? 600 : 500) * kUs; };
  const WhatIf w = Ask(job);
  CHECK(w.stage == 3);
  CHECK(*w.stage_share == Near(1));
  CHECK(std::abs(*w.slowest_ranks) < 0.001);  // the other 22 ranks of the stage are as slow
}

TEST_CASE("input of uneven length has the slowdown: another rank is slow in each step") {
  PlantedJob job;
  job.compute = [](int rank, int step, int) { return (rank == step * 5 ? 900 : 500) * kUs; };
  const WhatIf w = Ask(job);
  CHECK(w.step == Near(2000.0 * kUs));
  // Without unevenness the 20 ranks that were slow once have the mean of their steps, 520 us.
  CHECK(*w.uneven_input == Near((2000.0 - 2 * 620.0) / (2000.0 - w.ideal / kUs)));
  CHECK(*w.slowest_ranks < 0.2);
}

TEST_CASE("a slow network has the slowdown") {
  PlantedJob job;
  job.transfer = [](int step, int) { return (step % 4 == 0 ? 500 : 100) * kUs; };
  const WhatIf w = Ask(job);
  CHECK(w.step == Near(1400.0 * kUs));
  CHECK(w.ideal == Near(1200.0 * kUs));
  CHECK(*w.network == Near(1));
  CHECK(std::abs(*w.slowest_ranks) < 0.001);
}

TEST_CASE("two causes share the slowdown by their sizes") {
  PlantedJob job;
  job.compute = [](int rank, int, int) { return (rank == 7 ? 600 : 500) * kUs; };
  job.transfer = [](int, int nth) { return (nth == 0 ? 100 : 100) * kUs; };
  const double alone = Ask(job).step;
  job.transfer = [](int step, int) { return (step % 10 == 0 ? 1100 : 100) * kUs; };
  const WhatIf w = Ask(job);
  CHECK(w.step == Near(alone + 200.0 * kUs));
  CHECK(*w.network == Near(200.0 * kUs / (w.step - w.ideal)));
  CHECK(*w.network + *w.slowest_ranks == Near(1));
}

TEST_CASE("ranks that wait for each other in a circle end") {
  std::vector<RankFacts> facts = FactsOf({});
  facts.resize(2);
  for (size_t i = 0; i < facts[1].calls.size(); i += 2)  // the order of one rank is another
    std::swap(facts[1].calls[i].order, facts[1].calls[i + 1].order);
  const WhatIf w = AskWhatIf(facts, PutTogether(facts));
  CHECK(w.step > 0);
  facts[1].calls.resize(3);
  facts[1].waits.resize(3);
  CHECK(AskWhatIf(facts, PutTogether(facts)).step > 0);
}

}  // namespace
}  // namespace stepscope
