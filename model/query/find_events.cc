#include "model/query/find_events.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "model/analysis/analysis.h"
#include "model/base/ascii.h"
#include "model/base/key_table.h"
#include "model/jobs/job.h"
#include "model/stat_reader.h"
#include "model/string_pool.h"

namespace stepscope {
namespace {

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

// Whether the stat and the text are the same number without rounding either.
bool IsNumber(const Stat& stat, std::string_view text) {
  const std::optional<double> real = Number<double>(text);
  if (const auto* d = std::get_if<double>(&stat.value)) return real && *real == *d;
  const bool whole = text.find_first_of(".eE") == text.npos;
  if (const auto* i = std::get_if<int64_t>(&stat.value)) {
    if (whole) return Number<int64_t>(text) == *i;
    return real && *real == static_cast<double>(*i) && std::abs(*real) < 0x1p53;
  }
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) {
    if (whole) return Number<uint64_t>(text) == *u;
    return real && *real == static_cast<double>(*u) && std::abs(*real) < 0x1p53;
  }
  return false;
}

bool IsValue(const Stat& stat, std::string_view text) {
  if (const auto* s = std::get_if<std::string>(&stat.value)) return *s == text;
  return IsNumber(stat, text) || ToText(stat) == text;
}

// Keys whose values all loaders put into one column.
constexpr KeyRow<IntStat> kIntKeys[] = {
    {"External id", IntStat::kExternalId},
    {"consumer_id", IntStat::kConsumerId},
    {"correlation", IntStat::kCorrelationId},
    {"correlation_id", IntStat::kCorrelationId},
    {"group_id", IntStat::kGroupId},
    {"iter_num", IntStat::kIterNum},
    {"producer_id", IntStat::kProducerId},
    {"program_id", IntStat::kProgramId},
    {"run_id", IntStat::kRunId},
    {"step_num", IntStat::kStepNum},
};
constexpr KeyRow<StringStat> kTextKeys[] = {
    {"hlo_category", StringStat::kHloCategory},
    {"hlo_module", StringStat::kHloModule},
    {"hlo_op", StringStat::kHloOp},
    {"kernel_details", StringStat::kKernelDetails},
    {"memcpy_details", StringStat::kMemcpyDetails},
    {"tf_op", StringStat::kTfOp},
};
static_assert(IsSortedByKey(kIntKeys) && IsSortedByKey(kTextKeys));

RowBits RowsOfInt(const SparseColumn<int64_t>& column, int64_t wanted, uint32_t rows) {
  RowBits found(rows);
  column.ForAll([&](uint32_t row, int64_t value) {
    if (value == wanted) found.Set(row);
  });
  return found;
}

RowBits RowsOfText(const QueryTerm& term, const SparseColumn<StringId>& column,
                   const StringPool& strings, uint32_t rows) {
  std::vector<uint8_t> wanted(strings.size());
  for (uint32_t i = 0; i < strings.size(); ++i) {
    const std::string_view text = strings.View(StringId(i));
    wanted[i] = term.kind == QueryTerm::Kind::kArgument ? text == term.text
                                                        : ContainsLower(text, term.text);
  }
  RowBits found(rows);
  column.ForAll([&](uint32_t row, StringId value) {
    if (value.value < wanted.size() && wanted[value.value] != 0) found.Set(row);
  });
  return found;
}

// Whether one of an event's stats has the key and the value of the
// term. Ignores `negated`. O(stats).
bool AnswersArgument(const QueryTerm& term, std::span<const Stat> stats) {
  const bool whole = term.kind == QueryTerm::Kind::kArgument;
  return std::any_of(stats.begin(), stats.end(), [&](const Stat& stat) {
    if (stat.name != term.key) return false;
    return whole ? IsValue(stat, term.text) : ContainsLower(ToText(stat), term.text);
  });
}

// The rows of the trace's own set that may answer the term, which must not be negated. Nothing if
// the typed stats do not have the argument. O(rows of its column).
std::optional<RowBits> RowsByTypedStats(const QueryTerm& term, const StatTable& stats,
                                        uint32_t rows) {
  const std::optional<int64_t> number = Number<int64_t>(term.text);
  const IntStat* whole = FindKey(kIntKeys, term.key);
  if (whole != nullptr && number && term.kind == QueryTerm::Kind::kArgument)
    return RowsOfInt(stats.Int(*whole), *number, rows);
  if (const StringStat* text = FindKey(kTextKeys, term.key))
    return RowsOfText(term, stats.Text(*text), *stats.strings, rows);
  return std::nullopt;
}

using Kind = QueryTerm::Kind;

constexpr uint32_t kRowsPerTask = RowBits::kWord * 4096;
constexpr uint32_t kRowsPerRead = RowBits::kWord * 16;  // rows whose arguments one task reads
constexpr size_t kNamesPerTask = 8192;

struct CategoryTexts {
  EventCategory category;
  std::string_view name;       // PyTorch's, else ours
  std::string_view more = {};  // the word of our tables, where it is another one
};
constexpr std::array kCategoryTexts = {
    CategoryTexts{EventCategory::kKernel, "kernel"},
    CategoryTexts{EventCategory::kMemcpy, "gpu_memcpy", "copy"},
    CategoryTexts{EventCategory::kMemset, "gpu_memset", "fill"},
    CategoryTexts{EventCategory::kRuntimeCall, "cuda_runtime", "runtime call"},
    CategoryTexts{EventCategory::kCpuOp, "cpu_op"},
    CategoryTexts{EventCategory::kPythonFunction, "python_function"},
    CategoryTexts{EventCategory::kUserAnnotation, "user_annotation"},
    CategoryTexts{EventCategory::kGpuUserAnnotation, "gpu_user_annotation"},
    CategoryTexts{EventCategory::kStep, "step"},
    CategoryTexts{EventCategory::kHostEvent, "host event"},
    CategoryTexts{EventCategory::kOverhead, "overhead"},
    CategoryTexts{EventCategory::kCommunication, "communication"},
    CategoryTexts{EventCategory::kMemoryEvent, "memory"},
};

CategoryTexts TextsOf(EventCategory category) {
  for (const CategoryTexts& c : kCategoryTexts) {
    if (c.category == category) return c;
  }
  return {category, {}};
}

bool CategoryHas(EventCategory category, std::string_view text) {
  const CategoryTexts texts = TextsOf(category);
  return ContainsLower(texts.name, text) || ContainsLower(texts.more, text);
}

// A mangled name is found both as it is shown and as the file has it.
bool HasText(const NameTable& names, MetaId meta, std::string_view part) {
  if (ContainsLower(names.DisplayName(meta), part)) return true;
  const std::string_view raw = names.Name(meta);
  return raw.starts_with("_Z") && ContainsLower(raw, part);
}

bool AnswersName(const QueryTerm& term, const NameTable& names, MetaId meta) {
  if (term.kind == Kind::kName) return HasText(names, meta, term.text) != term.negated;
  if (term.kind != Kind::kWholeName) return true;
  const bool is = names.DisplayName(meta) == term.text || names.Name(meta) == term.text;
  return is != term.negated;
}

bool AnswersNames(const EventQuery& query, const NameTable& names, MetaId meta) {
  return std::all_of(query.terms().begin(), query.terms().end(),
                     [&](const QueryTerm& term) { return AnswersName(term, names, meta); });
}

// By MetaId, whether its events may match. The last element is for events without metadata.
std::vector<uint8_t> WantedMetas(const EventQuery& query, const NameTable& names,
                                 const std::vector<std::string>& categories) {
  std::vector<uint8_t> wanted(names.metas.size() + 1);
  const size_t tasks = (wanted.size() + kNamesPerTask - 1) / kNamesPerTask;
  ParallelFor(tasks, [&](size_t task) {
    CheckStop();
    const size_t end = std::min(wanted.size(), (task + 1) * kNamesPerTask);
    for (size_t m = task * kNamesPerTask; m < end; ++m) {
      CheckStop();
      const MetaId meta(static_cast<uint32_t>(m));
      bool all = AnswersNames(query, names, meta);
      for (const QueryTerm& term : query.terms()) {
        if (!all || term.kind != Kind::kCategory) continue;
        const bool known = m < names.metas.size();
        const bool has = (known && CategoryHas(names.metas[m].category, term.text)) ||
                         (m < categories.size() && ContainsLower(categories[m], term.text));
        all = has != term.negated;
      }
      wanted[m] = all ? 1 : 0;
    }
  });
  return wanted;
}

std::vector<uint8_t> WantedTracks(const EventQuery& query, const Trace& trace,
                                  const TrackSet& set) {
  std::vector<uint8_t> planes(trace.planes.size(), 1), tracks(set.tracks.size(), 1);
  for (const QueryTerm& term : query.terms()) {
    for (size_t p = 0; term.kind == Kind::kProcess && p < planes.size(); ++p) {
      const Plane& plane = trace.planes[p];
      const bool has = ContainsLower(trace.names().strings.View(plane.name), term.text) ||
                       ContainsLower(plane.display_name, term.text);
      if (has == term.negated) planes[p] = 0;
    }
    for (size_t t = 0; t < tracks.size(); ++t) {
      if (term.kind != Kind::kTrack) break;
      const bool has = ContainsLower(set.names->strings.View(set.tracks[t].name), term.text);
      if (has == term.negated) tracks[t] = 0;
    }
  }
  for (size_t t = 0; t < tracks.size(); ++t) {
    const PlaneId plane = set.tracks[t].plane;
    if (plane.value < planes.size() && planes[plane.value] == 0) tracks[t] = 0;
  }
  return tracks;
}

struct Times {
  Ps least = kMinPs, most = kMaxPs;
};

// The durations that all terms without `-` allow together.
Times CommonTimes(const EventQuery& query) {
  Times times;
  for (const QueryTerm& term : query.terms()) {
    if (term.kind != Kind::kDuration || term.negated) continue;
    times.least = std::max(times.least, term.least);
    times.most = std::min(times.most, term.most);
  }
  return times;
}

bool AnswersNegated(const EventQuery& query, Ps dur) {
  return std::none_of(query.terms().begin(), query.terms().end(), [dur](const QueryTerm& term) {
    return term.kind == Kind::kDuration && term.negated && dur >= term.least && dur <= term.most;
  });
}

// Calls fn(lane, first, end) for the parts of lanes that hold the rows [first_row, end_row) of the
// set; indices are within the lane.
template <typename Fn>
void ForLaneParts(const TrackSet& set, uint32_t first_row, uint32_t end_row, Fn fn) {
  const LaneId id = set.LaneOf(EventRow(first_row));
  if (!id.valid()) return;
  for (size_t l = id.value; l < set.lanes.size(); ++l) {
    const Lane& lane = set.lanes[l];
    if (lane.first_row >= end_row) return;
    const uint32_t first = first_row > lane.first_row ? first_row - lane.first_row : 0;
    const uint32_t end =
        end_row - lane.first_row < lane.size() ? end_row - lane.first_row : lane.size();
    if (first < end) fn(lane, first, end);
  }
}

// The events that match all terms but those about arguments.
RowBits FindByColumns(const EventQuery& query, const Trace& trace, const TrackSet& set) {
  RowBits found(set.rows);
  const std::vector<std::string> categories =
      query.Has(Kind::kCategory) && set.names == trace.set.names ? FileCategories(trace)
                                                                 : std::vector<std::string>();
  const std::vector<uint8_t> metas = WantedMetas(query, *set.names, categories);
  const std::vector<uint8_t> tracks = WantedTracks(query, trace, set);
  const auto last = static_cast<uint32_t>(metas.size() - 1);
  const bool timed = query.Has(Kind::kDuration);
  const Times times = CommonTimes(query);
  if (std::find(metas.begin(), metas.end(), 1) == metas.end()) return found;
  ParallelFor((size_t{set.rows} + kRowsPerTask - 1) / kRowsPerTask, [&](size_t task) {
    CheckStop();
    const auto first = static_cast<uint32_t>(task * kRowsPerTask);
    const uint32_t end = first + std::min(kRowsPerTask, set.rows - first);
    ForLaneParts(set, first, end, [&](const Lane& lane, uint32_t from, uint32_t to) {
      if (tracks[lane.track.value] == 0) return;
      for (uint32_t i = from; i < to; ++i) {
        if (metas[std::min(lane.meta[i], last)] == 0) continue;
        if (timed && (lane.dur[i] < times.least || lane.dur[i] > times.most ||
                      !AnswersNegated(query, lane.dur[i])))
          continue;
        found.Set(lane.first_row + i);
      }
    });
  });
  return found;
}

EventRow OwnRow(const Trace& trace, const TrackSet& set, uint32_t row) {
  if (&set == &trace.set) return EventRow(row);
  return row < set.source.size() ? set.source[row] : EventRow();
}

std::vector<const QueryTerm*> ArgumentTerms(const EventQuery& query) {
  std::vector<const QueryTerm*> terms;
  for (const QueryTerm& term : query.terms()) {
    if (term.kind == Kind::kArgument || term.kind == Kind::kArgumentContains)
      terms.push_back(&term);
  }
  return terms;
}

// Removes the rows that cannot match according to the typed stats.
void NarrowByStats(const std::vector<const QueryTerm*>& terms, const Trace& trace,
                   const TrackSet& set, std::span<const StatTable* const> stats, RowBits* found) {
  for (const QueryTerm* term : terms) {
    if (term->negated) continue;
    std::vector<RowBits> rows;  // by table
    for (const StatTable* table : stats) {
      if (auto of_table = RowsByTypedStats(*term, *table, trace.set.rows))
        rows.push_back(std::move(*of_table));
    }
    if (rows.empty()) continue;
    found->ForEach([&](uint32_t row) {
      const EventRow own = OwnRow(trace, set, row);
      const auto has = [&](const RowBits& of_table) { return of_table.Has(own.value); };
      if (!own.valid() || std::none_of(rows.begin(), rows.end(), has)) found->Clear(row);
    });
  }
}

// Removes the rows whose arguments do not match.
Status NarrowByArguments(const std::vector<const QueryTerm*>& terms, const Trace& trace,
                         const TrackSet& set, RowBits* found) {
  std::mutex mutex;
  Status error;
  std::atomic<bool> failed = false;
  const auto read = [&](StatReader* reader, uint32_t row) {
    const EventRow own = OwnRow(trace, set, row);
    std::vector<Stat> stats;
    if (own.valid() && reader != nullptr) {
      Result<std::vector<Stat>> decoded = reader->Read(own);
      if (decoded.ok()) {
        stats = std::move(decoded).value();
      } else if (!failed.exchange(true)) {
        const std::lock_guard lock(mutex);
        error = decoded.status();
      }
    }
    for (const QueryTerm* term : terms) {
      if (AnswersArgument(*term, stats) == term->negated) return found->Clear(row);
    }
  };
  ParallelFor((size_t{set.rows} + kRowsPerRead - 1) / kRowsPerRead, [&](size_t task) {
    const auto first = static_cast<uint32_t>(task * kRowsPerRead);
    const uint32_t end = first + std::min(kRowsPerRead, set.rows - first);
    std::unique_ptr<StatReader> reader;
    found->ForEach(first, end, [&](uint32_t row) {
      CheckStop();
      if (failed) return;
      if (reader == nullptr && trace.source) reader = ReaderOf(trace);
      read(reader.get(), row);
    });
  });
  return error;
}

}  // namespace

std::string_view CategoryNameOf(EventCategory category) { return TextsOf(category).name; }

std::vector<std::string> FileCategories(const Trace& trace) {
  const auto& metas = trace.names().metas;
  std::vector<std::string> categories(metas.size());
  if (!trace.source) return categories;
  std::vector<EventRow> first(metas.size());
  for (const Lane& lane : trace.set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      // A meta that belongs to a plane comes from an XSpace, which has no `cat`.
      const uint32_t m = lane.meta[i];
      if (m < metas.size() && !first[m].valid() && !metas[m].plane.valid())
        first[m] = EventRow(lane.first_row + i);
    }
  }
  ParallelFor((metas.size() + kNamesPerTask - 1) / kNamesPerTask, [&](size_t task) {
    const size_t end = std::min(metas.size(), (task + 1) * kNamesPerTask);
    for (size_t m = task * kNamesPerTask; m < end; ++m) {
      if (!first[m].valid()) continue;
      const Result<std::vector<Stat>> stats = trace.source->Decode(trace, first[m]);
      if (!stats.ok()) continue;
      for (const Stat& stat : *stats) {
        if (stat.from_metadata && stat.name == "cat") categories[m] = ToText(stat);
      }
    }
  });
  return categories;
}

Result<RowBits> FindEvents(const EventQuery& query, const Trace& trace, const TrackSet& set,
                           std::span<const StatTable* const> stats) {
  RowBits found = FindByColumns(query, trace, set);
  const std::vector<const QueryTerm*> terms = ArgumentTerms(query);
  if (!terms.empty()) {
    NarrowByStats(terms, trace, set, stats, &found);
    if (Status s = NarrowByArguments(terms, trace, set, &found); !s.ok()) return s;
  }
  CheckStop();
  return found;
}

Result<std::optional<RowBits>> FindAsked(AnalysisContext& context, const EventQuery& query) {
  if (query.terms().empty()) return std::optional<RowBits>();
  const bool asks =
      query.Has(QueryTerm::Kind::kArgument) || query.Has(QueryTerm::Kind::kArgumentContains);
  std::vector<const StatTable*> typed;
  if (asks && context.stats_error().empty()) typed = context.all_stats();
  Result<RowBits> rows = FindEvents(query, context.trace(), context.trace().set, typed);
  if (!rows.ok()) return rows.status();
  return std::optional<RowBits>(std::move(rows).value());
}

}  // namespace stepscope
