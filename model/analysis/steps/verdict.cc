#include "model/analysis/steps/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/steps/cause_names.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/host_collectives.h"
#include "model/analysis/steps/unrecorded.h"
#include "model/base/lower.h"

namespace stepscope {
namespace {

constexpr double kLeast = 10;        // percent of the step that makes a loss worth naming
constexpr double kBadShare = 30;     // percent of the step that makes it bad
constexpr double kLeastOfKinds = 1;  // percent: the kinds of smaller losses are not looked for
// Time that is not explained leads only if it is more than this times the largest loss that is.
constexpr double kUnexplained = 1.25;
constexpr uint32_t kFewEvents = 20;  // on all devices; fewer are too few to judge

struct Remedy {
  const char* id;
  const char* label;
  const char* leads;  // "Input-bound"
  // After "the GPU waits 34 % of each step for"; {device} becomes "the GPU".
  const char* what;
  // The sentence has "waits ... of each step for"; else "goes to".
  bool waits;
  const char* next_step;
  const char* panel;
};

constexpr std::array<Remedy, 11> kRemedies = {{
    {"input", "Waiting for input", "Input-bound", "input", true,
     "See which stage of the input pipeline takes the time; prefetch and parallelise it.",
     "input_pipeline"},
    {"host", "Host work", "Host-bound", "Python and op dispatch", true,
     "Compile the step (tf.function, jax.jit, torch.compile) or capture CUDA graphs; see in the "
     "timeline what the host does in the gaps.",
     "timeline"},
    {"launch", "Kernel launch", "Launch-bound", "kernels to be launched", true,
     "Fuse small operations (XLA, torch.compile, CUDA graphs) or give each more work.",
     "kernel_stats"},
    {"sync", "Synchronisation", "Synchronisation-bound", "the host to return from blocking calls",
     true, "Avoid .item(), print and copies of pageable memory inside the step.", "timeline"},
    {"compile", "Compilation", "Compiling", "compilation, tuning and loading of modules", true,
     "Profile after a few steps of warm-up; look for shapes that change.", "timeline"},
    {"copies", "Copies", "Copy-bound", "copies that no kernel hides", false,
     "Keep data on the device, copy from pinned memory on a stream of its own, and copy less "
     "often.",
     "kernel_stats"},
    {"collectives", "Collectives", "Collective-bound", "collectives that nothing hides", false,
     "Overlap them with the backward pass, make buckets larger, or send fewer bytes.",
     "kernel_stats"},
    {"collective_wait", "Waiting for participants", "Waiting for participants",
     "the last participant of collectives", true,
     "Find the device that is late and what its host did then.", "timeline"},
    {"between_steps", "Between steps", "Bound by work between steps", "host work outside the steps",
     true, "Do metrics, logging and checkpoints less often or on another thread.", "timeline"},
    {"queued", "Queued work", "Queue-bound", "work that is in the queue already", true,
     "The host is ahead, so faster launches do not help. See in the timeline which stream, copy or "
     "device the next kernel waits for; fewer and larger kernels leave fewer gaps.",
     "timeline"},
    {"unknown", "Not explained", "Idle", "something that was not recorded", true,
     "Record host and Python events as well, so that the cause can be seen.", "timeline"},
}};

// Copies and fills on a device are the device's own work, no loss.
size_t RemedyOf(StepTimeClass c) {
  constexpr size_t kWork = kRemedies.size();
  static constexpr std::array<size_t, kStepTimeClasses> kOf = {kWork, 5, 5, kWork, 7, 6, 0,
                                                               3,     4, 2, 9,     1, 8, 10};
  return kOf[static_cast<size_t>(c)];
}

std::string Rounded(double percent) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), percent < kLeast ? "%.1f %%" : "%.0f %%", percent);
  return text.data();
}

using Shares = std::vector<std::pair<std::string, double>>;  // percent by name

// The largest shares, at most three and none below 5 %, the largest first.
Shares LargestOf(Shares shares) {
  std::erase_if(shares, [](const auto& share) { return share.second < 5; });
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (shares.size() > 3) shares.resize(3);
  return shares;
}

std::string CausesText(const Shares& shares) {
  std::string text;
  for (const auto& [name, share] : shares)
    text += (text.empty() ? "" : ", ") + name + " " + Rounded(share);
  return text;
}

// The largest cause of a loss.
struct FirstCause {
  std::string name;
  double share = 0;  // percent of the loss
  bool known() const { return share >= kLeast; }
};

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
      sums_[{cause.event.value, cause.inside.value}].time += static_cast<double>(cause.time);
  }
  Shares Largest(const CauseNames& names) const {
    std::map<std::string, double> by_name;
    for (const auto& [key, sum] : sums_) {
      IdleCause cause;
      cause.loss = loss_;
      cause.event = MetaId(key.first);
      cause.inside = MetaId(key.second);
      by_name[names.Of(cause)] += sum.time;
    }
    Shares shares;
    for (const auto& [name, time] : by_name) shares.emplace_back(name, 100 * time / all_);
    return LargestOf(std::move(shares));
  }
  RowLink Link() const {
    RowLink link = LinkTo(EventRows(rows_));
    link.range = longest_;
    return link;
  }

 private:
  static constexpr size_t kRows = 1000;
  struct Sum {
    double time = 0;
  };
  double all_ = 0;
  StepTimeClass loss_ = StepTimeClass::kUnknown;  // of the last cause
  TimeRange longest_;
  std::vector<EventRow> rows_;
  std::map<std::pair<uint32_t, uint32_t>, Sum> sums_;
};

const char* Devices(const StepDatabase& db, const Trace& trace) {
  if (db.kind == DeviceKind::kCpuOnly) return "the CPU";
  if (db.kind == DeviceKind::kTpu) return "the TPU";
  size_t gpus = 0;
  for (const Plane& plane : trace.planes) gpus += plane.kind == PlaneKind::kGpu;
  return gpus > 1 ? "the GPUs" : "the GPU";
}

class Judgement {
 public:
  Judgement(const Trace& trace, const StepDatabase& db, bool whole)
      : trace_(trace), db_(db), whole_(whole) {}

  Verdict Make() {
    SumLosses();
    AddCauses();
    AddKinds();
    Rank();
    Decide();
    return std::move(verdict_);
  }

 private:
  void SumLosses();
  void AddCauses();
  void AddKinds();
  void SetCauses(const Shares& shares, Loss* loss);
  FirstCause FirstOf(const Loss& loss) const;
  void Rank();
  void Decide();
  void Judge();
  bool SayTooLittle();
  void SayInPart(const std::string& lacks);
  bool TooLittle() const;
  size_t DevicesInSteps() const;
  bool Outlasts() const;
  std::string Where() const;
  std::string Sentence(const Loss& loss, const Remedy& remedy) const;
  std::string Others(size_t from) const;
  void SayDevice();

  const Trace& trace_;
  const StepDatabase& db_;
  const bool whole_;
  Verdict verdict_;
  double total_ = 0, work_ = 0;              // ps of an average step
  double on_device_ = 0;                     // the part of work_ in copies and fills on devices
  std::map<std::string, FirstCause> first_;  // by id of the loss
};

void Judgement::SumLosses() {
  for (const Remedy& remedy : kRemedies) {
    Loss loss;
    loss.id = remedy.id;
    loss.label = remedy.label;
    verdict_.losses.push_back(std::move(loss));
  }
  const std::vector<const Step*> steps = CountedSteps(db_.steps);
  const double n = static_cast<double>(std::max<size_t>(1, steps.size()));
  for (const Step* step : steps) {
    total_ += step->times.total / n;
    const std::array<double, kStepTimeClasses> losses = ClassTimesOf(*step);
    on_device_ += losses[static_cast<size_t>(StepTimeClass::kDeviceToDevice)] / n;
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      const size_t remedy = RemedyOf(static_cast<StepTimeClass>(c));
      (remedy < kRemedies.size() ? verdict_.losses[remedy].ps : work_) += losses[c] / n;
    }
  }
  for (Loss& loss : verdict_.losses) loss.percent = total_ > 0 ? 100 * loss.ps / total_ : 0;
  for (Loss& loss : verdict_.losses) {  // the late device does not wait
    const double all = static_cast<double>(DevicesInSteps());
    const bool waits = loss.id == std::string_view("collective_wait") && all > 1;
    if (waits) loss.of_waiting = loss.percent * all / (all - 1);
    if (!waits) loss.of_waiting = loss.percent;
  }
}

void Judgement::AddCauses() {
  std::vector<CauseShares> shares(kRemedies.size());
  const bool all =
      std::none_of(db_.steps.begin(), db_.steps.end(), [](const Step& s) { return s.counts(); });
  for (const IdleCause& cause : db_.causes) {
    const size_t remedy = RemedyOf(cause.loss);
    if (remedy >= shares.size()) continue;
    if (all || db_.steps[cause.step].counts()) shares[remedy].Add(cause);
  }
  const CauseNames names(trace_, db_);
  for (size_t i = 0; i < shares.size(); ++i) {
    SetCauses(shares[i].Largest(names), &verdict_.losses[i]);
    verdict_.losses[i].link = shares[i].Link();
  }
}

void Judgement::SetCauses(const Shares& shares, Loss* loss) {
  loss->causes = CausesText(shares);
  if (!shares.empty()) first_[loss->id] = {shares.front().first, shares.front().second};
}

FirstCause Judgement::FirstOf(const Loss& loss) const {
  const auto found = first_.find(loss.id);
  return found != first_.end() ? found->second : FirstCause();
}

// Names copies and collectives by their kinds (exposed_time.h).
void Judgement::AddKinds() {
  const auto is_copy = [](const Loss& loss) { return loss.id == "copies"; };
  const auto asked = [&](const Loss& loss) {
    return (is_copy(loss) || loss.id == "collectives") && loss.percent >= kLeastOfKinds;
  };
  if (db_.kind == DeviceKind::kCpuOnly) return;  // on a CPU the causes name them
  if (std::none_of(verdict_.losses.begin(), verdict_.losses.end(), asked)) return;
  const std::vector<ExposedKind> kinds = ExposedKinds(trace_, db_);
  for (Loss& loss : verdict_.losses) {
    if (!asked(loss)) continue;
    double all = 0;
    for (const ExposedKind& kind : kinds) all += kind.copy == is_copy(loss) ? kind.ps : 0;
    Shares shares;
    std::vector<EventRow> rows;
    for (const ExposedKind& kind : kinds) {
      if (kind.copy != is_copy(loss)) continue;
      shares.emplace_back(kind.name, 100 * kind.ps / all);
      rows.push_back(kind.longest);
    }
    SetCauses(LargestOf(std::move(shares)), &loss);
    loss.link = LinkTo(EventRows(std::move(rows)));
  }
}

void Judgement::Rank() {
  std::erase_if(verdict_.losses, [](const Loss& loss) { return loss.ps <= 0; });
  std::stable_sort(verdict_.losses.begin(), verdict_.losses.end(),
                   [](const Loss& a, const Loss& b) {
                     const auto size = [](const Loss& l) {
                       return l.id == "unknown" ? l.of_waiting / kUnexplained : l.of_waiting;
                     };
                     return size(a) > size(b);
                   });
}

size_t Judgement::DevicesInSteps() const {
  std::set<uint32_t> devices;
  for (const DeviceStep& d : db_.device_steps) devices.insert(d.device.value);
  return devices.size();
}

bool Judgement::TooLittle() const {
  if (!whole_ && !db_.steps.empty()) return false;
  if (db_.kind == DeviceKind::kCpuOnly) return work_ <= 0;
  uint32_t events = 0;
  for (const DeviceStep& d : db_.device_steps) events += d.events;
  return events < kFewEvents;
}

std::string Judgement::Where() const {
  if (whole_) return "of the recording";
  return db_.steps.size() == 1 ? "of the step" : "of each step";
}

// A program without devices waits for nobody when its threads run Python, and it has no graphs.
void SayForCpu(Remedy* remedy) {
  remedy->waits = false;
  remedy->next_step =
      "See in the timeline what the threads do meanwhile; a compiled step, or fewer and larger "
      "ops, "
      "need less of it.";
}

Remedy RemedyOf(const Loss& loss, const FirstCause& cause, DeviceKind kind) {
  Remedy remedy = *std::find_if(kRemedies.begin(), kRemedies.end(),
                                [&](const Remedy& r) { return loss.id == r.id; });
  const HostRole role = RoleOfHostEvent(cause.name, EventCategory::kUnknown);
  if (loss.id == "host" && role == HostRole::kExecutor) {
    remedy.what = "the runtime that executes a compiled program";
    remedy.next_step =
        "The step is compiled already: give each call more work, and see in the timeline what the "
        "runtime waits for.";
  } else if (loss.id == "host" && role == HostRole::kAwait) {
    // Waiting for the device's own results: the work that they need starts late.
    remedy.what = "the host to start work";
    remedy.next_step =
        "The program waits for its own results then: see in the timeline which thread is to launch "
        "the next work, and what holds it up.";
  } else if (loss.id == "host" && kind == DeviceKind::kCpuOnly) {
    SayForCpu(&remedy);
  } else if (loss.id == "collectives" && IsHostCollective(cause.name)) {
    remedy.next_step =
        "See among the ranks whether one is late; overlap them with the backward pass, make "
        "buckets larger, or send fewer bytes.";
    remedy.panel = "ranks";
  } else if (loss.id == "unknown" && cause.known()) {
    remedy.what = "something that the recording does not show";
    remedy.next_step =
        "See in the timeline which stream, device or process that call waits for: the host was "
        "recorded, what holds up the device was not.";
  }
  return remedy;
}

// Whether the longest unexplained interval ends while the call that is named goes on.
bool Judgement::Outlasts() const {
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

std::string Judgement::Sentence(const Loss& loss, const Remedy& remedy) const {
  const std::string devices = Devices(db_, trace_);
  std::string text = std::string(remedy.leads) + ": ";
  const bool several = devices.ends_with("s");
  if (remedy.waits) {
    // The share of a wait for participants is without the late device, which does not wait.
    const bool others = several && loss.of_waiting > loss.percent;
    text += (others ? "the other" + devices.substr(devices.find(' ')) : devices) +
            (several ? " wait " : " waits ") + Rounded(loss.of_waiting) + " " + Where() + " for " +
            remedy.what;
  } else {
    text += Rounded(loss.of_waiting) + " " + Where() + " goes to " + remedy.what;
  }
  const FirstCause cause = FirstOf(loss);
  if (!cause.known()) return text;
  text += "; " + Rounded(cause.share) + " of that in " + cause.name;
  if (loss.id == "unknown" && Outlasts())
    text += std::string(", which returns after ") + (several ? "they have" : "it has") + " begun";
  return text;
}

// The losses behind the first that are worth saying: "; then 13 % host work and 11 % copies".
std::string Judgement::Others(size_t from) const {
  std::vector<std::string> others;
  for (size_t i = from; i < verdict_.losses.size() && others.size() < 2; ++i) {
    const Loss& loss = verdict_.losses[i];
    std::string label = loss.label;
    label[0] = Lower(label[0]);
    if (loss.of_waiting >= kLeast) others.push_back(Rounded(loss.of_waiting) + " " + label);
  }
  if (others.empty()) return ".";
  std::string text = ". Then " + others.front();
  return text + (others.size() > 1 ? " and " + others[1] : "") + ".";
}

void Judgement::SayDevice() {
  const double working = total_ > 0 ? 100 * work_ / total_ : 0;
  const std::string devices = Devices(db_, trace_);
  verdict_.leads = "device";
  verdict_.percent = working;
  Finding& f = verdict_.finding;
  f.grade = Finding::Grade::kGood;
  const double copying = total_ > 0 ? 100 * on_device_ / total_ : 0;
  const bool several = devices.ends_with("s");
  f.text = (db_.kind == DeviceKind::kCpuOnly ? "CPU-bound: " : "Device-bound: ") + devices +
           (several ? " compute " : " computes ") +
           Rounded(copying >= 1 ? working - copying : working) + " " + Where();
  if (copying >= 1) {
    f.text += std::string(several ? " and copy and fill their" : " and copies and fills its") +
              " own memory " + Rounded(copying);
  }
  if (!verdict_.losses.empty() && verdict_.losses.front().of_waiting >= 1) {
    const double percent = verdict_.losses.front().of_waiting;
    std::string label = verdict_.losses.front().label;
    label[0] = Lower(label[0]);
    // What the device copies may cost more than what is no work of it.
    f.text += std::string(copying > percent ? ". Next largest: " : "; the largest loss is ") +
              Rounded(percent) + " " + label;
  }
  f.text += ".";
  const bool cpu = db_.kind == DeviceKind::kCpuOnly;
  f.next_step =
      cpu ? "See which ops take the time." : "Make the device's work faster: see the kernels.";
  f.panel = cpu ? "op_stats" : "kernel_stats";
}

// Whether the recording is too poor for any judgement.
bool Judgement::SayTooLittle() {
  const bool hardly_any = !whole_ && HardlyAnyWork(db_);
  if (!hardly_any && !TooLittle() && total_ > 0) return false;
  Finding& f = verdict_.finding;
  verdict_.id = "too_little";
  f.panel = "overview";
  if (hardly_any) {
    f.text =
        "Too little was recorded to judge: " + HardlyAnyWorkText(db_, Devices(db_, trace_)) + ".";
    f.next_step =
        "If the program computes on the device, its work was not recorded: see the diagnostics, "
        "and "
        "record a few steps with little else.";
    f.panel = "diagnostics";
    return true;
  }
  f.text = "Too little was recorded to judge: no step, and hardly any work on a device.";
  f.next_step =
      "Record several steps: mark them with tf.profiler.experimental.Trace, "
      "jax.profiler.StepTraceAnnotation or torch.profiler's schedule.";
  return true;
}

// Says before the judgement that it holds for a part only.
void Judgement::SayInPart(const std::string& lacks) {
  Finding& f = verdict_.finding;
  verdict_.id = "too_little";
  f.grade = std::max(f.grade, Finding::Grade::kWarning);
  f.text[0] = Lower(f.text[0]);
  f.text = "Recorded in part: " + lacks + ". The rest is " + f.text;
}

void Judgement::Decide() {
  if (SayTooLittle()) return;
  Judge();
  verdict_.id = verdict_.leads;
  if (const std::string lacks = UnrecordedText(trace_, db_); !lacks.empty()) SayInPart(lacks);
}

void Judgement::Judge() {
  Finding& f = verdict_.finding;
  if (verdict_.losses.empty() || verdict_.losses.front().of_waiting < kLeast) {
    SayDevice();
    return;
  }
  const Loss& first = verdict_.losses.front();
  const Remedy remedy = RemedyOf(first, FirstOf(first), db_.kind);
  verdict_.leads = first.id;
  verdict_.percent = first.of_waiting;
  f.grade = first.of_waiting >= kBadShare ? Finding::Grade::kBad : Finding::Grade::kWarning;
  f.text = Sentence(first, remedy) + Others(1);
  f.next_step = remedy.next_step;
  f.panel = remedy.panel;
}

}  // namespace

std::vector<StepTimeGroup> StepTimeGroups() {
  std::vector<StepTimeGroup> groups = {{"device", "Compute"}};
  for (const Remedy& remedy : kRemedies) groups.push_back({remedy.id, remedy.label});
  return groups;
}

std::vector<double> GroupedStepTimes(const Step& step) {
  std::vector<double> groups(kRemedies.size() + 1);
  const std::array<double, kStepTimeClasses> times = ClassTimesOf(step);
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const size_t remedy = RemedyOf(static_cast<StepTimeClass>(c));
    groups[remedy < kRemedies.size() ? remedy + 1 : 0] += times[c];
  }
  return groups;
}

std::array<double, kStepTimeClasses> ClassTimesOf(const Step& step) {
  double sum = 0;
  for (const double time : step.class_times) sum += time;
  if (sum > 0) return step.class_times;
  std::array<double, kStepTimeClasses> times{};
  const auto set = [&](StepTimeClass c, double ps) { times[static_cast<size_t>(c)] = ps; };
  const StepBreakdown& t = step.times;
  set(StepTimeClass::kCompute, t.compute + t.host_compute);
  set(StepTimeClass::kDeviceToDevice, t.device_to_device);
  set(StepTimeClass::kCollective, t.collectives);
  set(StepTimeClass::kHostToDevice, t.host_to_device);
  set(StepTimeClass::kInput, t.input - t.host_to_device);
  set(StepTimeClass::kDeviceToHost, t.output);
  set(StepTimeClass::kCompile, t.compile);
  set(StepTimeClass::kLaunch, t.launch);
  set(StepTimeClass::kUnknown, t.other);
  return times;
}

Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole) {
  return Judgement(trace, db, whole).Make();
}

}  // namespace stepscope
