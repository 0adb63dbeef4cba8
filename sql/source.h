// SqlSource, which queries of one profile share, and the indices of events that it makes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/jobs/lazy.h"
#include "model/query/event_groups.h"
#include "model/trace.h"
#include "sql/lists.h"

namespace stepscope {

// The rows of a trace's events by a key, such as the name: 4 bytes an event, and 4 for each key.
// The rows of the key at place p are rows[first[p]] to rows[first[p + 1]], ascending. Immutable;
// any thread.
struct EventIndex {
  std::vector<uint32_t> rows, first;
  size_t places() const { return first.empty() ? 0 : first.size() - 1; }
  std::span<const uint32_t> At(size_t place) const {
    return std::span(rows).subspan(first[place], first[place + 1] - first[place]);
  }
  uint64_t count(size_t place) const { return first[place + 1] - first[place]; }
};

// Events by name. Names are in the order of their bytes, as SQL sorts texts.
struct NameIndex : EventIndex {
  std::vector<StringId> name;       // by place
  std::vector<uint32_t> of_meta;    // place by MetaId; the last is for unknown ones
  std::vector<uint32_t> of_string;  // place by StringId; kNone if no event has the name
  static constexpr uint32_t kNone = 0xffffffffu;
};

// Events by the number of their step. Place 0 is for events outside of steps.
struct StepIndex : EventIndex {
  std::vector<int64_t> number;  // by place, rising; number[0] means nothing
};

// The numbers that people give the steps of events.
class StepNumbers {
 public:
  // Borrows the trace and what describes its steps. O(steps).
  StepNumbers(const Trace& trace, const StepDatabase& steps, const Grouping& grouping);
  // The number of an event's step; nullopt outside of steps. O(log steps).
  std::optional<int64_t> Of(const Lane& lane, uint32_t index) const;
  // The steps as groups of events; the last group is of events outside of steps.
  const EventGroups& groups() const { return *groups_; }
  std::optional<int64_t> Number(size_t group) const;

 private:
  StatsQuestion question_;
  const StepDatabase& steps_;
  std::optional<EventGroups> groups_;
};

// O(events).
NameIndex IndexNames(const Trace& trace);
// O(events log steps).
StepIndex IndexSteps(const Trace& trace, const StepNumbers& steps);

// One profile as SQL sees it. It keeps what queries share and what takes time to make: indices of
// events, lists of small tables, results of analyses. Each is made on first use. Several databases,
// on several threads, may use one source; it borrows nothing but what its context borrows.
class SqlSource {
 public:
  explicit SqlSource(std::shared_ptr<AnalysisContext> context);

  const Trace& trace() const { return context_->trace(); }
  // The results of these functions live as long as the source. A function throws Stopped if the
  // thread's job is told to stop (model/jobs/job.h) before the result is made.
  const NameIndex& Names();
  const StepNumbers& Steps();
  const StepIndex& ByStep();
  const Grouping& Launches();
  // The categories of events by MetaId.
  const std::vector<std::string>& Categories();
  // The rows of a table other than `events` and `args`.
  const SqlList& List(SqlTableId table);
  // The result of an analysis over the whole trace; null for an unknown analysis.
  const AnalysisResult* Report(std::string_view analysis);
  // The rows of a table of a result that Report() gave.
  const SqlList& ReportTable(const ResultTable& table);
  // The rows of a list by an integer column.
  const IntegerIndex& IndexOf(const SqlList& list, int column);

 private:
  // Values by key, of which each is made on first use.
  template <typename Key, typename T>
  class ByKey {
   public:
    Lazy<T>& operator[](const Key& key) {
      const std::lock_guard lock(mutex_);
      return values_[key];
    }

   private:
    std::mutex mutex_;
    std::map<Key, Lazy<T>> values_;
  };

  const std::shared_ptr<AnalysisContext> context_;
  Lazy<NameIndex> names_;
  Lazy<std::unique_ptr<const StepNumbers>> steps_;
  Lazy<StepIndex> by_step_;
  Lazy<std::vector<std::string>> categories_;
  ByKey<SqlTableId, std::unique_ptr<const SqlList>> lists_;
  ByKey<std::string, std::shared_ptr<const AnalysisResult>> reports_;
  ByKey<const ResultTable*, std::unique_ptr<const SqlList>> report_lists_;
  ByKey<std::pair<const SqlList*, int>, IntegerIndex> indices_;
};

}  // namespace stepscope
