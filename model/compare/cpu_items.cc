#include "model/compare/step_items.h"

#include <algorithm>
#include <array>

#include "model/analysis/grouping/host_activity.h"
#include "model/analysis/naming/op_name.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/host_losses.h"
#include "model/analysis/steps/verdict.h"
#include "model/capabilities.h"
#include "model/lookup.h"

namespace stepscope::compare {
namespace {

struct OpPart {
  Ps self = 0;
  Ps busy = 0;
  uint64_t count = 0;
  std::vector<EventRow> rows;
};

class CpuItems {
 public:
  CpuItems(AnalysisContext& context, const StepDatabase& steps, const std::vector<bool>& typical,
           ItemTable* table)
      : trace_(context.trace()),
        db_(steps),
        typical_(typical),
        table_(*table),
        ops_(HostOpNames(trace_, context.stats()).ops),
        pytorch_(CapabilitiesOf(trace_).pytorch_events),
        weight_(1 / static_cast<double>(std::count(typical.begin(), typical.end(), true))),
        samples_(SamplesOf(steps.steps, typical)) {}

  void Run() {
    ReadOps();
    AddOps();
    AddIdle();
  }

 private:
  using StepOps = std::map<uint32_t, OpPart>;  // by meta
  int64_t StepAt(HostId host, Ps t) const;
  void ReadOps();
  void AddOps();
  void AddIdle();
  std::string NameOf(uint32_t meta) const;

  const Trace& trace_;
  const StepDatabase& db_;
  const std::vector<bool>& typical_;
  ItemTable& table_;
  const std::vector<uint8_t> ops_;
  const bool pytorch_;
  const double weight_;
  const std::vector<StepSample> samples_;  // by step
  std::vector<StepOps> step_ops_;
};

// The typical step that the time lies in, or -1. Steps are sorted by host, then by time.
int64_t CpuItems::StepAt(HostId host, Ps t) const {
  const auto it = std::upper_bound(db_.steps.begin(), db_.steps.end(), std::pair(host, t),
                                   [](const auto& key, const Step& step) {
                                     return key < std::pair(step.host, step.span.begin);
                                   });
  if (it == db_.steps.begin()) return -1;
  const auto s = static_cast<size_t>(it - db_.steps.begin()) - 1;
  const bool inside = db_.steps[s].host == host && db_.steps[s].span.Contains(t);
  return inside && typical_[s] ? static_cast<int64_t>(s) : -1;
}

void CpuItems::ReadOps() {
  step_ops_.resize(db_.steps.size());
  for (uint32_t h = 0; h < trace_.hosts.size(); ++h) {
    for (const Track* thread : HostThreadsOf(trace_, HostId(h))) {
      for (const Lane& lane : trace_.set.LanesOf(*thread)) {
        for (uint32_t i = 0; i < lane.size(); ++i) {
          CheckStop();
          if (ops_[lane.meta[i]] == 0 || lane.dur[i] <= 0) continue;
          const int64_t step = StepAt(HostId(h), lane.start[i]);
          if (step < 0) continue;
          const EventRow row(lane.first_row + i);
          OpPart& part = step_ops_[static_cast<size_t>(step)][lane.meta[i]];
          part.self += SelfTime(trace_.set, row);
          part.busy += lane.dur[i];
          ++part.count;
          KeepRow(row, &part.rows);
        }
      }
    }
  }
}

std::string CpuItems::NameOf(uint32_t meta) const {
  const std::string_view name = trace_.names().Name(MetaId(meta));
  if (pytorch_) return std::string(name);
  const OpName op = ParseOpName(name);
  return std::string(op.name.empty() ? name : op.name);
}

void CpuItems::AddOps() {
  std::vector<uint32_t> work_of(ops_.size(), ~uint32_t{0});
  for (uint32_t s = 0; s < step_ops_.size(); ++s) {
    if (!typical_[s]) continue;
    const double compute = ClassTimesOf(db_.steps[s])[static_cast<size_t>(StepTimeClass::kCompute)];
    Ps self = 0;
    for (const auto& [meta, part] : step_ops_[s]) self += part.self;
    if (compute <= 0) continue;
    if (self == 0) {
      StepItem& item = table_.item(table_.Find(WorkKind::kOp, StepTimeClass::kCompute, "compute"));
      item.time.Add(samples_[s], compute * weight_);
      item.count += weight_;
      continue;
    }
    for (const auto& [meta, part] : step_ops_[s]) {
      if (work_of[meta] == ~uint32_t{0}) {
        StepWork work;
        work.op = NameOf(meta);
        work.item = table_.Find(WorkKind::kOp, StepTimeClass::kCompute, work.op);
        work.category = CategoryOfKernel("", work.op);
        work_of[meta] = table_.AddWork(std::move(work));
      }
      StepWork& work = table_.work(work_of[meta]);
      StepItem& item = table_.item(work.item);
      const double time =
          compute * weight_ * static_cast<double>(part.self) / static_cast<double>(self);
      const double count = static_cast<double>(part.count) * weight_;
      work.time += time;
      item.time.Add(samples_[s], time);
      work.busy += static_cast<double>(part.busy) * weight_;
      item.busy += static_cast<double>(part.busy) * weight_;
      work.count += count;
      item.count += count;
      KeepRows(part.rows, table_.rows_of_work(work_of[meta]));
      KeepRows(part.rows, table_.rows_of_item(work.item));
    }
  }
}

// Idle time of a class that no cause explains becomes one more item of that class.
void CpuItems::AddIdle() {
  std::vector<std::array<double, kStepTimeClasses>> left;
  for (const Step& step : db_.steps) left.push_back(ClassTimesOf(step));
  for (const IdleCause& cause : db_.causes) {
    if (!typical_[cause.step]) continue;
    const bool unknown = cause.loss == StepTimeClass::kUnknown;
    const std::string name = cause.event.valid() ? CauseName(trace_, cause)
                             : unknown           ? "not recorded"
                                                 : "several";
    const uint32_t place = table_.Find(KindOf(cause.loss), cause.loss, name);
    StepItem& item = table_.item(place);
    item.time.Add(samples_[cause.step], static_cast<double>(cause.time) * weight_);
    item.count += static_cast<double>(cause.count) * weight_;
    KeepRows(cause.rows, table_.rows_of_item(place));
    left[cause.step][static_cast<size_t>(cause.loss)] -= static_cast<double>(cause.time);
  }
  for (uint32_t s = 0; s < left.size(); ++s) {
    for (size_t c = 0; c < kStepTimeClasses && typical_[s]; ++c) {
      const auto loss = static_cast<StepTimeClass>(c);
      if (loss == StepTimeClass::kCompute || left[s][c] < 1) continue;
      StepItem& item = table_.item(table_.Find(KindOf(loss), loss, "several"));
      item.time.Add(samples_[s], left[s][c] * weight_);
    }
  }
}

}  // namespace

void AddCpuItems(AnalysisContext& context, const StepDatabase& steps,
                 const std::vector<bool>& typical, ItemTable* table) {
  CpuItems(context, steps, typical, table).Run();
}

}  // namespace stepscope::compare
