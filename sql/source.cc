#include "sql/source.h"

#include <utility>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/query/find_events.h"

namespace stepscope {

SqlSource::SqlSource(std::shared_ptr<AnalysisContext> context) : context_(std::move(context)) {}

const NameIndex& SqlSource::Names() {
  return names_.Get([this] { return IndexNames(trace()); });
}

const Grouping& SqlSource::Launches() { return context_->Get<Grouping>(); }

const StepNumbers& SqlSource::Steps() {
  return *steps_.Get([this] {
    return std::make_unique<const StepNumbers>(trace(), context_->Get<StepDatabase>(), Launches());
  });
}

const StepIndex& SqlSource::ByStep() {
  return by_step_.Get([this] { return IndexSteps(trace(), Steps()); });
}

const std::vector<std::string>& SqlSource::Categories() {
  return categories_.Get([this] {
    std::vector<std::string> texts = FileCategories(trace());
    const auto& metas = trace().names().metas;
    texts.resize(metas.size());
    for (size_t m = 0; m < metas.size(); ++m) {
      if (texts[m].empty()) texts[m] = CategoryNameOf(metas[m].category);
    }
    return texts;
  });
}

const SqlList& SqlSource::List(SqlTableId table) {
  return *lists_[table].Get([&] { return MakeList(table, *context_); });
}

const AnalysisResult* SqlSource::Report(std::string_view analysis) {
  if (FindAnalysis(analysis) == nullptr) return nullptr;
  return reports_[std::string(analysis)].Get([&] { return context_->Get(analysis); }).get();
}

const SqlList& SqlSource::ReportTable(const ResultTable& table) {
  return *report_lists_[&table].Get([&] { return ListOf(table); });
}

const IntegerIndex& SqlSource::IndexOf(const SqlList& list, int column) {
  return indices_[{&list, column}].Get([&] { return IndexIntegers(list, column); });
}

}  // namespace stepscope
