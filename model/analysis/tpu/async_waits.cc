#include "model/analysis/tpu/async_waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

constexpr size_t kMostBehind = 4096;  // ops behind a wait that are looked through for its reader

std::string_view CategoryOf(const StatTable& stats, EventRow row) {
  return stats.strings->View(stats.Text(StringStat::kHloCategory).Find(row).value_or(StringId(0)));
}

// "5 GiB", "1.5 KiB": powers of 1024, as the pages of HLO ops have them.
std::string BinaryText(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_';
}

// Whether the op's text has the whole name behind a sign: "%copy-done.1", not "%copy-done.11".
bool Reads(std::string_view text, std::string_view name) {
  for (size_t at = text.find('%', 1); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (text.substr(at + 1, name.size()) != name) continue;
    const size_t end = at + 1 + name.size();
    if (end >= text.size() || !IsNameChar(text[end])) return true;
  }
  return false;
}

}  // namespace

double AsyncWait::BytesPerSecond() const {
  if (on_link <= 0 || bytes <= 0) return 0;
  return bytes * static_cast<double>(links) / (static_cast<double>(on_link) / kPsPerS);
}

const char* LabelOf(CoreWork work) {
  static constexpr std::array<const char*, 7> kLabels = {
      "compute",    "host to device", "device to host", "on the device",
      "collective", "infeed",         "outfeed"};
  const auto index = static_cast<size_t>(work);
  return index < kLabels.size() ? kLabels[index] : "";
}

std::string TextOf(const AsyncWait& wait) {
  static constexpr std::array<const char*, 7> kWhere = {"",
                                                        " from the host's memory",
                                                        " to the host's memory",
                                                        " on the device",
                                                        " of a collective",
                                                        " of the infeed",
                                                        " to the outfeed"};
  std::string text = wait.bytes > 0 ? BinaryText(wait.bytes) : std::string("data");
  text += kWhere[static_cast<size_t>(wait.work)];
  if (const double rate = wait.BytesPerSecond(); rate > 0) text += " at " + BinaryText(rate) + "/s";
  if (!wait.needed_by.empty()) text += ", which " + wait.needed_by + " needs";
  return text;
}

std::string AsyncWaits::NeededBy(std::span<const CoreOp> ops, size_t done) const {
  for (size_t i = done + 1; i < std::min(ops.size(), done + kMostBehind); ++i) {
    if (ops[i].program != ops[done].program || ops[i].name == ops[done].name) break;
    const bool reads = Reads(trace_.names().Name(MetaId(ops[i].meta)), ops[done].name);
    if (reads) return std::string(ops[i].name);
  }
  return {};
}

void AsyncWaits::Add(std::span<const CoreOp> ops, size_t done, CoreWork work, Ps started, Ps free) {
  const CoreOp& op = ops[done];
  AsyncWait& wait = waits_[{op.program, op.name}];
  if (wait.count == 0) {
    wait.name = op.name;
    wait.work = work;
    wait.needed_by = NeededBy(ops, done);
    wait.bytes = static_cast<double>(stats_.Int(IntStat::kBytesAccessed).Find(op.row).value_or(0));
  }
  ++wait.count;
  wait.waited += op.self;
  wait.in_flight += SaturatingSub(op.end(), started);
  if (op.self >= kShownWait) {
    wait.on_link += SaturatingSub(op.end(), std::max(started, free));
    ++wait.links;
  }
  if (op.self > wait.longest || !wait.row.valid()) wait.longest = op.self, wait.row = op.row;
}

void AsyncWaits::AddCore(std::span<const CoreOp> ops,
                         std::span<const std::pair<size_t, size_t>> parts) {
  std::unordered_map<std::string_view, Ps> started;  // by name of the op, the latest
  std::array<Ps, 8> free{};                          // by CoreWork, when its link is free again
  free.fill(kMinPs);
  auto part = parts.begin();
  for (size_t i = 0; i < ops.size(); ++i) {
    while (part != parts.end() && part->second <= i) ++part;
    const CoreOp& op = ops[i];
    const std::string_view category = CategoryOf(stats_, op.row);
    if (IsStart(category)) started[op.name] = op.begin;
    if (!IsDone(category)) continue;
    const std::string_view text = trace_.names().Name(MetaId(op.meta));
    const auto start = started.find(LastOperandOf(text));
    const Ps since = start != started.end() ? start->second : op.begin;
    const CoreWork work = WorkOf(category, text);
    Ps& link = free[static_cast<size_t>(work)];
    if (part != parts.end() && part->first <= i) Add(ops, i, work, since, link);
    if (op.self >= kShownWait) link = op.end();
  }
}

std::vector<AsyncWait> AsyncWaits::Take() {
  std::vector<AsyncWait> waits;
  for (auto& [key, wait] : waits_) waits.push_back(std::move(wait));
  std::stable_sort(waits.begin(), waits.end(),
                   [](const AsyncWait& a, const AsyncWait& b) { return a.waited > b.waited; });
  return waits;
}

ResultTable AsyncWaitTable(std::span<const AsyncWait> waits, double step_ps) {
  using W = AsyncWait;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  const auto known = [](double value) { return value > 0 ? std::optional(value) : std::nullopt; };
  static const Schema<W, double> schema(
      "async_waits", "Waits of the cores",
      {{"operation", "Op", Unit::kNone, &W::name, "it waits until asynchronous work is done"},
       {"what", "What", Unit::kNone, [](const W& w) { return LabelOf(w.work); }},
       {"needed_by", "Needed by", Unit::kNone, &W::needed_by, "the first op that reads the result",
        kKeyColumn},
       {"count", "Count", Unit::kCount, &W::count, "on all cores, in the steps that count"},
       {"waitMs", "Wait", Unit::kMs, &W::wait_ms, "mean", kKeyColumn},
       {"percent", "Share", Unit::kPercent,
        [](const W& w, double step) {
          return step > 0 ? 100 * static_cast<double>(w.waited) / step : 0.0;
        },
        "of the step time", kKeyColumn},
       {"inFlightMs", "In flight", Unit::kMs, &W::in_flight_ms,
        "mean, from the begin of the op that starts the work to the end of the wait", kKeyColumn},
       {"hiddenMs", "Hidden", Unit::kMs, [](const W& w) { return w.in_flight_ms() - w.wait_ms(); },
        "in flight, while other ops run"},
       {"bytes", "Bytes", Unit::kBytes, [known](const W& w) { return known(w.bytes); }, "of one"},
       {"gib_per_s", "GiB/s", Unit::kNone,
        [known](const W& w) { return known(w.BytesPerSecond() / kGib); },
        "bytes / time from the start, or from the end of the work of its kind before it, to the "
        "end; empty where no wait shows the end",
        kKeyColumn}},
      [](const W& w, double) { return LinkTo(EventRows({w.row})); });
  return schema.Make(waits, step_ps);
}

}  // namespace stepscope
