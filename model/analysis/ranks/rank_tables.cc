#include "model/analysis/ranks/rank_tables.h"

#include <algorithm>

#include "model/analysis/tables/in_unit.h"
#include "model/shift_hosts.h"

namespace stepscope {
namespace {

using V = ValueType;

constexpr size_t kMostListed = 20'000;
constexpr size_t kMostCalls = 250'000;

double Percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

std::vector<ColumnDesc> RankColumns() {
  return {
      {"rank", "Rank", Unit::kNone, V::kInt, "its own number, else its place", true},
      {"host", "Host", Unit::kNone, V::kString, ""},
      {"clock_offset_us", "Clock offset", Unit::kUs, V::kReal,
       "how far its clock is ahead of the first rank's, by the ends of common collectives "
       "(median)"},
      {"residual_us", "Residual", Unit::kUs, V::kReal,
       "median distance of its ends from the median end, clocks aligned"},
      {"step_ms_median", "Step", Unit::kMs, V::kReal, "median of the steps that count", true},
      {"late_percent", "Late", Unit::kPercent, V::kReal,
       "steps in which the others waited for it the longest / steps with collectives", true},
      {"late_by_us_median", "Late by", Unit::kUs, V::kReal,
       "after the median arrival of the others; median over collectives that it was late to", true},
      {"cause", "Cause", Unit::kNone, V::kString,
       "what it does longer than the others' median from its last collective to its arrival", true},
      {"cause_event", "Host event", Unit::kNone, V::kString,
       "the event that its host is in meanwhile"},
      {"busy_ms_median", "Busy", Unit::kMs, V::kReal,
       "compute and copies of a step; median of the steps that count"},
      {"steps", "Steps", Unit::kCount, V::kInt, ""},
      {"collectives", "Collectives", Unit::kCount, V::kInt, ""},
      {"missing", "Missing", Unit::kCount, V::kInt, "collectives of its groups without it"},
      {"coordinates", "Coordinates", Unit::kNone, V::kString, "of the file's name"},
      {"device", "Device", Unit::kNone, V::kString, ""}};
}

std::string DevicesOf(const Trace& trace, const Rank& rank) {
  std::string text;
  for (const PlaneId device : rank.devices) {
    const Plane& plane = trace.planes[device.value];
    text += text.empty() ? "" : ", ";
    text += plane.display_name.empty() ? std::string(trace.names().strings.View(plane.name))
                                       : plane.display_name;
  }
  return text;
}

// How far a rank's clock was ahead of the first rank's when it was recorded.
Ps RecordedOffset(const Trace& trace, const RankFacts& facts, size_t rank) {
  const Ps own = ClockOffsetOf(trace, facts.ranks[rank].host);
  const Ps first = ClockOffsetOf(trace, facts.ranks.front().host);
  return SaturatingAdd(facts.clocks[rank].offset, SaturatingSub(own, first));
}

// The calls to which each rank was late, or in which it took part if it never was late.
std::vector<std::vector<EventRow>> RowsOfRanks(const RankFacts& facts) {
  std::vector<std::vector<EventRow>> late(facts.ranks.size()), all(facts.ranks.size());
  for (const LateCollective& c : facts.lateness.collectives) {
    const CollectiveCall& last = facts.calls.calls[c.last];
    if (c.late) late[last.rank].emplace_back(last.row);
  }
  for (const CollectiveCall& call : facts.calls.calls) {
    if (late[call.rank].empty()) all[call.rank].emplace_back(call.row);
  }
  for (size_t r = 0; r < late.size(); ++r) {
    if (late[r].empty()) late[r] = std::move(all[r]);
  }
  return late;
}

std::vector<ColumnDesc> CollectiveColumns() {
  return {{"step", "Step", Unit::kNone, V::kInt, "in which the first participant's begins"},
          {"group", "Group", Unit::kNone, V::kString, "the process group, where it is recorded"},
          {"name", "Collective", Unit::kNone, V::kString, "", true},
          {"last_rank", "Last rank", Unit::kNone, V::kInt, "which arrives last", true},
          {"late_by_us", "Late by", Unit::kUs, V::kReal,
           "from the median arrival of the others to the last, clocks aligned", true},
          {"duration_us", "Duration", Unit::kUs, V::kReal,
           "the shortest of all participants: of the one that waits least"},
          {"algorithm_gbps", "Alg. GB/s", Unit::kNone, V::kReal,
           "bytes of the larger side / duration; 1 GB = 10^9 bytes"},
          {"bus_gbps", "Bus GB/s", Unit::kNone, V::kReal,
           "algorithm bandwidth * 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, "
           "reduce-scatter and all-to-all, 1 else (nccl-tests)"},
          {"missing", "Missing", Unit::kNone, V::kString,
           "ranks of the group that were recording and did not take part"},
          {"cause", "Cause", Unit::kNone, V::kString, "why the last one is late", true},
          {"participants", "Participants", Unit::kCount, V::kInt, "in the trace"},
          {"bytes", "Bytes", Unit::kBytes, V::kInt, "of the larger side, as recorded"}};
}

// Computes bandwidths from the arguments of collectives.
class Bandwidth {
 public:
  Bandwidth(AnalysisContext& context, std::stop_token stop) : stats_(context.stats(stop)) {}

  std::optional<int64_t> Bytes(EventRow row) const {
    const int64_t in = stats_.Int(IntStat::kInElements).Find(row).value_or(0);
    const int64_t out = stats_.Int(IntStat::kOutElements).Find(row).value_or(0);
    const auto type = stats_.Text(StringStat::kElementType).Find(row);
    const int64_t each = type ? ElementBytes(stats_.strings->View(*type)) : 0;
    int64_t bytes = 0;
    if (each == 0 || std::max(in, out) <= 0) return std::nullopt;
    if (__builtin_mul_overflow(std::max(in, out), each, &bytes)) return std::nullopt;
    return bytes;
  }
  // The recorded size of the process group, else the number of ranks that take part.
  int64_t Participants(EventRow row, size_t found) const {
    const int64_t size = stats_.Int(IntStat::kGroupSize).Find(row).value_or(0);
    return size > 0 ? size : static_cast<int64_t>(found);
  }

 private:
  const StatTable& stats_;
};

std::string MissingText(const RankFacts& facts, const PairedCollective& c) {
  constexpr size_t kMost = 8;
  const std::vector<uint32_t> missing =
      MissingFrom(facts.calls, c, facts.clocks, facts.recording, kMost + 1);
  std::string text;
  for (size_t i = 0; i < std::min(missing.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(facts.ranks[missing[i]].number);
  return missing.size() > kMost ? text + ", …" : text;
}

TimeRange SpanOf(std::span<const CollectiveCall> calls) {
  TimeRange span{calls.front().begin, calls.front().end};
  for (const CollectiveCall& call : calls) {
    span.begin = std::min(span.begin, call.begin);
    span.end = std::max(span.end, call.end);
  }
  return span;
}

}  // namespace

Value MedianOfSteps(const std::vector<RankStep>& steps, Ps RankStep::*field) {
  std::vector<Ps> values, all;
  for (const RankStep& step : steps) {
    all.push_back(step.*field);
    if (step.counts) values.push_back(step.*field);
  }
  if (values.empty()) values = std::move(all);
  if (values.empty()) return {};
  return InMs(MedianOf(&values));
}

Value SpreadPercent(const RankFacts& facts, Ps RankStep::*field) {
  std::vector<double> medians;
  for (const std::vector<RankStep>& steps : facts.steps) {
    const Value median = MedianOfSteps(steps, field);
    if (const double* ms = std::get_if<double>(&median)) medians.push_back(*ms);
  }
  std::sort(medians.begin(), medians.end());
  if (medians.size() < 2) return {};
  const double middle = medians[(medians.size() - 1) / 2];
  if (middle <= 0) return {};
  return 100 * (medians.back() - medians.front()) / middle;
}

std::vector<uint32_t> ListedCollectives(const CollectiveCalls& calls, const Lateness& lateness) {
  std::vector<uint32_t> listed;
  for (uint32_t i = 0; i < calls.paired.size(); ++i) {
    const LateCollective& c = lateness.collectives[i];
    if (c.several || c.missing) listed.push_back(i);
  }
  const auto key = [&](uint32_t i) {
    const LateCollective& c = lateness.collectives[i];
    const CollectiveCall& first = calls.calls[calls.paired[i].first];
    return std::make_tuple(!c.missing, -c.late_by, first.step, first.begin, i);
  };
  std::sort(listed.begin(), listed.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  size_t sum = 0, most = 0;
  while (most < std::min(listed.size(), kMostListed) && sum < kMostCalls)
    sum += calls.paired[listed[most++]].count;
  listed.resize(most);
  return listed;
}

ResultTable RankTable(const Trace& trace, const RankFacts& facts) {
  ResultTable t{"ranks", "Ranks", RankColumns(), {}, {}};
  std::vector<int64_t> calls(facts.ranks.size());
  for (const CollectiveCall& call : facts.calls.calls) ++calls[call.rank];
  std::vector<std::vector<EventRow>> rows = RowsOfRanks(facts);
  for (size_t r = 0; r < facts.ranks.size(); ++r) {
    const Rank& rank = facts.ranks[r];
    const RankClock& clock = facts.clocks[r];
    const RankLateness& late = facts.lateness.ranks[r];
    const LateCause& cause = facts.causes.ranks[r];
    const bool joined = clock.aligned && clock.component == 0;
    std::vector<Ps> by = late.late_by;
    t.rows.push_back({rank.number, SharedText(trace.HostName(rank.host)),
                      joined ? InUs(RecordedOffset(trace, facts, r)) : Value(),
                      clock.aligned ? InUs(clock.residual) : Value(),
                      MedianOfSteps(facts.steps[r], &RankStep::total),
                      clock.aligned ? Value(Percent(late.steps, facts.lateness.steps)) : Value(),
                      by.empty() ? Value() : InUs(MedianOf(&by)), TextOf(cause), cause.event,
                      MedianOfSteps(facts.steps[r], &RankStep::busy),
                      static_cast<int64_t>(facts.steps[r].size()), calls[r],
                      static_cast<int64_t>(late.missing), rank.coordinates,
                      DevicesOf(trace, rank)});
    t.links.push_back(LinkTo(EventRows(std::move(rows[r]))));
  }
  return t;
}

ResultTable CollectiveTable(AnalysisContext& context, const RankFacts& facts,
                            std::stop_token stop) {
  ResultTable t{"collectives", "Collectives", CollectiveColumns(), {}, {}};
  const Bandwidth bandwidth(context, stop);
  if (facts.listed.size() == kMostListed) t.title += " (the 20,000 with the most lateness)";
  for (size_t i = 0; i < facts.listed.size(); ++i) {
    if (stop.stop_requested()) break;
    const PairedCollective& c = facts.calls.paired[facts.listed[i]];
    const LateCollective& late = facts.lateness.collectives[facts.listed[i]];
    const auto of = facts.calls.Of(c);
    const CollectiveCalls::Name& name = facts.calls.names[of.front().name];
    const EventRow row(of.front().row);
    const std::optional<int64_t> bytes = bandwidth.Bytes(row);
    Value algorithm, bus;
    if (bytes && late.several && late.transfer > 0) {
      // 1 byte per ps is 10^12 bytes a second.
      const double gbps = 1000 * static_cast<double>(*bytes) / static_cast<double>(late.transfer);
      algorithm = gbps;
      bus = gbps * BusFactor(name.kind, bandwidth.Participants(row, of.size()));
    }
    t.rows.push_back(
        {of.front().in_step ? Value(of.front().step) : Value(),
         facts.calls.groups[of.front().group].name, name.text,
         late.several ? Value(facts.ranks[facts.calls.calls[late.last].rank].number) : Value(),
         late.several ? InUs(late.late_by) : Value(), late.several ? InUs(late.transfer) : Value(),
         algorithm, bus, late.missing ? MissingText(facts, c) : std::string(),
         TextOf(facts.causes.collectives[i]), static_cast<int64_t>(c.count),
         bytes ? Value(*bytes) : Value()});
    std::vector<EventRow> rows;
    for (const CollectiveCall& call : of) rows.emplace_back(call.row);
    t.links.push_back(LinkTo(EventRows(std::move(rows))));
    t.links.back().range = SpanOf(of);
  }
  return t;
}

}  // namespace stepscope
