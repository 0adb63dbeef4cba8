#include "model/analysis/steps/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/unrecorded.h"

namespace stepscope {
namespace {

constexpr double kLeast = 10;        // percent of the step that makes a loss lead
constexpr double kLeastOfKinds = 1;  // percent: the kinds of smaller losses are not looked for
// Time that is not explained leads only if it is more than this times the largest loss that is.
constexpr double kUnexplained = 1.25;
// The share of device events that graphs launch from which the program launches graphs already.
constexpr double kMostlyGraphs = 0.5;
constexpr uint32_t kFewEvents = 20;  // on all devices; fewer are too few to judge

// The largest causes, at most three and none below 5 %, the largest first.
std::vector<LossCause> LargestOf(std::vector<LossCause> causes) {
  std::erase_if(causes, [](const LossCause& cause) { return cause.percent < 5; });
  std::stable_sort(causes.begin(), causes.end(),
                   [](const LossCause& a, const LossCause& b) { return a.percent > b.percent; });
  if (causes.size() > 3) causes.resize(3);
  return causes;
}

// Sums the causes of one loss.
class CauseShares {
 public:
  void Add(const IdleCause& cause) {
    all_ += static_cast<double>(cause.time);
    loss_ = cause.loss;
    if (cause.longest.length() > longest_.length()) longest_ = cause.longest;
    for (const EventRow row : cause.rows) {
      if (row.valid() && rows_.size() < kRows) rows_.push_back(row);
    }
    if (cause.event.valid())
      sums_[{cause.event.value, cause.inside.value}] += static_cast<double>(cause.time);
  }
  // The event of the cause with that name; invalid if there is none.
  MetaId EventOf(const CauseNames& names, const std::string& name) const {
    for (const auto& [key, time] : sums_) {
      if (names.Of(CauseOf(key)) == name) return MetaId(key.first);
    }
    return {};
  }
  std::vector<LossCause> Largest(const CauseNames& names) const {
    std::map<std::string, double> by_name;
    for (const auto& [key, time] : sums_) by_name[names.Of(CauseOf(key))] += time;
    std::vector<LossCause> causes;
    for (const auto& [name, time] : by_name) causes.push_back({name, 100 * time / all_});
    return LargestOf(std::move(causes));
  }
  RowLink Link() const {
    RowLink link = LinkTo(EventRows(rows_));
    link.range = longest_;
    return link;
  }

 private:
  static constexpr size_t kRows = 1000;
  using Key = std::pair<uint32_t, uint32_t>;  // MetaIds of the event and of the op around it
  IdleCause CauseOf(const Key& key) const {
    IdleCause cause;
    cause.loss = loss_;
    cause.event = MetaId(key.first);
    cause.inside = MetaId(key.second);
    return cause;
  }
  double all_ = 0;
  StepTimeClass loss_ = StepTimeClass::kUnknown;  // of the last cause
  TimeRange longest_;
  std::vector<EventRow> rows_;
  std::map<Key, double> sums_;
};

class VerdictBuilder {
 public:
  VerdictBuilder(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds)
      : trace_(trace), db_(db), whole_(whole), kinds_(kinds) {
    verdict_.kind = db.kind;
    verdict_.programs_as_ops = db.programs_as_ops;
    verdict_.program = ProgramOf(trace, db);
    verdict_.several_devices = !OnCpu() && WorkingDevices() > 1;
    verdict_.devices = Devices();
    verdict_.whole = whole                  ? Verdict::Whole::kRecording
                     : db.steps.size() == 1 ? Verdict::Whole::kOneStep
                                            : Verdict::Whole::kEachStep;
  }

  Verdict Make(std::span<const AsyncWait> waits, std::span<const uint8_t> on_host,
               const Recording* recording) {
    if (recording != nullptr && IsMissing(*recording)) return std::move(verdict_);
    SumLosses();
    AddCauses();
    AddKinds();
    Rank();
    if (SetTooLittle()) {
      if (recording != nullptr) SayNoDevice(*recording);
    } else {
      Decide();
    }
    AddToFirst(waits, on_host);
    return std::move(verdict_);
  }

 private:
  void SumLosses();
  void AddCauses();
  void AddKinds();
  void Rank();
  bool IsMissing(const Recording& recording);
  void SayNoDevice(const Recording& recording);
  bool SetTooLittle();
  bool IsUnrecordedRest(const Loss& loss) const;
  bool AreStepsEmpty() const;
  void Decide();
  void AddToFirst(std::span<const AsyncWait> waits, std::span<const uint8_t> on_host);
  bool TooFewEvents() const;
  size_t DevicesInSteps() const;
  size_t WorkingDevices() const;
  std::string Devices() const;
  bool Outlasts() const;
  bool IsMostlyOnHost(std::span<const uint8_t> on_host) const;
  bool OnCpu() const { return db_.kind == DeviceKind::kCpuOnly; }

  const Trace& trace_;
  const StepDatabase& db_;
  const bool whole_;
  const KindsOfSteps& kinds_;
  Verdict verdict_;
  double total_ = 0, work_ = 0;  // ps of an average step
};

// The index of a loss among all losses, in the order of StepPart.
size_t LossIndex(StepPart part) {
  return static_cast<size_t>(part) - static_cast<size_t>(StepPart::kInput);
}

void VerdictBuilder::SumLosses() {
  std::vector<Loss>& all_losses = verdict_.losses;
  all_losses.resize(kStepParts - static_cast<size_t>(StepPart::kInput));
  for (size_t i = 0; i < all_losses.size(); ++i)
    all_losses[i].part = static_cast<StepPart>(i + static_cast<size_t>(StepPart::kInput));
  const std::vector<const Step*> steps = CountedSteps(db_.steps);
  const double n = static_cast<double>(std::max<size_t>(1, steps.size()));
  double on_device = 0;
  for (const Step* step : steps) {
    total_ += step->times.total / n;
    const std::array<double, kStepTimeClasses> times = ClassTimesOf(*step);
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      const StepPart part = PartOf(static_cast<StepTimeClass>(c));
      (IsLoss(part) ? all_losses[LossIndex(part)].ps : work_) += times[c] / n;
      if (part == StepPart::kOnDevice) on_device += times[c] / n;
    }
  }
  const auto percent = [&](double ps) { return total_ > 0 ? 100 * ps / total_ : 0; };
  verdict_.work_percent = percent(work_), verdict_.on_device_percent = percent(on_device);
  const double devices = static_cast<double>(DevicesInSteps());
  for (Loss& loss : all_losses) {
    loss.percent = loss.of_waiting = percent(loss.ps);
    if (loss.part == StepPart::kCollectiveWait && devices > 1)  // the late device does not wait
      loss.of_waiting = loss.percent * devices / (devices - 1);
  }
}

void VerdictBuilder::AddCauses() {
  std::vector<CauseShares> shares(verdict_.losses.size());
  const bool all =
      std::none_of(db_.steps.begin(), db_.steps.end(), [](const Step& s) { return s.counts(); });
  for (const IdleCause& cause : db_.causes) {
    const StepPart part = PartOf(cause.loss);
    if (IsLoss(part) && (all || db_.steps[cause.step].counts())) shares[LossIndex(part)].Add(cause);
  }
  const CauseNames names(trace_, db_);
  for (size_t i = 0; i < shares.size(); ++i) {
    Loss& loss = verdict_.losses[i];
    loss.link = shares[i].Link();
    loss.causes = shares[i].Largest(names);
    if (loss.causes.empty()) continue;
    const MetaId event = shares[i].EventOf(names, loss.causes.front().name);
    loss.role = RoleOfCause(trace_, event);
    loss.own_range = IsOwnRange(trace_, event);
  }
}

// Names copies and collectives by their kinds (exposed_time.h).
void VerdictBuilder::AddKinds() {
  const auto is_copy = [](const Loss& loss) { return loss.part == StepPart::kCopies; };
  const auto asked = [&](const Loss& loss) {
    return (is_copy(loss) || loss.part == StepPart::kCollectives) && loss.percent >= kLeastOfKinds;
  };
  if (db_.kind != DeviceKind::kGpu) return;  // on others the causes name them
  if (std::none_of(verdict_.losses.begin(), verdict_.losses.end(), asked)) return;
  const std::shared_ptr<const ExposedKinds> shared = kinds_();
  for (Loss& loss : verdict_.losses) {
    if (!asked(loss)) continue;
    double all = 0;
    for (const ExposedKind& kind : shared->kinds) all += kind.copy == is_copy(loss) ? kind.ps : 0;
    std::vector<LossCause> causes;
    std::vector<EventRow> rows;
    for (const ExposedKind& kind : shared->kinds) {
      if (kind.copy != is_copy(loss)) continue;
      causes.push_back({kind.name, 100 * kind.ps / all});
      rows.push_back(kind.longest);
    }
    loss.causes = LargestOf(std::move(causes));
    loss.role = HostRole::kWork, loss.own_range = false;
    loss.link = LinkTo(EventRows(std::move(rows)));
  }
}

void VerdictBuilder::Rank() {
  std::erase_if(verdict_.losses, [](const Loss& loss) { return loss.ps <= 0; });
  const auto size = [](const Loss& l) {
    return l.part == StepPart::kUnknown ? l.of_waiting / kUnexplained : l.of_waiting;
  };
  std::stable_sort(verdict_.losses.begin(), verdict_.losses.end(),
                   [&](const Loss& a, const Loss& b) { return size(a) > size(b); });
}

size_t VerdictBuilder::DevicesInSteps() const {
  std::set<uint32_t> devices;
  for (const DeviceStep& d : db_.device_steps) devices.insert(d.device.value);
  return devices.size();
}

// The subject of the sentence. Where all but one device are left out, that one has its name.
std::string VerdictBuilder::Devices() const {
  if (OnCpu()) return "the program";
  const bool one =
      !verdict_.several_devices && !db_.idle_devices.empty() && !db_.device_steps.empty();
  if (one) return DeviceNames(trace_)[db_.device_steps.front().device.value].str();
  return "the " + verdict_.program.device + (verdict_.several_devices ? "s" : "");
}

// Devices without events are none of the program's.
size_t VerdictBuilder::WorkingDevices() const {
  const size_t in_steps = DevicesInSteps();
  return in_steps > 0 ? in_steps : verdict_.program.devices;
}

bool VerdictBuilder::TooFewEvents() const {
  const bool marked = !db_.inferred && std::none_of(db_.steps.begin(), db_.steps.end(),
                                                    [](const Step& s) { return s.inferred; });
  const bool cpu = db_.kind == DeviceKind::kCpuOnly;
  const bool one = db_.steps.size() == 1;  // an inferred step of one call may be anything
  if (!whole_ && !db_.steps.empty() && (marked || cpu || !one)) return false;
  if (cpu) return work_ <= 0;
  uint32_t events = 0;
  for (const DeviceStep& d : db_.device_steps) events += d.events;
  return events < kFewEvents;
}

// Whether half of the host's work and more is ops that run there.
bool VerdictBuilder::IsMostlyOnHost(std::span<const uint8_t> on_host) const {
  if (on_host.empty() || OnCpu()) return false;
  double all = 0, ops = 0;
  const bool any =
      std::any_of(db_.steps.begin(), db_.steps.end(), [](const Step& s) { return s.counts(); });
  for (const IdleCause& cause : db_.causes) {
    const bool counts = !any || db_.steps[cause.step].counts();
    if (cause.loss != StepTimeClass::kHost || !counts) continue;
    all += static_cast<double>(cause.time);
    if (cause.event.valid() && on_host[cause.event.value] != 0)
      ops += static_cast<double>(cause.time);
  }
  return all > 0 && ops >= all / 2;
}

// Whether the longest unexplained interval ends while the call that is named goes on.
bool VerdictBuilder::Outlasts() const {
  const IdleCause* most = nullptr;
  for (const IdleCause& cause : db_.causes) {
    const bool named = cause.loss == StepTimeClass::kUnknown && cause.event.valid();
    if (named && (most == nullptr || cause.time > most->time)) most = &cause;
  }
  if (most == nullptr) return false;
  return std::any_of(most->rows.begin(), most->rows.end(), [&](EventRow row) {
    if (!row.valid()) return false;
    const TimeRange call{trace_.set.Start(row), trace_.set.Start(row) + trace_.set.Duration(row)};
    return call.begin <= most->longest.begin && call.end > most->longest.end;
  });
}

// Whether nothing can be said of steps because of what was recorded.
bool VerdictBuilder::IsMissing(const Recording& recording) {
  if (recording.foreign()) {
    verdict_.recorded = Verdict::Recorded::kForeign;
  } else if (recording.devices.part_missing) {
    verdict_.recorded = Verdict::Recorded::kNoDevice;
    verdict_.lacks = recording.MissingPartText();
  }
  return !verdict_.judges_steps();
}

// Where hardly anything was recorded and devices are named, their work may be missing.
void VerdictBuilder::SayNoDevice(const Recording& recording) {
  if (!recording.devices.unknown()) return;
  verdict_.recorded = Verdict::Recorded::kNoDevice;
  verdict_.lacks = recording.NoEventText();
}

// Whether the recording is too poor for any verdict.
bool VerdictBuilder::SetTooLittle() {
  const bool hardly_any = !whole_ && HardlyAnyWork(db_), lost = AllIncomplete(db_);
  if (lost || hardly_any) {
    verdict_.recorded = Verdict::Recorded::kTooLittle;
    verdict_.lacks = lost ? LostLaunchesText(db_) : HardlyAnyWorkText(db_, verdict_.devices);
  } else if (AreStepsEmpty()) {
    verdict_.recorded = Verdict::Recorded::kTooLittle;
    verdict_.lacks = fmt::format("nothing inside the {} steps was recorded", db_.steps.size());
  } else if (TooFewEvents() || total_ <= 0) {
    verdict_.recorded = Verdict::Recorded::kNoStep;
  }
  return verdict_.recorded != Verdict::Recorded::kAll;
}

// Whether a loss is the time of a program on the CPU in which nothing was recorded, beside ops that
// take more: the program computes, and the rest is unknown.
bool VerdictBuilder::IsUnrecordedRest(const Loss& loss) const {
  return OnCpu() && loss.part == StepPart::kUnknown && loss.of_waiting < verdict_.work_percent;
}

// Whether steps of a program on the CPU are marked and nothing inside them was recorded.
bool VerdictBuilder::AreStepsEmpty() const {
  constexpr double kNearlyAll = 99;  // percent
  if (!OnCpu() || whole_ || work_ > 0 || verdict_.losses.empty()) return false;
  const Loss& first = verdict_.losses.front();
  const bool unrecorded =
      first.part == StepPart::kUnknown || (first.part == StepPart::kHost && !first.causes.empty() &&
                                           first.causes.front().name == CauseNames::kUnrecorded);
  return unrecorded && first.percent >= kNearlyAll;
}

void VerdictBuilder::Decide() {
  const bool none = verdict_.losses.empty() || verdict_.losses.front().of_waiting < kLeast ||
                    IsUnrecordedRest(verdict_.losses.front());
  verdict_.leads = none ? StepPart::kCompute : verdict_.losses.front().part;
  verdict_.percent = none ? verdict_.work_percent : verdict_.losses.front().of_waiting;
  verdict_.idle_devices = IdleDevicesText(trace_, db_);
  verdict_.lacks = UnrecordedText(trace_, db_);
  if (!verdict_.lacks.empty()) verdict_.recorded = Verdict::Recorded::kPart;
}

// Adds what the sentence says of the loss that leads.
void VerdictBuilder::AddToFirst(std::span<const AsyncWait> waits,
                                std::span<const uint8_t> on_host) {
  if (OnCpu()) verdict_.host_work = HostWorkWords(trace_, db_.causes);
  const Loss* first = verdict_.First();
  if (first == nullptr) return;
  verdict_.ops_on_host = first->part == StepPart::kHost && IsMostlyOnHost(on_host);
  verdict_.cause_outlasts = first->part == StepPart::kUnknown && Outlasts();
  for (const AsyncWait& wait : waits) {
    if (!verdict_.wait && !first->causes.empty() && wait.name == first->causes.front().name)
      verdict_.wait = wait;
  }
}

}  // namespace

std::string_view Verdict::id() const {
  if (recorded == Recorded::kForeign) return "unknown";
  if (recorded != Recorded::kAll) return "too_little";
  return leads ? IdOf(*leads) : "unknown";
}

Program ProgramOf(const Trace& trace, const StepDatabase& db) {
  Program program = ProgramOf(trace);
  if (db.graph_share >= kMostlyGraphs) program.build = Build::kGraphs;
  return program;
}

Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds,
              std::span<const AsyncWait> waits, std::span<const uint8_t> on_host,
              const Recording* recording) {
  return VerdictBuilder(trace, db, whole, kinds).Make(waits, on_host, recording);
}

}  // namespace stepscope
