#include "model/analysis/steps/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>

#include "model/analysis/grouping/host_collectives.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/naming/remedies.h"
#include "model/analysis/steps/cause_name.h"
#include "model/analysis/steps/cpu_work.h"
#include "model/analysis/steps/exposed_time.h"
#include "model/analysis/steps/role_words.h"
#include "model/analysis/steps/step_table.h"
#include "model/analysis/steps/unrecorded.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr double kLeast = 10;        // percent of the step that makes a loss worth naming
constexpr double kBadShare = 30;     // percent of the step that makes it bad
constexpr double kLeastOfKinds = 1;  // percent: the kinds of smaller losses are not looked for
// Time that is not explained leads only if it is more than this times the largest loss that is.
constexpr double kUnexplained = 1.25;
// Percent of a loss from which the sentence says its largest cause in place of the loss.
constexpr double kNearlyAll = 80;
// The share of device events that graphs launch from which the program launches graphs already.
constexpr double kMostlyGraphs = 0.5;
constexpr uint32_t kFewEvents = 20;  // on all devices; fewer are too few to judge

struct LossKind {
  const char* id;
  const char* label;
  const char* leads;  // "Input-bound"
  const char* what;   // after "the GPU waits 34 % of each step for"
  // The sentence has "waits ... of each step for"; else "goes to".
  bool waits;
  const char* remedy;  // naming/remedies.h
  const char* panel;
};

constexpr std::array<LossKind, 11> kLosses = {{
    {"input", "Waiting for input", "Input-bound", "input", true, "input-bound", "input_pipeline"},
    {"host", "Host work", "Host-bound", "Python and op dispatch", true, "host-op", "timeline"},
    {"launch", "Kernel launch", "Launch-bound", "kernels to be launched", true, "launch-bound",
     "kernel_stats"},
    {"sync", "Synchronisation", "Synchronisation-bound", "the host to return from blocking calls",
     true, "sync", "timeline"},
    {"compile", "Compilation", "Compiling", "compilation, tuning and loading of modules", true,
     "compile", "timeline"},
    {"copies", "Copies", "Copy-bound", "copies that no kernel hides", false, "copies",
     "kernel_stats"},
    {"collectives", "Collectives", "Collective-bound", "exposed collectives", false, "allreduce",
     "kernel_stats"},
    {"collective_wait", "Waiting for participants", "Waiting for participants",
     "the last participant of collectives", true, "imbalance", "timeline"},
    {"between_steps", "Between steps", "Bound by work between steps", "host work outside the steps",
     true, "between-steps", "timeline"},
    {"queued", "Queued work", "Queue-bound", "work that is in the queue already", true, "queued",
     "timeline"},
    {"unknown", "Not explained", "Idle", "something that was not recorded", true, "unknown",
     "timeline"},
}};

// Copies and fills on a device are the device's own work, no loss.
size_t LossOf(StepTimeClass c) {
  constexpr size_t kWork = kLosses.size();
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
  HostRole role = HostRole::kWork;
  bool own_range = false;
  bool known() const { return share >= kLeast; }
  bool mostly() const { return share >= 50; }
  bool nearly_all() const { return share >= kNearlyAll; }
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
  // The event of the cause with that name; invalid if there is none.
  MetaId EventOf(const CauseNames& names, const std::string& name) const {
    for (const auto& [key, sum] : sums_) {
      if (names.Of(CauseOf(key)) == name) return MetaId(key.first);
    }
    return {};
  }
  Shares Largest(const CauseNames& names) const {
    std::map<std::string, double> by_name;
    for (const auto& [key, sum] : sums_) by_name[names.Of(CauseOf(key))] += sum.time;
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
  std::map<Key, Sum> sums_;
};

// The words for a loss, as far as its causes are known.
struct Said : LossKind {};

class Judgement {
 public:
  Judgement(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds,
            std::span<const AsyncWait> waits, std::span<const uint8_t> on_host)
      : trace_(trace),
        db_(db),
        program_(ProgramOf(trace, db)),
        devices_(Devices()),
        whole_(whole),
        waits_(waits),
        on_host_(on_host),
        kinds_(kinds) {}

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
  std::string Devices() const;
  bool Outlasts() const;
  bool IsMostlyOnHost() const;
  std::string Where() const;
  bool OnCpu() const { return db_.kind == DeviceKind::kCpuOnly; }
  bool Several() const { return !OnCpu() && program_.devices > 1 + db_.idle_devices.size(); }
  std::string Sentence(const Loss& loss, const Said& said) const;
  std::string InWords(const Loss& loss) const;
  Said SayFor(const Loss& loss) const;
  const char* UnexplainedRemedy(const FirstCause& cause) const;
  std::string Others(size_t from) const;
  void SayDevice();

  const Trace& trace_;
  const StepDatabase& db_;
  const Program program_;
  const std::string devices_;  // "the GPUs"
  const bool whole_;
  const std::span<const AsyncWait> waits_;
  const std::span<const uint8_t> on_host_;
  const KindsOfSteps& kinds_;
  Verdict verdict_;
  double total_ = 0, work_ = 0;              // ps of an average step
  double on_device_ = 0;                     // the part of work_ in copies and fills on devices
  std::map<std::string, FirstCause> first_;  // by id of the loss
};

void Judgement::SumLosses() {
  for (const LossKind& kind : kLosses) {
    Loss loss;
    loss.id = kind.id;
    loss.label = kind.label;
    verdict_.losses.push_back(std::move(loss));
  }
  const std::vector<const Step*> steps = CountedSteps(db_.steps);
  const double n = static_cast<double>(std::max<size_t>(1, steps.size()));
  for (const Step* step : steps) {
    total_ += step->times.total / n;
    const std::array<double, kStepTimeClasses> losses = ClassTimesOf(*step);
    on_device_ += losses[static_cast<size_t>(StepTimeClass::kDeviceToDevice)] / n;
    for (size_t c = 0; c < kStepTimeClasses; ++c) {
      const size_t of = LossOf(static_cast<StepTimeClass>(c));
      (of < kLosses.size() ? verdict_.losses[of].ps : work_) += losses[c] / n;
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
  std::vector<CauseShares> shares(kLosses.size());
  const bool all =
      std::none_of(db_.steps.begin(), db_.steps.end(), [](const Step& s) { return s.counts(); });
  for (const IdleCause& cause : db_.causes) {
    const size_t of = LossOf(cause.loss);
    if (of >= shares.size()) continue;
    if (all || db_.steps[cause.step].counts()) shares[of].Add(cause);
  }
  const CauseNames names(trace_, db_);
  for (size_t i = 0; i < shares.size(); ++i) {
    SetCauses(shares[i].Largest(names), &verdict_.losses[i]);
    FirstCause& first = first_[verdict_.losses[i].id];
    const MetaId event = shares[i].EventOf(names, first.name);
    first.role = RoleOfCause(trace_, event);
    first.own_range = IsOwnRange(trace_, event);
    verdict_.losses[i].link = shares[i].Link();
  }
}

void Judgement::SetCauses(const Shares& shares, Loss* loss) {
  loss->causes = CausesText(shares);
  if (!shares.empty())
    first_[loss->id] = {shares.front().first, shares.front().second, HostRole::kWork};
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
  if (db_.kind != DeviceKind::kGpu) return;  // on others the causes name them
  if (std::none_of(verdict_.losses.begin(), verdict_.losses.end(), asked)) return;
  const std::shared_ptr<const ExposedKinds> shared = kinds_();
  const std::vector<ExposedKind>& kinds = shared->kinds;
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

// The subject of the sentence. Where all but one device are left out, that one has its name.
std::string Judgement::Devices() const {
  if (OnCpu()) return "the program";
  const bool one = !Several() && !db_.idle_devices.empty() && !db_.device_steps.empty();
  if (one) return DeviceNames(trace_)[db_.device_steps.front().device.value].str();
  return "the " + DeviceWord(program_);
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

// The words of the cause with most of the loss, where its class may have such a cause; or null.
const RoleWords* OwnWords(const Loss& loss, const FirstCause& cause) {
  const bool blocks = loss.id == "sync";
  if (!blocks && loss.id != "host" && loss.id != "between_steps") return nullptr;
  if (IsBlocking(cause.role) != blocks || !cause.mostly()) return nullptr;
  return WordsOfRole(cause.role);
}

const char* Judgement::UnexplainedRemedy(const FirstCause& cause) const {
  if (cause.known()) return "unknown.called";
  if (!program_.host_events) return "record.host";
  return program_.python ? "unknown" : "record.python";
}

Said Judgement::SayFor(const Loss& loss) const {
  const FirstCause cause = FirstOf(loss);
  Said said{*std::find_if(kLosses.begin(), kLosses.end(),
                          [&](const LossKind& kind) { return loss.id == kind.id; })};
  if (const RoleWords* own = OwnWords(loss, cause)) {
    if (own->what != nullptr && cause.nearly_all()) said.what = own->what;
    said.remedy = own->remedy;
  } else if (loss.id == "host" && cause.role == HostRole::kExecutor) {
    said.what = "the runtime that executes a compiled program";
    said.remedy = "host-op.runtime";
  } else if (loss.id == "host" && cause.role == HostRole::kAwait) {
    // Waiting for the device's own results: the work that they need starts late.
    said.what = "the host to start work";
    said.remedy = "host-op.awaits";
  } else if (loss.id == "host" && cause.mostly() && cause.own_range && !OnCpu()) {
    said.remedy = "host-op.own-range";
  } else if (loss.id == "host" && IsMostlyOnHost()) {
    said.what = "ops that run on the host";
    said.remedy = "host-op.on-host";
  } else if (loss.id == "copies" && db_.kind == DeviceKind::kTpu) {
    // A core of a TPU waits in an op for its asynchronous copies.
    said.what = "copies that no op hides";
    said.waits = true;
    said.remedy = "copies.async";
    said.panel = "hlo_memory";
  } else if (loss.id == "collectives" && IsHostCollective(cause.name)) {
    said.remedy = "allreduce.ranks";
    said.panel = "ranks";
  } else if (loss.id == "unknown") {
    said.remedy = UnexplainedRemedy(cause);
    if (cause.known()) said.what = "something that the recording does not show";
  }
  return said;
}

// Whether half of the host's work and more is ops that run there.
bool Judgement::IsMostlyOnHost() const {
  if (on_host_.empty() || OnCpu()) return false;
  double all = 0, ops = 0;
  const bool any =
      std::any_of(db_.steps.begin(), db_.steps.end(), [](const Step& s) { return s.counts(); });
  for (const IdleCause& cause : db_.causes) {
    const bool counts = !any || db_.steps[cause.step].counts();
    if (cause.loss != StepTimeClass::kHost || !counts) continue;
    all += static_cast<double>(cause.time);
    if (cause.event.valid() && on_host_[cause.event.value] != 0)
      ops += static_cast<double>(cause.time);
  }
  return all > 0 && ops >= all / 2;
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

std::string Judgement::Sentence(const Loss& loss, const Said& said) const {
  std::string text = std::string(said.leads) + ": ";
  if (OnCpu() && loss.id == "host") {
    const std::string words = HostWorkWords(trace_, db_.causes);
    text += words + " " + Takes(words) + " " + Rounded(loss.of_waiting) + " " + Where();
  } else if (said.waits) {
    // The share of a wait for participants is without the late device, which does not wait.
    const bool others = Several() && loss.of_waiting > loss.percent;
    text += (others ? "the other" + devices_.substr(devices_.find(' ')) : devices_) +
            (Several() ? " wait " : " waits ") + Rounded(loss.of_waiting) + " " + Where() +
            " for " + said.what;
  } else {
    text += Rounded(loss.of_waiting) + " " + Where() + " goes to " + said.what;
  }
  const FirstCause cause = FirstOf(loss);
  if (!cause.known()) return text;
  // The sentence does not name again what it has named.
  const bool named = cause.name == CauseNames::kGarbage && cause.nearly_all() &&
                     said.remedy == std::string_view("garbage");
  text += "; " + Rounded(cause.share) + (named ? " of that time" : " of that in " + cause.name);
  for (const AsyncWait& wait : waits_) {
    if (wait.name == cause.name) return text + ": " + TextOf(wait);
  }
  if (loss.id == "unknown" && Outlasts()) text += ", which was still open when the work began";
  return text;
}

// A loss inside a sentence: "kernel launch".
std::string Judgement::InWords(const Loss& loss) const {
  if (OnCpu() && loss.id == "host") return HostWorkWords(trace_, db_.causes);
  std::string label = loss.label;
  label[0] = Lower(label[0]);
  return label;
}

// The losses behind the first that are worth saying: ". Next largest: kernel launch, 13 %, and
// copies, 11 %.". What ops take of a program without devices is said first.
std::string Judgement::Others(size_t from) const {
  std::vector<std::string> others;
  for (size_t i = from; i < verdict_.losses.size() && others.size() < 2; ++i) {
    const Loss& loss = verdict_.losses[i];
    if (loss.of_waiting >= kLeast)
      others.push_back(InWords(loss) + ", " + Rounded(loss.of_waiting));
  }
  std::string text = ".";
  if (OnCpu() && total_ > 0) text += " Framework ops take " + Rounded(100 * work_ / total_) + ".";
  if (others.empty()) return text;
  text += " Next largest: " + others.front();
  return text + (others.size() > 1 ? ", and " + others[1] : "") + ".";
}

void Judgement::SayDevice() {
  const double percent = total_ > 0 ? 100 * work_ / total_ : 0;
  const double copying = total_ > 0 ? 100 * on_device_ / total_ : 0;
  verdict_.leads = "device";
  verdict_.percent = percent;
  Finding& f = verdict_.finding;
  f.grade = Finding::Grade::kGood;
  const std::string share = Rounded(percent - copying) + " " + Where();
  f.text = OnCpu() ? "CPU-bound: framework ops take " + share
                   : "Device-bound: " + devices_ + (Several() ? " compute " : " computes ") + share;
  if (copying >= 1) {
    f.text += std::string(Several() ? " and copy and fill their" : " and copies and fills its") +
              " own memory " + Rounded(copying);
  }
  if (!verdict_.losses.empty() && verdict_.losses.front().of_waiting >= 1) {
    const Loss& most = verdict_.losses.front();
    // The device's copies may cost more than the time in which it has no work.
    const bool less = copying > most.of_waiting;
    // The rest of the step is no bound of what can be saved: work may be made faster too.
    f.text += (less ? ". Next largest: " : "; of the rest, most is ") + InWords(most) + ", " +
              Rounded(most.of_waiting);
  }
  f.text += ".";
  f.next_step = RemedyFor("device", program_);
  f.panel = OnCpu() ? "op_stats" : "kernel_stats";
}

// Whether the recording is too poor for any judgement.
bool Judgement::SayTooLittle() {
  const bool hardly_any = !whole_ && HardlyAnyWork(db_), lost = AllIncomplete(db_);
  if (!hardly_any && !lost && !TooLittle() && total_ > 0) return false;
  Finding& f = verdict_.finding;
  verdict_.id = "too_little";
  f.panel = "overview";
  if (lost || hardly_any) {
    f.text = "Too little was recorded to judge: " +
             (lost ? LostLaunchesText(db_) : HardlyAnyWorkText(db_, devices_)) + ".";
    f.next_step = RemedyFor("too-little.device", program_);
    f.panel = "diagnostics";
    return true;
  }
  f.text = "Too little was recorded to judge: no step, and hardly any work on a device.";
  f.next_step = RemedyFor("too-little", program_);
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
  verdict_.finding.text += IdleDevicesText(trace_, db_);
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
  const Said said = SayFor(first);
  verdict_.leads = first.id;
  verdict_.percent = first.of_waiting;
  f.grade = first.of_waiting >= kBadShare ? Finding::Grade::kBad : Finding::Grade::kWarning;
  verdict_.others = Others(1);
  f.text = Sentence(first, said) + verdict_.others;
  f.next_step = RemedyFor(said.remedy, program_);
  f.panel = said.panel;
}

}  // namespace

Program ProgramOf(const Trace& trace, const StepDatabase& db) {
  Program program = ProgramOf(trace);
  if (db.graph_share >= kMostlyGraphs) program.build = Build::kGraphs;
  return program;
}

std::vector<StepTimeGroup> StepTimeGroups() {
  std::vector<StepTimeGroup> groups = {{"device", "Compute"},
                                       {"on_device", "Copies on the device"}};
  for (const LossKind& kind : kLosses) groups.push_back({kind.id, kind.label});
  return groups;
}

std::vector<double> GroupedStepTimes(const Step& step) {
  constexpr size_t kOwn = 2;  // what the device does itself: compute, copies and fills
  std::vector<double> groups(kOwn + kLosses.size());
  const std::array<double, kStepTimeClasses> times = ClassTimesOf(step);
  for (size_t c = 0; c < kStepTimeClasses; ++c) {
    const auto cls = static_cast<StepTimeClass>(c);
    const size_t of = LossOf(cls), own = cls == StepTimeClass::kDeviceToDevice ? 1 : 0;
    groups[of < kLosses.size() ? kOwn + of : own] += times[c];
  }
  return groups;
}

Verdict Judge(const Trace& trace, const StepDatabase& db, bool whole, const KindsOfSteps& kinds,
              std::span<const AsyncWait> waits, std::span<const uint8_t> on_host) {
  return Judgement(trace, db, whole, kinds, waits, on_host).Make();
}

}  // namespace stepscope
