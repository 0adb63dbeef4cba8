#include "viewer/core/analysis_cache.h"

#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "tests/viewer/viewer_fixture.h"

namespace stepscope {
namespace {

Profile Training(uint32_t id) {
  Profile profile;
  profile.id = ProfileId(id);
  profile.trace = test::TrainingTrace();
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kStepscope);
  return profile;
}

const AnalysisResult* WaitFor(AnalysisCache& cache, const Profile& profile,
                              const AnalysisParams& params) {
  for (;;) {
    cache.NextFrame();
    if (const AnalysisResult* result = cache.Get(profile, "kernel_stats", params)) return result;
    std::this_thread::yield();
  }
}

TEST_CASE("analysis cache: a result is computed once and known by its serial number") {
  Scheduler scheduler(2);
  AnalysisCache cache(scheduler);
  const Profile profile = Training(0);
  const uint64_t serial = WaitFor(cache, profile, {})->serial;
  CHECK(serial > 0);
  CHECK(WaitFor(cache, profile, {})->serial == serial);
  AnalysisParams part;
  part.range = {0, 3 * kPsPerMs};
  CHECK(WaitFor(cache, profile, part)->serial != serial);
  CHECK(cache.Get(profile, "no such analysis", {}) == nullptr);
}

TEST_CASE("analysis cache: the newest question wins, and jobs that it replaces do not delay it") {
  Scheduler scheduler(2);
  AnalysisCache cache(scheduler);
  const Profile profile = Training(0);
  AnalysisParams params;
  for (Ps end = 1; end <= 50; ++end) {  // as a range that is dragged
    cache.NextFrame();
    params.range = {0, end * 100 * kPsPerUs};
    cache.Get(profile, "kernel_stats", params);
  }
  WaitFor(cache, profile, params);
  CHECK_FALSE(cache.busy());
}

TEST_CASE(
    "analysis cache: other definitions are another question; closed profiles lose their results") {
  Scheduler scheduler(2);
  AnalysisCache cache(scheduler);
  Profile profile = Training(0);
  const uint64_t serial = WaitFor(cache, profile, {})->serial;
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kXprof);
  CHECK(WaitFor(cache, profile, {})->serial != serial);
  const Profile other = Training(1);
  cache.Get(other, "overview", {});
  const std::weak_ptr<AnalysisContext> watch = profile.analysis;
  profile = {};
  CHECK_FALSE(watch.expired());
  cache.KeepOnly({});
  CHECK(watch.expired());
  CHECK_FALSE(cache.busy());
}

// Asks frame by frame, with one job of a scheduler without threads in between, until the whole page
// is there. Returns the first result that there was.
const AnalysisResult* WatchOverview(Scheduler& scheduler, AnalysisCache& cache,
                                    const Profile& profile) {
  const AnalysisResult* first = nullptr;
  for (;;) {
    cache.NextFrame();
    if (first == nullptr) first = cache.GetFirst(profile, "overview", {});
    if (const AnalysisResult* page = cache.Get(profile, "overview", {})) {
      CHECK(cache.GetFirst(profile, "overview", {}) == page);
      return first != nullptr ? first : page;
    }
    scheduler.RunOne();
  }
}

TEST_CASE("analysis cache: a page's first part is there before the page, then the page") {
  Scheduler scheduler(0);
  AnalysisCache cache(scheduler);
  Profile profile = Training(0);
  const AnalysisResult* first = WatchOverview(scheduler, cache, profile);
  const AnalysisResult* page = cache.GetFirst(profile, "overview", {});
  REQUIRE(first != nullptr);
  CHECK(page == cache.Get(profile, "overview", {}));
  CHECK(first != page);
  CHECK(first->tables.size() < page->tables.size());
  // By XProf's definitions nothing is known earlier.
  profile.analysis = std::make_shared<AnalysisContext>(profile.trace, Definitions::kXprof);
  first = WatchOverview(scheduler, cache, profile);
  CHECK(first == cache.Get(profile, "overview", {}));
  // An analysis without a first part is there when it is computed.
  CHECK(cache.GetFirst(profile, "kernel_stats", {}) == nullptr);
  while (scheduler.RunOne()) {
  }
  const AnalysisResult* kernels = cache.GetFirst(profile, "kernel_stats", {});
  REQUIRE(kernels != nullptr);
  CHECK(cache.Get(profile, "kernel_stats", {}) == kernels);
}

TEST_CASE(
    "analysis cache: other questions wait for what a profile shows first, and have their turn "
    "then") {
  Scheduler scheduler(2);
  AnalysisCache cache(scheduler);
  const Profile profile = Training(0);
  const Profile other = Training(1);
  const AnalysisResult* first = cache.GetFirst(profile, "overview", {});
  for (bool any = false, also = false; !any || !also; std::this_thread::yield()) {
    cache.NextFrame();
    any = cache.Get(profile, "kernel_stats", {}) != nullptr;
    first = cache.GetFirst(profile, "overview", {});
    CHECK((first != nullptr || !any));
    also = cache.Get(other, "kernel_stats", {}) != nullptr;  // in its turn
  }
}

TEST_CASE("analysis cache: a comparison is a question about two profiles and a part of each") {
  Scheduler scheduler(2);
  AnalysisCache cache(scheduler);
  std::array profiles{Training(0), Training(1)};
  const auto ask = [&](size_t a, size_t b, const CompareParams& params) {
    std::shared_ptr<const AnalysisResult> result;
    while (result == nullptr) {
      cache.NextFrame();
      result = cache.ShareComparison(profiles[a], profiles[b], params);
      std::this_thread::yield();
    }
    return result;
  };
  const auto whole = ask(0, 1, {});
  CHECK(whole->panel == "compare");
  CHECK(ask(0, 1, {}) == whole);
  CHECK(ask(1, 0, {})->serial > whole->serial);
  CompareParams part;
  part.a.range = {0, 3 * kPsPerMs};
  CHECK(ask(0, 1, part) != whole);
  CHECK(ask(0, 1, {}) == whole);
  const std::weak_ptr<AnalysisContext> a = profiles[0].analysis, b = profiles[1].analysis;
  cache.KeepOnly(std::span(profiles).subspan(1));  // what is about either of both goes
  profiles = {};
  CHECK(a.expired());
  CHECK(b.expired());
}

}  // namespace
}  // namespace stepscope
