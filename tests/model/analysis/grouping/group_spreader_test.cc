// Groups of made-up threads, against a walk over all events that follows docs/rules.md#grouping.
#include "model/analysis/grouping/group_spreader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/grouping.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

constexpr int kNone = -1, kThreads = 3;  // the stream of the device comes after the threads

struct MadeEvent {
  int64_t begin = 0, end = 0;
  int thread = 0;
  int encloser = kNone;
  int64_t level = 0;             // of a root; 0: it is none
  int64_t makes = 0, takes = 0;  // ids of contexts; 0: none
  bool async = false;
  int64_t correlation = 0;  // of a launch and its work; 0: it is neither
  int launch = kNone;       // of work
};

// Threads whose events nest. Some are roots, asynchronous, or tied to others by a context.
class MadeThreads {
 public:
  explicit MadeThreads(uint32_t seed) : random_(seed) {
    for (int thread = 0; thread < kThreads; ++thread) Fill(thread, 0, 1'000'000, kNone, 0);
    Launch();
  }

  std::vector<MadeEvent> events;

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

  void Fill(int thread, int64_t begin, int64_t end, int encloser, int depth) {
    for (int64_t at = begin + 1 + Below(1 + (end - begin) / 4); depth < 5 && at + 20 < end;) {
      const int64_t until = std::min(end - 1, at + 10 + Below(1 + (end - begin) / 2));
      MadeEvent made{at, until, thread, encloser};
      made.async = Below(12) == 0;
      if (made.async) made.encloser = kNone;
      if (Below(5) == 0) made.level = 1 + Below(2);
      if (Below(8) == 0) made.makes = 1 + Below(6);
      if (Below(8) == 0) made.takes = 1 + Below(6);
      events.push_back(made);
      const int self = made.async ? encloser : static_cast<int>(events.size()) - 1;
      Fill(thread, at, until, self, depth + 1);
      at = until + 1 + Below(1 + (end - begin) / 4);
    }
  }

  // Lets some events launch work. Every other work lies inside the one before.
  void Launch() {
    const size_t calls = events.size();
    int64_t at = 2'000'000;
    int outer = kNone;
    for (size_t call = 0; call < calls; ++call) {
      if (events[call].async || Below(6) != 0) continue;
      MadeEvent work{at, at + 100, kThreads};
      if (outer != kNone) work = {at - 190, at - 150, kThreads, outer};
      outer = outer == kNone ? static_cast<int>(events.size()) : kNone;
      if (outer != kNone) at += 200;
      events[call].correlation = work.correlation = static_cast<int64_t>(call) + 1;
      work.launch = static_cast<int>(call);
      events.push_back(work);
    }
  }

  std::mt19937 random_;
};

std::string NameOf(size_t event) { return "event " + std::to_string(event); }

std::string BytesOf(const std::vector<MadeEvent>& events) {
  test::XSpaceBuilder b;
  auto& host = b.Plane("/host:CPU");
  std::vector<test::LineBuilder*> threads;
  for (int thread = 0; thread < kThreads; ++thread)
    threads.push_back(&host.Line(thread + 1, "thread " + std::to_string(thread)));
  threads.push_back(&b.Plane("/device:GPU:0").Line(14, "Stream #14(Compute)"));
  for (size_t e = 0; e < events.size(); ++e) {
    const MadeEvent& made = events[e];
    auto& event = threads[static_cast<size_t>(made.thread)]->Event(NameOf(e), made.begin,
                                                                   made.end - made.begin);
    if (made.level != 0) event.Stat("_r", made.level);
    if (made.makes != 0) event.Stat("_pt", 1).Stat("_p", made.makes);
    if (made.takes != 0) event.Stat("_ct", 1).Stat("_c", made.takes);
    if (made.async) event.Stat("_a", 1);
    if (made.correlation != 0) event.Stat("correlation_id", made.correlation);
  }
  return b.Bytes();
}

// The walk over all events.
class Walk {
 public:
  explicit Walk(const std::vector<MadeEvent>& events)
      : events_(events),
        parents_(events.size()),
        children_(events.size()),
        of_(events.size(), kNone) {
    for (int e = 0; e < Count(); ++e) Tie(At(e).encloser, e), Tie(At(e).launch, e);
    for (int from = 0; from < Count(); ++from) {
      for (int to = 0; to < Count(); ++to) {
        if (At(from).makes != 0 && At(from).makes == At(to).takes) Tie(from, to);
      }
    }
    for (const int root : Roots()) {
      if (Of(root) == kNone && !HasAncestorOfLevel(root)) Give(root, root);
    }
  }

  // By event, the root of its group.
  const std::vector<int>& of() const { return of_; }

 private:
  int Count() const { return static_cast<int>(events_.size()); }
  const MadeEvent& At(int e) const { return events_[static_cast<size_t>(e)]; }
  int& Of(int e) { return of_[static_cast<size_t>(e)]; }
  void Tie(int parent, int child) {
    if (parent == kNone) return;
    parents_[static_cast<size_t>(child)].push_back(parent);
    children_[static_cast<size_t>(parent)].push_back(child);
  }
  std::vector<int> Roots() const {
    std::vector<int> roots;
    for (int e = 0; e < Count(); ++e) {
      if (At(e).level != 0) roots.push_back(e);
    }
    std::stable_sort(roots.begin(), roots.end(), [&](int a, int b) {
      return std::pair(-At(a).level, At(a).begin) < std::pair(-At(b).level, At(b).begin);
    });
    return roots;
  }
  bool HasAncestorOfLevel(int root) const {
    std::vector<int> seen{root};
    for (size_t i = 0; i < seen.size(); ++i) {
      if (i > 0 && At(seen[i]).level == At(root).level) return true;
      for (const int parent : parents_[static_cast<size_t>(seen[i])]) {
        if (std::find(seen.begin(), seen.end(), parent) == seen.end()) seen.push_back(parent);
      }
    }
    return false;
  }
  void Give(int event, int root) {
    if (Of(event) != kNone) return;
    Of(event) = root;
    for (const int child : children_[static_cast<size_t>(event)]) Give(child, root);
  }

  const std::vector<MadeEvent>& events_;
  std::vector<std::vector<int>> parents_, children_;
  std::vector<int> of_;
};

// By name of the event, the name of its group's root.
std::map<std::string, std::string> Grouped(const std::string& bytes) {
  auto trace = LoadBytes("t.xplane.pb", bytes, {});
  REQUIRE(trace.ok());
  AnalysisContext context(*trace, Definitions::kStepscope);
  const Grouping& grouping = context.Get<Grouping>();
  const TrackSet& set = (*trace)->set;
  std::map<std::string, std::string> found;
  for (uint32_t row = 0; row < set.rows; ++row) {
    const EventGroup* group = grouping.GroupOf(EventRow(row));
    found[std::string(set.Name(EventRow(row)))] =
        group != nullptr ? std::string(set.Name(group->root)) : std::string();
  }
  return found;
}

}  // namespace

TEST_CASE("group spreader: groups are those of a walk over all events") {
  size_t grouped = 0, tied = 0, inside = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const MadeThreads made(seed);
    const Walk walk(made.events);
    std::map<std::string, std::string> found = Grouped(BytesOf(made.events));
    CAPTURE(seed);
    for (size_t e = 0; e < made.events.size(); ++e) {
      const MadeEvent& event = made.events[e];
      const int root = walk.of()[e];
      // A launch without a group joins the mark that is open, and so does its work.
      if (root == kNone && event.correlation != 0) continue;
      CAPTURE(e);
      CHECK(found[NameOf(e)] == (root == kNone ? "" : NameOf(static_cast<size_t>(root))));
      if (root == kNone) continue;
      ++grouped;
      tied += event.thread != made.events[static_cast<size_t>(root)].thread ? 1u : 0u;
      inside += event.launch != kNone && event.encloser != kNone ? 1u : 0u;
    }
  }
  CHECK(grouped > 1000);
  CHECK(tied > 100);    // in groups that reach other threads
  CHECK(inside > 100);  // work with a launch and an event around it
}

}  // namespace stepscope
