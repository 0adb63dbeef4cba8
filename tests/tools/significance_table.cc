// significance_table: prints a table of docs/measurements/comparisons.md, which says how often two
// parts of one run of an equal program differ by chance, and how often a true change is found.
// Steps are first-order autoregressive with fixed seeds. Takes a minute.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "model/compare/contributions.h"
#include "model/compare/significance.h"

namespace stepscope::compare {
namespace {

constexpr int kPairs = 2000;

// Steps of 10 ms with 2 % noise, each of which depends on the one before by `correlation`.
std::vector<double> Steps(size_t n, double correlation, std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  const double fresh = std::sqrt(1 - correlation * correlation);
  std::vector<double> times;
  double at = normal(*random);
  for (size_t i = 0; i < n; ++i) {
    times.push_back(10 + 0.2 * at);
    at = correlation * at + fresh * normal(*random);
  }
  return times;
}

// A profile of one op that takes these times.
StepItems ProfileOf(std::span<const double> times) {
  StepItems profile;
  profile.samples = times.size();
  profile.devices = 1;
  StepItem item;
  item.name = "op";
  const auto steps = static_cast<uint32_t>(times.size());
  for (uint32_t s = 0; s < steps; ++s)
    item.time.Add({0, s, steps}, times[s] / static_cast<double>(times.size()));
  profile.mean = item.time.total();
  profile.items.push_back(item);
  return profile;
}

struct Found {
  int strong = 0, weak = 0, rows = 0;  // of kPairs
  void Add(std::span<const double> a, std::span<const double> b) {
    const Significance found = TestShift(a, b).significance;
    strong += found == Significance::kStrong, weak += found != Significance::kNone;
    const Floors floors{0, std::numeric_limits<double>::infinity()};
    rows += !FindContributions(ProfileOf(a), ProfileOf(b), floors).rows.empty();
  }
  void Print(const char* what, double correlation, size_t n) const {
    const auto percent = [](int of) { return 100.0 * of / kPairs; };
    fmt::print("| {} | {:.1f} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", what, correlation, n,
               percent(strong), percent(weak), percent(rows));
  }
};

void Print() {
  fmt::print("| B | correlation | steps of each | strong | weak or strong | row stands out |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const double correlation : {0.0, 0.3, 0.6, 0.8}) {
    for (const size_t n : {15, 50, 100, 400}) {
      std::mt19937_64 random(29);
      Found found;
      for (int pair = 0; pair < kPairs; ++pair) {
        const std::vector<double> all = Steps(2 * n, correlation, &random);
        const std::span<const double> both(all);
        found.Add(both.first(n), both.last(n));
      }
      found.Print("equal", correlation, n);
    }
  }
  std::mt19937_64 random(30);
  Found found;
  for (int pair = 0; pair < kPairs; ++pair) {
    const std::vector<double> a = Steps(60, 0, &random);
    std::vector<double> b = Steps(60, 0, &random);
    for (double& time : b) time *= 1.05;
    found.Add(a, b);
  }
  found.Print("5 % slower", 0, 60);
}

}  // namespace
}  // namespace stepscope::compare

int main() { stepscope::compare::Print(); }
