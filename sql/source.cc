#include "sql/source.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/jobs/job.h"
#include "model/query/find_events.h"

namespace stepscope {
namespace {

// Fills `rows` and `first`. `place(lane, fn)` calls fn(index, place) for all events of a lane.
template <typename Place>
void SortByPlace(const Trace& trace, size_t places, Place place, EventIndex* index) {
  index->first.assign(places + 1, 0);
  std::vector<uint32_t>& first = index->first;
  for (const Lane& lane : trace.set.lanes) {
    CheckStop();
    place(lane, [&](uint32_t, size_t p) { ++first[p + 1]; });
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  index->rows.resize(first.back());
  for (const Lane& lane : trace.set.lanes) {
    CheckStop();
    place(lane, [&](uint32_t i, size_t p) { index->rows[next[p]++] = lane.first_row + i; });
  }
}

// The StringId of the name of each MetaId, and 0 behind the last for unknown metadata.
std::vector<uint32_t> StringsOfMetas(const NameTable& names) {
  std::vector<uint32_t> strings;
  strings.reserve(names.metas.size() + 1);
  for (const EventMeta& meta : names.metas)
    strings.push_back(meta.name.value < names.strings.size() ? meta.name.value : 0);
  strings.push_back(0);
  return strings;
}

}  // namespace

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

StepNumbers::StepNumbers(const Trace& trace, const StepDatabase& steps, const Grouping& grouping)
    : steps_(steps) {
  question_.trace = &trace;
  question_.parts = {{0, &trace.set, nullptr}};
  question_.by = GroupBy::kStep;
  question_.steps = &steps;
  question_.grouping = &grouping;
  groups_.emplace(question_);
}

std::optional<int64_t> StepNumbers::Number(size_t group) const {
  if (group >= steps_.steps.size()) return std::nullopt;
  return steps_.steps[group].number;
}

std::optional<int64_t> StepNumbers::Of(const Lane& lane, uint32_t index) const {
  size_t found = steps_.steps.size();
  groups_->ForEach(0, lane, index, index + 1, [&](uint32_t, uint32_t group) { found = group; });
  return Number(found);
}

NameIndex IndexNames(const Trace& trace) {
  NameIndex index;
  const NameTable& names = trace.names();
  index.of_meta = StringsOfMetas(names);
  std::vector<uint32_t> sorted = index.of_meta;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  std::sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
    return names.strings.View(StringId(a)) < names.strings.View(StringId(b));
  });
  index.of_string.assign(names.strings.size() + 1, NameIndex::kNone);
  for (const uint32_t id : sorted) {
    index.of_string[id] = static_cast<uint32_t>(index.name.size());
    index.name.emplace_back(id);
  }
  for (uint32_t& place : index.of_meta) place = index.of_string[place];
  const auto last = static_cast<uint32_t>(index.of_meta.size() - 1);
  SortByPlace(
      trace, index.name.size(),
      [&](const Lane& lane, const auto& fn) {
        for (uint32_t i = 0; i < lane.size(); ++i)
          fn(i, index.of_meta[std::min(lane.meta[i], last)]);
      },
      &index);
  return index;
}

StepIndex IndexSteps(const Trace& trace, const StepNumbers& steps) {
  StepIndex index;
  const size_t groups = steps.groups().size();
  std::vector<int64_t> numbers;
  for (size_t g = 0; g + 1 < groups; ++g) numbers.push_back(steps.Number(g).value_or(0));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  index.number.push_back(0);
  index.number.insert(index.number.end(), numbers.begin(), numbers.end());
  std::vector<size_t> place(groups, 0);
  for (size_t g = 0; g + 1 < groups; ++g) {
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), steps.Number(g).value_or(0));
    place[g] = static_cast<size_t>(at - numbers.begin()) + 1;
  }
  SortByPlace(
      trace, index.number.size(),
      [&](const Lane& lane, const auto& fn) {
        steps.groups().ForEach(0, lane, 0, lane.size(),
                               [&](uint32_t i, uint32_t group) { fn(i, place[group]); });
      },
      &index);
  return index;
}

}  // namespace stepscope
