#include "model/analysis/ranks/ranks.h"

#include <algorithm>
#include <set>
#include <utility>

#include "model/analysis/ranks/gather_facts.h"
#include "model/analysis/tables/schema.h"
#include "model/base/statistics.h"

namespace stepscope {
namespace {

const Schema<RankRow>& RankSchema() {
  using R = RankRow;
  static const Schema<R> schema(
      "ranks", "Ranks",
      {{"rank", "Rank", Unit::kNone, &R::number, "its own number, else its place", kKeyColumn},
       {"host", "Host", Unit::kNone, &R::host},
       {"clock_offset_us", "Clock offset", Unit::kUs, &R::clock_offset,
        "how far its clock is ahead of the first rank's, by the ends of common collectives "
        "(median)"},
       {"residual_us", "Residual", Unit::kUs, &R::residual,
        "median distance of its ends from the median end, clocks aligned"},
       {"step_ms_median", "Step", Unit::kMs, &R::step, "median of the steps that count",
        kKeyColumn},
       {"late_percent", "Late", Unit::kPercent, &R::late_percent,
        "steps in which the others waited for it the longest / steps with collectives", kKeyColumn},
       {"late_by_us_median", "Late by", Unit::kUs, &R::late_by,
        "after the median arrival of the others; median over collectives that it was late to",
        kKeyColumn},
       {"cause", "Cause", Unit::kNone, [](const R& r) { return TextOf(r.cause); },
        "what it does longer than the others' median from its last collective to its arrival",
        kKeyColumn},
       {"cause_event", "Host event", Unit::kNone, [](const R& r) { return r.cause.event; },
        "the event that its host is in meanwhile"},
       {"busy_ms_median", "Busy", Unit::kMs, &R::busy,
        "compute and copies of a step; median of the steps that count"},
       {"steps", "Steps", Unit::kCount, &R::steps},
       {"collectives", "Collectives", Unit::kCount, &R::collectives},
       {"missing", "Missing", Unit::kCount, &R::missing, "collectives of its groups without it"},
       {"coordinates", "Coordinates", Unit::kNone, &R::coordinates, "of the file's name"},
       {"device", "Device", Unit::kNone, &R::devices}},
      [](const R& r, const NoFacts&) { return LinkTo(r.rows); });
  return schema;
}

const Schema<CollectiveRow>& CollectiveSchema() {
  using C = CollectiveRow;
  static const Schema<C> schema(
      "collectives", "Collectives",
      {{"step", "Step", Unit::kNone, &C::step, "in which the first participant's begins"},
       {"group", "Group", Unit::kNone, &C::group, "the process group, where it is recorded"},
       {"name", "Collective", Unit::kNone, &C::name, "", kKeyColumn},
       {"last_rank", "Last rank", Unit::kNone, &C::last_rank, "which arrives last", kKeyColumn},
       {"late_by_us", "Late by", Unit::kUs, &C::late_by,
        "from the median arrival of the others to the last, clocks aligned", kKeyColumn},
       {"duration_us", "Duration", Unit::kUs, &C::duration,
        "the shortest of all participants: of the one that waits least"},
       {"algorithm_gbps", "Alg. GB/s", Unit::kNone, &C::algorithm_gbps,
        "bytes of the larger side / duration; 1 GB = 10^9 bytes"},
       {"bus_gbps", "Bus GB/s", Unit::kNone, &C::bus_gbps,
        "algorithm bandwidth * 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, "
        "reduce-scatter and all-to-all, 1 else (nccl-tests)"},
       {"missing", "Missing", Unit::kNone, &C::missing,
        "ranks of the group that were recording and did not take part"},
       {"cause", "Cause", Unit::kNone, [](const C& c) { return TextOf(c.cause); },
        "why the last one is late", kKeyColumn},
       {"participants", "Participants", Unit::kCount, &C::participants, "in the trace"},
       {"bytes", "Bytes", Unit::kBytes, &C::bytes, "of the larger side, as recorded"}},
      [](const C& c, const NoFacts&) {
        RowLink link = LinkTo(c.rows);
        link.range = c.span;
        return link;
      });
  return schema;
}

struct StepFacts {
  std::span<const int64_t> numbers;  // of the ranks
  const std::vector<std::vector<RankStep>>& steps;
  const RankStep& StepOf(const LateStep& late) const { return steps[late.rank][late.step]; }
};

const Schema<LateStep, StepFacts>& StepSchema() {
  using S = LateStep;
  using F = StepFacts;
  static const Schema<S, F> schema(
      "rank_steps", "Steps",
      {{"rank", "Rank", Unit::kNone, [](const S& s, const F& f) { return f.numbers[s.rank]; }, "",
        kKeyColumn},
       {"step", "Step", Unit::kNone, [](const S& s, const F& f) { return f.StepOf(s).number; }, "",
        kKeyColumn},
       {"late_us", "Late by", Unit::kUs, &S::late,
        "sum over the step's collectives to which it came last, from the median arrival of the "
        "others; clocks aligned",
        kKeyColumn},
       {"step_ms", "Step time", Unit::kMs, [](const S& s, const F& f) { return f.StepOf(s).total; },
        "", kKeyColumn},
       {"busy_ms", "Busy", Unit::kMs, [](const S& s, const F& f) { return f.StepOf(s).busy; },
        "compute and copies"}});
  return schema;
}

// How far a rank's clock was ahead of the first rank's when it was recorded.
Ps RecordedOffset(const RankJob& job, size_t rank) {
  const Ps own = job.ranks[rank].clock_taken, first = job.ranks.front().clock_taken;
  return SaturatingAdd(job.clocks[rank].offset, SaturatingSub(own, first));
}

// The calls to which each rank was late, or in which it took part if it never was late.
std::vector<std::vector<EventRow>> RowsOfRanks(const RankJob& job) {
  std::vector<std::vector<EventRow>> late(job.ranks.size()), all(job.ranks.size());
  for (const LateCollective& c : job.lateness.collectives) {
    const CollectiveCall& last = job.calls.calls[c.last];
    if (c.late) late[last.rank].emplace_back(last.row);
  }
  for (const CollectiveCall& call : job.calls.calls) {
    if (late[call.rank].empty()) all[call.rank].emplace_back(call.row);
  }
  for (size_t r = 0; r < late.size(); ++r) {
    if (late[r].empty()) late[r] = std::move(all[r]);
  }
  return late;
}

double Percent(uint64_t part, uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

RankRow RowOf(const RankJob& job, size_t r) {
  const Rank& rank = job.ranks[r];
  const RankClock& clock = job.clocks[r];
  const RankLateness& late = job.lateness.ranks[r];
  RankRow row;
  row.number = rank.number, row.host = rank.host_name;
  row.coordinates = rank.coordinates, row.devices = rank.device_names;
  if (clock.aligned && clock.component == 0) row.clock_offset = RecordedOffset(job, r);
  if (clock.aligned) row.residual = clock.residual;
  if (clock.aligned) row.late_percent = Percent(late.steps, job.lateness.steps);
  row.step = MedianOfSteps(job.steps[r], &RankStep::total);
  row.busy = MedianOfSteps(job.steps[r], &RankStep::busy);
  std::vector<Ps> by = late.late_by;
  if (!by.empty()) row.late_by = Median(by);
  row.cause = job.causes.ranks[r];
  row.steps = job.steps[r].size(), row.missing = late.missing;
  return row;
}

std::vector<RankRow> RankRows(const RankJob& job, bool with_events) {
  std::vector<RankRow> rows;
  std::vector<std::vector<EventRow>> events = RowsOfRanks(job);
  for (size_t r = 0; r < job.ranks.size(); ++r) {
    rows.push_back(RowOf(job, r));
    if (with_events) rows.back().rows = EventRows(std::move(events[r]));
  }
  for (const CollectiveCall& call : job.calls.calls) ++rows[call.rank].collectives;
  return rows;
}

std::string MissingText(const RankJob& job, const PairedCollective& c) {
  constexpr size_t kMost = 8;
  const std::vector<uint32_t> missing =
      MissingFrom(job.calls, c, job.clocks, job.recording, kMost + 1);
  std::string text;
  for (size_t i = 0; i < std::min(missing.size(), kMost); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(job.ranks[missing[i]].number);
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

// 1 byte per ps is 10^12 bytes a second. The recorded size of the process group counts, else the
// number of ranks that take part.
void SetBandwidth(const RankCall& first, CollectiveKind kind, CollectiveRow* row) {
  if (first.bytes >= 0) row->bytes = first.bytes;
  if (first.bytes < 0 || row->duration.value_or(0) <= 0) return;
  row->algorithm_gbps =
      1000 * static_cast<double>(first.bytes) / static_cast<double>(*row->duration);
  row->bus_gbps = *row->algorithm_gbps *
                  BusFactor(kind, first.group_size > 0 ? first.group_size : row->participants);
}

CollectiveRow RowOf(std::span<const RankFacts> facts, const RankJob& job, uint32_t collective) {
  const PairedCollective& c = job.calls.paired[collective];
  const LateCollective& late = job.lateness.collectives[collective];
  const CollectiveCall& first = job.calls.Of(c).front();
  const CollectiveCalls::Name& name = job.calls.names[first.name];
  CollectiveRow row;
  row.group = job.calls.groups[first.group].name, row.name = name.text;
  if (first.in_step) row.step = first.step;
  if (late.several) {
    row.last_rank = job.ranks[job.calls.calls[late.last].rank].number;
    row.late_by = late.late_by, row.duration = late.transfer;
  }
  if (late.missing) row.missing = MissingText(job, c);
  row.participants = c.count;
  SetBandwidth(facts[first.rank].calls[first.at], name.kind, &row);
  row.span = SpanOf(job.calls.Of(c));
  return row;
}

std::vector<CollectiveRow> CollectiveRows(std::span<const RankFacts> facts, const RankJob& job,
                                          bool with_events) {
  std::vector<CollectiveRow> rows;
  for (size_t i = 0; i < job.listed.size(); ++i) {
    rows.push_back(RowOf(facts, job, job.listed[i]));
    rows.back().cause = job.causes.collectives[i];
    if (!with_events) continue;
    std::vector<EventRow> events;
    for (const CollectiveCall& call : job.calls.Of(job.calls.paired[job.listed[i]]))
      events.emplace_back(call.row);
    rows.back().rows = EventRows(std::move(events));
  }
  return rows;
}

struct InStep {
  bool any = false;  // a collective of several ranks, or of one
  Ps late = 0;       // sum over the collectives to which the rank came last
  std::vector<EventRow> calls, late_calls;
};

// The collectives in each step of one rank.
class StepsOfRank {
 public:
  explicit StepsOfRank(const std::vector<RankStep>& steps) : in_(steps.size()) {
    for (uint32_t i = 0; i < steps.size(); ++i) order_.emplace_back(steps[i].number, i);
    std::sort(order_.begin(), order_.end());
  }
  InStep& operator[](size_t step) { return in_[step]; }
  // Null for a step that the rank does not have. O(1) where numbers follow each other.
  InStep* Find(int64_t number) {
    if (order_.empty()) return nullptr;
    const auto guess = static_cast<uint64_t>(number) - static_cast<uint64_t>(order_.front().first);
    if (guess < order_.size() && order_[guess].first == number) return &in_[order_[guess].second];
    const auto it = std::lower_bound(order_.begin(), order_.end(), std::pair(number, 0u));
    return it == order_.end() || it->first != number ? nullptr : &in_[it->second];
  }

 private:
  std::vector<std::pair<int64_t, uint32_t>> order_;  // number and place, by number
  std::vector<InStep> in_;
};

std::vector<StepsOfRank> CallsOfSteps(const RankJob& job, bool with_events) {
  std::vector<StepsOfRank> found;
  for (const std::vector<RankStep>& steps : job.steps) found.emplace_back(steps);
  found.resize(job.ranks.size(), StepsOfRank({}));
  for (const CollectiveCall& call : job.calls.calls) {
    InStep* in = call.in_step ? found[call.rank].Find(call.step) : nullptr;
    if (in == nullptr) continue;
    in->any = true;
    if (with_events) in->calls.emplace_back(call.row);
  }
  for (const LateCollective& c : job.lateness.collectives) {
    const CollectiveCall& last = job.calls.calls[c.last];
    if (!c.several || !c.late || !last.in_step) continue;
    InStep* in = found[last.rank].Find(last.step);
    if (in == nullptr) continue;
    in->late = SaturatingAdd(in->late, c.late_by);
    if (with_events) in->late_calls.emplace_back(last.row);
  }
  return found;
}

// The last step to list, so that all ranks have the same ones.
int64_t LastListed(const RankJob& job, size_t most_rows) {
  std::set<int64_t> numbers;
  for (const std::vector<RankStep>& steps : job.steps) {
    for (const RankStep& step : steps) numbers.insert(step.number);
  }
  const size_t most = most_rows / std::max<size_t>(1, job.ranks.size());
  if (numbers.empty() || most == 0) return -1;
  return *std::next(numbers.begin(),
                    static_cast<std::ptrdiff_t>(std::min(most, numbers.size()) - 1));
}

}  // namespace

LateSteps FindLateSteps(const RankJob& job, bool with_events, size_t most) {
  LateSteps found;
  std::vector<StepsOfRank> calls = CallsOfSteps(job, with_events);
  const int64_t last = LastListed(job, most);
  bool cut = false;
  for (uint32_t r = 0; r < job.steps.size(); ++r) {
    for (uint32_t i = 0; i < job.steps[r].size(); ++i) {
      cut = cut || job.steps[r][i].number > last;
      if (job.steps[r][i].number > last) continue;
      InStep& in = calls[r][i];
      found.rows.push_back({r, i, in.any ? std::optional(in.late) : std::nullopt});
      if (with_events)
        found.events.emplace_back(std::move(in.late_calls.empty() ? in.calls : in.late_calls));
    }
  }
  if (cut) found.title += " (up to " + std::to_string(last) + ")";
  return found;
}

Ranks RanksOf(std::span<const RankFacts> facts, RankJob job, bool with_events) {
  Ranks ranks;
  ranks.with_events = with_events;
  if (facts.size() < 2) return ranks;
  ranks.ranks = RankRows(job, with_events);
  ranks.collectives = CollectiveRows(facts, job, with_events);
  ranks.all_collectives = job.listed.size() < kMostListedCollectives;
  ranks.late_steps = FindLateSteps(job, with_events);
  ranks.summary = Summarize(job);
  ranks.steps = std::move(job.steps);
  return ranks;
}

Ranks Ranks::Compute(AnalysisContext& context, const AnalysisParams& params) {
  const std::vector<RankFacts> facts = GatherFacts(context, params, FactsDepth::kWaits);
  CheckStop();
  const StepDatabase& db = context.Get<StepDatabase>();
  const Scope scope(context.trace(), params, db);
  std::vector<Rank> ranks;
  for (const RankFacts& f : facts) ranks.push_back(f.rank);
  const JobPart part{
      [&](const Rank& rank, Ps begin) { return scope.OfHost(rank.host).Contains(begin); },
      StepsOfRanks(ranks, db, scope)};
  Ranks found = RanksOf(facts, PutTogether(facts, &part), true);
  for (size_t r = 0; r < found.ranks.size(); ++r) {
    const HostId host = facts[r].rank.host;
    found.ranks[r].cut = host.valid() && context.trace().hosts[host.value].cut;
    if (!facts[r].steps.empty()) found.ranks[r].last_step = facts[r].steps.back().number;
  }
  return found;
}

ResultTable LateStepTable(const LateSteps& late, std::span<const int64_t> numbers,
                          const std::vector<std::vector<RankStep>>& steps) {
  const StepFacts facts{numbers, steps};
  ResultTable table = StepSchema().Make(late.rows, facts);
  table.title = late.title;
  for (size_t i = 0; i < late.events.size(); ++i) {
    table.links.push_back(LinkTo(late.events[i]));
    table.links.back().range = facts.StepOf(late.rows[i]).span;
  }
  return table;
}

std::vector<ResultTable> TablesOf(const Ranks& ranks) {
  std::vector<int64_t> numbers;
  for (const RankRow& rank : ranks.ranks) numbers.push_back(rank.number);
  std::vector<ResultTable> tables = {RankSchema().Make(ranks.ranks),
                                     CollectiveSchema().Make(ranks.collectives),
                                     LateStepTable(ranks.late_steps, numbers, ranks.steps)};
  if (!ranks.all_collectives) tables[1].title += " (the 20,000 with the most lateness)";
  if (ranks.with_events) return tables;
  for (ResultTable& table : tables) table.links.clear();
  return tables;
}

}  // namespace stepscope
