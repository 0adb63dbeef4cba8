// make_fleet DIR RANKS STEPS COLLECTIVES: writes the parts of a fleet into DIR/facts, as
// stepscope-fleet would of ranks that take so many collectives a step: rank 7 of each 1,000 is
// late, rank 11 computes 20 % longer. For measurements of fleets that are too large to be made of
// profiles here. DIR/facts must exist.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "loaders/fleet/fleet_loader.h"

namespace stepscope {
namespace {

constexpr Ps kUs = kPsPerUs;

struct Size {
  int ranks, steps, collectives;
};

// The work of a rank before a collective.
Ps WorkOf(int rank, int step, int nth) {
  Ps work = 500 * kUs + (rank * 7919 + step * 104729 + nth * 1299709) % 1000 * (kUs / 100);
  if (rank % 1000 == 7 && nth == 0) work += 300 * kUs;
  return rank % 1000 == 11 ? work + work / 5 : work;
}

// By step and collective: when all ranks have come.
std::vector<Ps> Arrivals(const Size& size) {
  std::vector<Ps> most;
  for (int step = 0; step < size.steps; ++step) {
    for (int nth = 0; nth < size.collectives; ++nth) {
      Ps last = 0;
      for (int r = 0; r < size.ranks; ++r) last = std::max(last, WorkOf(r, step, nth));
      most.push_back(last);
    }
  }
  return most;
}

void AddStep(const Size& size, int rank, int step, const std::vector<Ps>& arrivals, Ps* now,
             RankFacts* f) {
  const Ps begin = *now;
  Ps busy = 0;
  for (int nth = 0; nth < size.collectives; ++nth) {
    const Ps work = WorkOf(rank, step, nth);
    RankCall call;
    call.row = static_cast<uint32_t>(f->calls.size());
    call.group = 0;
    call.in_step = call.explained = true;
    call.step = step;
    call.order = static_cast<int64_t>(f->calls.size());
    call.since = *now;
    call.begin = *now + work;
    *now += arrivals[static_cast<size_t>(step * size.collectives + nth)] + 100 * kUs;
    call.end = *now;
    call.bytes = 1 << 20;
    f->waits.push_back({call.row, StepTimeClass::kCompute, work - 20 * kUs});
    f->waits.push_back({call.row, StepTimeClass::kLaunch, 20 * kUs});
    f->calls.push_back(call);
    busy += work;
  }
  f->steps.push_back({step, {begin, *now}, *now - begin, busy, step > 0});
}

FleetPart PartOf(const Size& size, int rank, const std::vector<Ps>& arrivals) {
  FleetPart part;
  part.file.path = "/logs/rank" + std::to_string(rank) + ".pt.trace.json";
  part.run = "/logs";
  part.origin_unix_ns = 1'750'000'000'000'000'000;
  RankFacts& f = part.facts.emplace_back();
  f.rank.own_number = rank;
  f.rank.has_device = true;
  f.rank.host_name = "rank " + std::to_string(rank);
  f.rank.file = "dp" + std::to_string(rank / 8) + "_tp" + std::to_string(rank % 8) + ".json";
  f.rank.coordinates = "dp " + std::to_string(rank / 8) + ", tp " + std::to_string(rank % 8);
  f.names = {"allreduce"};
  f.groups = {{"0", "", true, -1, -1}};
  Ps now = rank * kUs;  // its clock
  for (int step = 0; step < size.steps; ++step) AddStep(size, rank, step, arrivals, &now, &f);
  const Ps kernel = rank % 1000 == 11 ? 24 * kUs : 20 * kUs;
  for (int k = 0; k < 50; ++k)
    f.kernels.push_back({"kernel " + std::to_string(k), 1000, 1000 * kernel, kernel});
  return part;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) {
  using namespace stepscope;
  if (argc != 5) return std::fprintf(stderr, "make_fleet DIR RANKS STEPS COLLECTIVES\n"), 2;
  const auto number = [&](int i) { return static_cast<int>(std::strtol(argv[i], nullptr, 10)); };
  const Size size{number(2), number(3), number(4)};
  const std::vector<Ps> arrivals = Arrivals(size);
  for (int rank = 0; rank < size.ranks; ++rank) {
    std::ofstream file(std::string(argv[1]) + "/facts/" + std::to_string(rank) + ".stepfacts",
                       std::ios::binary);
    if (!(file << fleet::WritePart(PartOf(size, rank, arrivals)))) {
      std::fprintf(stderr, "make_fleet: cannot write into %s/facts\n", argv[1]);
      return EXIT_FAILURE;
    }
  }
  return EXIT_SUCCESS;
}
