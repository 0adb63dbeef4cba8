// SqlSource: one profile as SQL sees it. It keeps what queries share and what takes time to make:
// indices of events, lists of small tables, results of analyses. Each is made on first use. Several
// databases, on several threads, may use one source; it borrows nothing but what its context
// borrows.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/analysis.h"
#include "sql/event_index.h"
#include "sql/lists.h"

namespace stepscope {

class SqlSource {
 public:
  explicit SqlSource(std::shared_ptr<AnalysisContext> context);

  const Trace& trace() const { return context_->trace(); }
  // The next functions return null when stopped. Their results live as long as the source.
  const NameIndex* Names(const std::stop_token& stop);
  const StepNumbers* Steps(const std::stop_token& stop);
  const StepIndex* ByStep(const std::stop_token& stop);
  const Grouping* Launches(const std::stop_token& stop);
  // The categories of events by MetaId.
  const std::vector<std::string>* Categories(const std::stop_token& stop);
  // A table of a few rows: any but events and args.
  const SqlList* List(SqlTableId table, const std::stop_token& stop);
  // The result of an analysis over the whole trace; null also for an unknown one.
  const AnalysisResult* Report(std::string_view analysis, const std::stop_token& stop);
  const SqlList* ReportTable(std::string_view analysis, std::string_view table,
                             const std::stop_token& stop);
  // The rows of a list by an integer column; null where other values than integers are in it.
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
