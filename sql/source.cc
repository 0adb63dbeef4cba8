#include "sql/source.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/analysis/grouping/grouping.h"
#include "model/analysis/steps/steps.h"
#include "model/query/find_events.h"

namespace stepscope {
namespace {

// Fills `rows` and `first`. `place(lane, fn)` calls fn(index, place) for all events of a lane.
template <typename Place>
void SortByPlace(const Trace& trace, size_t places, const std::stop_token& stop, Place place,
                 EventIndex* index) {
  index->first.assign(places + 1, 0);
  std::vector<uint32_t>& first = index->first;
  for (const Lane& lane : trace.set.lanes) {
    if (stop.stop_requested()) return;
    place(lane, [&](uint32_t, size_t p) { ++first[p + 1]; });
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  index->rows.resize(first.back());
  for (const Lane& lane : trace.set.lanes) {
    if (stop.stop_requested()) return;
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

template <typename T, typename Make>
const T* SqlSource::Kept(std::unique_ptr<const T>* slot, const std::stop_token& stop, Make make) {
  const std::lock_guard lock(mutex_);
  if (*slot) return slot->get();
  auto made = std::make_unique<const T>(make());
  if (stop.stop_requested()) return nullptr;  // `made` may be incomplete
  *slot = std::move(made);
  return slot->get();
}

const NameIndex* SqlSource::Names(const std::stop_token& stop) {
  return Kept(&names_, stop, [&] { return IndexNames(trace(), stop); });
}

const Grouping* SqlSource::Launches(const std::stop_token& stop) {
  const Grouping& grouping = context_->grouping(stop);
  return stop.stop_requested() ? nullptr : &grouping;
}

const StepNumbers* SqlSource::Steps(const std::stop_token& stop) {
  const std::lock_guard lock(mutex_);
  if (steps_) return steps_.get();
  const Grouping& grouping = context_->grouping(stop);
  const StepDatabase& steps = context_->steps(stop);
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

NameIndex IndexNames(const Trace& trace, const std::stop_token& stop) {
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
      trace, index.name.size(), stop,
      [&](const Lane& lane, const auto& fn) {
        for (uint32_t i = 0; i < lane.size(); ++i)
          fn(i, index.of_meta[std::min(lane.meta[i], last)]);
      },
      &index);
  return index;
}

StepIndex IndexSteps(const Trace& trace, const StepNumbers& steps, const std::stop_token& stop) {
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
      trace, index.number.size(), stop,
      [&](const Lane& lane, const auto& fn) {
        steps.groups().ForEach(0, lane, 0, lane.size(),
                               [&](uint32_t i, uint32_t group) { fn(i, place[group]); });
      },
      &index);
  return index;
}

}  // namespace stepscope
