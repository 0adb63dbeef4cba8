// SqlSource, which queries of one profile share, and the indices of events that it makes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
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

// O(events). A stopped call returns an index without rows.
NameIndex IndexNames(const Trace& trace, const std::stop_token& stop);
// O(events log steps).
StepIndex IndexSteps(const Trace& trace, const StepNumbers& steps, const std::stop_token& stop);

// One profile as SQL sees it. It keeps what queries share and what takes time to make: indices of
// events, lists of small tables, results of analyses. Each is made on first use. Several databases,
// on several threads, may use one source; it borrows nothing but what its context borrows.
class SqlSource {
 public:
  explicit SqlSource(std::shared_ptr<AnalysisContext> context);

  const Trace& trace() const { return context_->trace(); }
  // These functions return null when stopped. Their results live as long as the source.
  const NameIndex* Names(const std::stop_token& stop);
  const StepNumbers* Steps(const std::stop_token& stop);
  const StepIndex* ByStep(const std::stop_token& stop);
  const Grouping* Launches(const std::stop_token& stop);
  // The categories of events by MetaId.
  const std::vector<std::string>* Categories(const std::stop_token& stop);
  // The rows of a table other than `events` and `args`.
  const SqlList* List(SqlTableId table, const std::stop_token& stop);
  // The result of an analysis over the whole trace; null also for an unknown analysis.
  const AnalysisResult* Report(std::string_view analysis, const std::stop_token& stop);
  const SqlList* ReportTable(std::string_view analysis, std::string_view table,
                             const std::stop_token& stop);
  // The rows of a list by an integer column.
  const IntegerIndex* IndexOf(const SqlList& list, int column, const std::stop_token& stop);

 private:
  template <typename T, typename Make>
  const T* Kept(std::unique_ptr<const T>* slot, const std::stop_token& stop, Make make);

  const std::shared_ptr<AnalysisContext> context_;
  std::recursive_mutex mutex_;  // guards what follows, but not what it points to
  std::unique_ptr<const NameIndex> names_;
  std::unique_ptr<const StepNumbers> steps_;
  std::unique_ptr<const StepIndex> by_step_;
  std::unique_ptr<const std::vector<std::string>> categories_;
  std::map<SqlTableId, std::unique_ptr<const SqlList>> lists_;
  std::map<std::string, std::shared_ptr<const AnalysisResult>, std::less<>> reports_;
  std::map<std::string, std::unique_ptr<const SqlList>, std::less<>> report_lists_;
  std::map<std::pair<const SqlList*, int>, std::unique_ptr<const IntegerIndex>> indices_;
};

}  // namespace stepscope
