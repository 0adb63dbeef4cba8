// SqlSource: one profile as SQL sees it. It keeps what queries share and what takes time to make:
// indices of events, lists of small tables, results of analyses. Each is made on first use, in a
// job that may be told to stop (model/base/job.h), and lives as long as the source. Several
// databases, on several threads, may use one source; it borrows nothing but what its context
// borrows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/base/lazy.h"
#include "sql/event_index.h"
#include "sql/lists.h"

namespace stepscope {

class SqlSource {
 public:
  explicit SqlSource(std::shared_ptr<AnalysisContext> context);

  const Trace& trace() const { return context_->trace(); }
  const NameIndex& Names();
  const StepNumbers& Steps();
  const StepIndex& ByStep();
  const Grouping& Launches();
  // The categories of events by MetaId.
  const std::vector<std::string>& Categories();
  // A table of a few rows: any but events and args.
  const SqlList& List(SqlTableId table);
  // The result of an analysis over the whole trace; null for an unknown one.
  const AnalysisResult* Report(std::string_view analysis);
  // The rows of a table that is in a result of Report.
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
