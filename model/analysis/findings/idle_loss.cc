#include "model/analysis/findings/idle_loss.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/analysis/steps/cause_name.h"
#include "model/analysis/tables/in_unit.h"
#include "model/base/digits.h"

namespace stepscope {
namespace {

constexpr double kNamed = 10;  // percent of a loss from which titles name a cause
constexpr size_t kMostCauses = 3;

bool ByName(const FindingContext& input, PlaneId a, PlaneId b) {
  return input.NameOf(a) < input.NameOf(b);
}

class IdleSums {
 public:
  IdleSums(const FindingContext& input, double threshold, bool every_step)
      : input_(input),
        threshold_(threshold),
        every_step_(every_step),
        step_ms_(every_step ? input.StepMsOfAll() : input.step_ms()) {
    by_step_.resize(input.db().steps.size());
  }

  void Add(const IdleCause& cause) {
    const double share = InMs(cause.time) / input_.DevicesOf(cause.step);
    by_step_[cause.step] += share;
    if (!every_step_ && !input_.Counts(cause.step)) return;
    all_ += share;
    by_device_[cause.device.value] += InMs(cause.time);
    if (cause.event.valid())
      by_event_[{cause.loss, cause.event.value, cause.inside.value}] += share;
  }
  IdleLoss Take(const std::vector<const IdleCause*>& causes);

 private:
  void NameCauses(IdleLoss* loss) const;
  void ListSteps(IdleLoss* loss) const;
  void ListDevices(double steps, IdleLoss* loss) const;
  double PercentOf(double ms) const { return step_ms_ > 0 ? 100 * ms / step_ms_ : 0; }

  const FindingContext& input_;
  const double threshold_;
  const bool every_step_;
  const double step_ms_;  // of the same steps as the sums
  double all_ = 0;
  std::vector<double> by_step_;
  std::map<uint32_t, double> by_device_;
  std::map<std::tuple<StepTimeClass, uint32_t, uint32_t>, double> by_event_;
};

void IdleSums::NameCauses(IdleLoss* loss) const {
  const CauseNames names(input_.trace(), input_.db());
  std::map<std::string, double> by_name;
  std::map<std::string, MetaId> events;
  for (const auto& [key, ms] : by_event_) {
    IdleCause cause;
    cause.loss = std::get<0>(key);
    cause.event = MetaId(std::get<1>(key));
    cause.inside = MetaId(std::get<2>(key));
    const std::string name = names.Of(cause);
    by_name[name] += ms;
    events.try_emplace(name, cause.event);
  }
  std::vector<std::pair<std::string, double>> sorted(by_name.begin(), by_name.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (size_t i = 0; i < std::min(sorted.size(), kMostCauses); ++i) {
    const double percent = all_ > 0 ? 100 * sorted[i].second / all_ : 0;
    if (i == 0) {
      loss->cause = sorted[i].first, loss->cause_percent = percent;
      loss->role = RoleOfCause(input_.trace(), events[loss->cause]);
    }
    if (i > 0 && percent < kNamed) break;
    loss->causes += (i > 0 ? ", " : "") + sorted[i].first + " " + PercentText(percent);
  }
}

void IdleSums::ListSteps(IdleLoss* loss) const {
  for (uint32_t s = 0; s < by_step_.size(); ++s) {
    const double total = InMs(input_.db().steps[s].times.total);
    if (total > 0 && by_step_[s] > 0 && 100 * by_step_[s] / total >= threshold_)
      loss->steps.push_back(s);
  }
  if (loss->steps.empty()) loss->steps = input_.steps();
}

// Lists the devices that have at least half the threshold, or all that have any of the loss if
// none has.
void IdleSums::ListDevices(double steps, IdleLoss* loss) const {
  for (const double least : {threshold_ / 2, 0.0}) {
    for (const auto& [device, ms] : by_device_) {
      const bool much = PercentOf(ms / steps) >= least;
      if (much && PlaneId(device).valid()) loss->devices.emplace_back(device);
    }
    if (!loss->devices.empty()) break;
  }
  std::sort(loss->devices.begin(), loss->devices.end(),
            [&](PlaneId a, PlaneId b) { return ByName(input_, a, b); });
}

IdleLoss IdleSums::Take(const std::vector<const IdleCause*>& causes) {
  IdleLoss loss;
  const size_t steps = every_step_ ? by_step_.size() : input_.steps().size();
  if (steps == 0) return loss;
  loss.ms = all_ / static_cast<double>(steps);
  loss.percent = PercentOf(loss.ms);
  NameCauses(&loss);
  ListSteps(&loss);
  ListDevices(static_cast<double>(steps), &loss);
  std::vector<bool> listed(by_step_.size());
  for (const uint32_t s : loss.steps) listed[s] = true;
  std::vector<EventRow> rows;
  for (const IdleCause* cause : causes) {
    if (!listed[cause->step]) continue;
    loss.link.total += cause->count;
    if (cause->longest.length() > loss.link.range.length()) loss.link.range = cause->longest;
    for (const EventRow row : cause->rows) {
      if (row.valid() && rows.size() < FindingContext::kMostEvents) rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  loss.link.total = std::max<uint64_t>(loss.link.total, rows.size());
  loss.link.rows = EventRows(std::move(rows));
  return loss;
}

}  // namespace

IdleLoss SumIdle(const FindingContext& input, const std::function<bool(const IdleCause&)>& wanted,
                 double threshold, bool every_step) {
  IdleSums sums(input, threshold, every_step);
  std::vector<const IdleCause*> causes;
  for (const IdleCause& cause : input.db().causes) {
    if (!wanted(cause)) continue;
    sums.Add(cause);
    causes.push_back(&cause);
  }
  return sums.Take(causes);
}

IdleLoss SumIdle(const FindingContext& input, StepTimeClass loss, double threshold) {
  return SumIdle(
      input,
      [&](const IdleCause& cause) {
        return cause.loss == loss && input.ThemeOf(cause) == CauseTheme::kNone;
      },
      threshold);
}

std::string InCause(const IdleLoss& loss) {
  if (loss.cause.empty() || loss.cause_percent < kNamed) return {};
  return ", " + PercentText(loss.cause_percent) + " of it in " + loss.cause;
}

RuleFinding FindingOfLoss(const FindingContext& input, const IdleLoss& loss, std::string title,
                          const std::string& assumption) {
  RuleFinding found;
  found.title = std::move(title);
  found.measured = loss.percent;
  found.saving_ms = loss.ms;
  found.assumption = assumption + " " + input.Uncertainty();
  found.devices = loss.devices;
  found.steps = loss.steps;
  found.link = loss.link;
  return found;
}

}  // namespace stepscope
