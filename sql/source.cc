#include "sql/source.h"

#include <utility>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/query/find_events.h"

namespace stepscope {

SqlSource::SqlSource(std::shared_ptr<AnalysisContext> context) : context_(std::move(context)) {}

template <typename T, typename Make>
const T* SqlSource::Kept(std::unique_ptr<const T>* slot, const std::stop_token& stop, Make make) {
  const std::lock_guard lock(mutex_);
  if (*slot) return slot->get();
  auto made = std::make_unique<const T>(make());
  if (stop.stop_requested()) return nullptr;  // it may lack something
  *slot = std::move(made);
  return slot->get();
}

const NameIndex* SqlSource::Names(const std::stop_token& stop) {
  return Kept(&names_, stop, [&] { return IndexNames(trace(), stop); });
}

const Grouping* SqlSource::Launches(const std::stop_token& stop) {
  const Grouping& grouping = context_->Get<Grouping>();
  return stop.stop_requested() ? nullptr : &grouping;
}

const StepNumbers* SqlSource::Steps(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (steps_) return steps_.get();
  const Grouping& grouping = context_->Get<Grouping>();
  const StepDatabase& steps = context_->Get<StepDatabase>();
  if (stop.stop_requested()) return nullptr;
  steps_ = std::make_unique<const StepNumbers>(trace(), steps, grouping);
  return steps_.get();
}

const StepIndex* SqlSource::ByStep(const std::stop_token& stop) {
  const StepNumbers* steps = Steps(stop);
  if (steps == nullptr) return nullptr;
  return Kept(&by_step_, stop, [&] { return IndexSteps(trace(), *steps, stop); });
}

const std::vector<std::string>* SqlSource::Categories(const std::stop_token& stop) {
  return Kept(&categories_, stop, [&] {
    std::vector<std::string> texts = FileCategories(trace(), stop);
    const auto& metas = trace().names().metas;
    texts.resize(metas.size());
    for (size_t m = 0; m < metas.size(); ++m) {
      if (texts[m].empty()) texts[m] = CategoryNameOf(metas[m].category);
    }
    return texts;
  });
}

const SqlList* SqlSource::List(SqlTableId table, const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const SqlList>& slot = lists_[table];
  if (slot) return slot.get();
  std::unique_ptr<const SqlList> made = MakeList(table, *context_, stop);
  if (stop.stop_requested()) return nullptr;
  slot = std::move(made);
  return slot.get();
}

const AnalysisResult* SqlSource::Report(std::string_view analysis, const std::stop_token& stop) {
  if (FindAnalysis(analysis) == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto known = reports_.find(analysis);
  if (known != reports_.end()) return known->second.get();
  std::shared_ptr<const AnalysisResult> made = context_->Get(analysis, {}, stop);
  if (stop.stop_requested() || !made) return nullptr;
  return reports_.emplace(analysis, std::move(made)).first->second.get();
}

const SqlList* SqlSource::ReportTable(std::string_view analysis, std::string_view table,
                                      const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  const AnalysisResult* result = Report(analysis, stop);
  const ResultTable* found = result != nullptr ? result->Table(table) : nullptr;
  if (found == nullptr) return nullptr;
  std::unique_ptr<const SqlList>& slot =
      report_lists_[std::string(analysis) + "_" + std::string(table)];
  if (!slot) slot = ListOf(*found);
  return slot.get();
}

const IntegerIndex* SqlSource::IndexOf(const SqlList& list, int column,
                                       const std::stop_token& stop) {
  return Kept(&indices_[{&list, column}], stop, [&] { return IndexIntegers(list, column, stop); });
}

}  // namespace stepscope
