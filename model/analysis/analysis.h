// The analyses of one trace: pure functions from a trace and AnalysisParams to the tables that
// reports print and panels show (AnalysisResult).
//
// The flow: AnalysisContext computes once for a trace what analyses share (stats, order,
// grouping, steps, ops, memory); an analysis reads that and returns tables. Each subfolder makes
// one part of it, and none includes what stands above it (tests/tools/check_layering.py).
// Start reading: steps/steps.h (how a step is found and divided), steps/idle_causes.h (why a GPU is
// idle), pages/overview.cc (an analysis from begin to end). A new analysis is a source, its row in
// registry.cc and its test.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/analysis/params.h"
#include "model/analysis/tables/result_table.h"
#include "model/jobs/lazy.h"
#include "model/trace.h"

namespace stepscope {

// The rules that numbers follow. kXprof: XProf 2.24.2's (--compat xprof; docs/differences.md).
enum class Definitions : uint8_t { kStepscope, kXprof };

struct XprofDefinitions;  // model/analysis/definitions.h

// Owns what analyses share for one trace: its parts, each computed on first use, which may take
// seconds, and kept. Thread-safe: of several threads that ask for one part, one computes it and the
// others help. In a job that is stopped, every function may throw Stopped (model/jobs/job.h).
//
// A part is a struct that says how it is computed:
//   static T Compute(AnalysisContext&);                         of the whole trace, or
//   static T Compute(AnalysisContext&, const AnalysisParams&);  of the part that params ask for
//   static AnalysisParams KeyOf(AnalysisParams);  optional: the params that Compute reads
//   static constexpr size_t kKept = 4;            optional: results that are kept, of kKept params
//   static constexpr bool kLarge = true;          optional: ReleaseCaches lets go of it
class AnalysisContext {
 public:
  AnalysisContext(std::shared_ptr<const Trace> trace, Definitions definitions);
  ~AnalysisContext();
  const Trace& trace() const { return *trace_; }
  Definitions definitions() const { return definitions_; }
  // The rules of XProf that definitions() asks for, one field each.
  const XprofDefinitions& xprof() const { return *xprof_; }

  // The part T of the whole trace. The reference is valid as long as the context lives.
  template <typename T>
  const T& Get() {
    return *Share<T>();
  }
  // The same, for callers that keep it longer than the context.
  template <typename T>
  std::shared_ptr<const T> Share() {
    return CacheOf<T>().value.Share([this] { return T::Compute(*this); });
  }
  // The part T of what params ask for.
  template <typename T>
  std::shared_ptr<const T> Get(const AnalysisParams& params) {
    AnalysisParams key = params;
    if constexpr (requires { T::KeyOf(key); }) key = T::KeyOf(std::move(key));
    return CacheOf<T>().values.Share(key, [&] { return T::Compute(*this, key); });
  }

  // The same, but the context keeps nothing: for a struct that only one page reads, and that may be
  // as large as the page's tables.
  template <typename T>
  std::shared_ptr<const T> Make(const AnalysisParams& params) {
    return std::make_shared<const T>(T::Compute(*this, params));
  }

  // A page as it is printed. For code that is not typed yet, and tests.
  std::shared_ptr<const AnalysisResult> Get(std::string_view analysis,
                                            const AnalysisParams& params = {});

  // Typed stats of the events; those of allocations only where the source does not read them apart.
  // Empty where the trace has none or its file cannot be read any more; stats_error() then says
  // why.
  const StatTable& stats();
  // Typed stats of the allocations (EventCategory::kMemoryEvent): stats() itself, or a table that
  // only they are in, with texts of its own.
  const StatTable& allocation_stats();
  // The tables that hold the typed stats of all events: stats(), and allocation_stats() if it is
  // another one.
  std::vector<const StatTable*> all_stats();
  // Why stats() is empty, as a sentence for people; "" if it is not.
  const std::string& stats_error();

  // Keeps large parts only as long as others hold them. Called when nothing is being computed: they
  // are quick to compute again.
  void ReleaseCaches();

 private:
  struct Cache {
    virtual ~Cache() = default;
    virtual void Release() = 0;
  };
  template <typename T>
  static constexpr size_t KeptOf() {
    if constexpr (requires { T::kKept; }) return T::kKept;
    return 1;
  }
  template <typename T>
  struct CacheOfPart final : Cache {
    Lazy<T> value;                                  // of the whole trace
    Recent<AnalysisParams, T> values{KeptOf<T>()};  // of params
    void Release() override {
      if constexpr (requires { T::kLarge; }) values.Release();
    }
  };
  template <typename T>
  CacheOfPart<T>& CacheOf() {
    std::lock_guard lock(mutex_);
    std::unique_ptr<Cache>& cache = caches_[std::type_index(typeid(T))];
    if (cache == nullptr) cache = std::make_unique<CacheOfPart<T>>();
    return static_cast<CacheOfPart<T>&>(*cache);
  }

  const std::shared_ptr<const Trace> trace_;
  const Definitions definitions_;
  const std::unique_ptr<const XprofDefinitions> xprof_;
  Recent<std::pair<std::string, AnalysisParams>, AnalysisResult> pages_{4};
  std::mutex mutex_;  // guards caches_, not what they hold
  std::unordered_map<std::type_index, std::unique_ptr<Cache>> caches_;
};

// The profiles that an analysis says something of: a sum of these.
enum ProfileKinds : uint8_t {
  kOfTraces = 1,
  kOfPrograms = 2,   // traces with programs of XLA
  kOfSnapshots = 4,  // memory snapshots, which have no events
  kOfFleets = 8,     // facts of ranks, without events
  kOfOthers = 16     // traces of other kinds of programs (IsForeign)
};

// An analysis is of one profile (`run`), or compares two (`compare`); the other function is null.
struct AnalysisDesc {
  const char* id;  // "kernel_stats": report --panel, panel id
  const char* title;
  const char* what;  // one sentence
  AnalysisResult (*run)(AnalysisContext&, const AnalysisParams&);
  uint8_t of = kOfTraces;  // ProfileKinds
  bool in_xprof = true;    // XProf has such a page
  // A window shows the result of this one until `run` is done. It takes less time and returns a
  // part of the properties and tables. A result without findings is not shown. Null: none is early.
  AnalysisResult (*first)(AnalysisContext&, const AnalysisParams&) = nullptr;
  AnalysisResult (*compare)(AnalysisContext& a, AnalysisContext& b, const CompareParams&) = nullptr;
};

// Whether the analysis says something of the trace. Reports of all pages leave the others out.
bool AppliesTo(const AnalysisDesc& analysis, const Trace& trace);

// Runs an analysis. Names AMD's units with AMD's words where all GPUs are AMD's
// (naming/vendor_words.h), unless XProf's definitions hold. Of a memory snapshot or a fleet only
// analyses run that apply to it; the result of another says so in empty_reason.
AnalysisResult RunAnalysis(const AnalysisDesc& analysis, AnalysisContext& context,
                           const AnalysisParams& params);
// AnalysisDesc::what in the same words.
std::string WhatOf(const AnalysisDesc& analysis, const AnalysisContext& context);

std::span<const AnalysisDesc> Analyses();               // of one profile
const AnalysisDesc* FindAnalysis(std::string_view id);  // among them; null if there is none
const AnalysisDesc& Comparison();                       // of two profiles

}  // namespace stepscope
