#include "loaders/chrome_json/file_events.h"

#include "loaders/common/json_cursor.h"

namespace stepscope::chrome {

using namespace naming;

using namespace json;

namespace {

constexpr uint32_t kStopEverySeries = 4096;  // series of one counter event

// The series of this name, or null. For counters of few series.
CounterSeries* FindSeries(Counter* counter, StringId name) {
  for (CounterSeries& s : counter->series) {
    if (s.name == name) return &s;
  }
  counter->series.emplace_back();
  counter->series.back().name = name;
  return &counter->series.back();
}

void AddSample(CounterSeries* series, Ps time, double value) {
  series->time.push_back(time);
  series->value.push_back(value);
}

std::string TextOf(std::string_view token) {
  std::string text;
  Unescape(token, &text);
  return text;
}

}  // namespace

uint32_t FileEvents::Id(std::string_view text) { return ids_.Intern(text).value; }

uint32_t FileEvents::Meta(const NamePair& name_and_cat, uint32_t* cat_id, uint64_t offset) {
  StringPool& strings = builder_->strings();
  std::string name, cat;
  bool clean = Unescape(name_and_cat.first, &name);
  clean = Unescape(name_and_cat.second, &cat) && clean;
  if (!clean) diagnostics.Count(ChromeDiagnostic::kInvalidUtf8, offset);
  const StringId name_id = strings.Intern(name);
  *cat_id = strings.Intern(cat).value;
  uint32_t index;
  if (metas_->metas.Insert(name_id.value, *cat_id, &index)) {
    const CategoryRole role = RoleOfCategory(cat, name);
    EventMeta meta;
    meta.name = name_id;
    meta.display_name = StringId(0);
    meta.category = role.category;
    const MetaId id = builder_->AddMeta(meta);
    metas_->ids.push_back(id.value);
    if (metas_->roles.size() <= id.value) metas_->roles.resize(id.value + 1);
    metas_->roles[id.value] = role;
  }
  return metas_->ids[index];
}

uint32_t FileEvents::Thread(const NamePair& pid_and_tid) {
  std::string text;
  Unescape(pid_and_tid.first, &text);
  const uint32_t pid = Id(text);
  Unescape(pid_and_tid.second, &text);
  return ThreadOf(pid, Id(text));
}

StringId FileEvents::String(std::string_view token) {
  return builder_->strings().Intern(TextOf(token));
}

void FileEvents::Learn(const BatchResult& batch, WorkerMap* map) {
  const uint64_t offset = batch.events.empty() ? 0 : batch.events.front().offset;
  for (const NamePair& pair : batch.new_metas) {
    uint32_t cat;
    map->metas.push_back(Meta(pair, &cat, offset));
    map->cats.push_back(cat);
  }
  for (const NamePair& pair : batch.new_threads) map->threads.push_back(Thread(pair));
}

void FileEvents::Consume(const BatchResult& batch, WorkerMap* map, std::string_view text,
                         const std::stop_token& stop) {
  Learn(batch, map);
  diagnostics.Merge(batch.diagnostics);
  at_zero_ += batch.at_zero;
  lost_times += batch.lost_times;
  for (const ParsedEvent& event : batch.events) AddEvent(batch, event, *map, text, stop);
  for (const MemorySample& sample : batch.memory)
    AddMemory(sample, threads[map->threads[sample.thread]].pid);
}

void FileEvents::AddEvent(const BatchResult& batch, const ParsedEvent& event, const WorkerMap& map,
                          std::string_view text, const std::stop_token& stop) {
  const uint32_t meta = map.metas[event.meta], thread = map.threads[event.thread];
  const EventAux* aux = event.aux == kNoAux ? nullptr : &batch.aux[event.aux];
  ThreadEvents& t = threads[thread];
  const CategoryRole role = Role(meta);
  switch (event.ph) {
    case 'X':
      AddComplete(batch, event, meta, thread);
      break;
    case 'B':
    case 'E':
      t.host = t.host || role.host;
      t.only_python =
          t.only_python && (event.ph == 'E' || role.category == EventCategory::kPythonFunction);
      t.nested.push_back(
          {event.ts, event.offset, meta, event.ph == 'E' ? BeginOrEnd::kEndMark : kNoIndex});
      if (event.ph == 'B' && aux != nullptr && (aux->flow_in || aux->flow_out)) {
        t.nested[t.nested.size() - 1].aux = static_cast<uint32_t>(binds_.size());
        binds_.push_back({aux->bind_id, aux->flow_in, aux->flow_out});
      }
      break;
    case 'i':
    case 'I':
    case 'R':
    case 'P':
    case 'N':
    case 'O':
    case 'D':
      t.host = t.host || role.host;
      t.Of(role.part).instants.AddWide(event.ts, 0, meta, event.offset);
      ++event_count;
      break;
    case 'C':
      ++counter_events;
      if (aux != nullptr) AddCounter(batch, event, *aux, meta, thread, stop);
      break;
    case 's':
    case 't':
    case 'f':
      if (aux != nullptr) {
        flows.push_back({event.ts, aux->id, event.offset, meta, thread, kNoIndex, role.part,
                         event.ph, aux->bind_enclosing});
      }
      break;
    case 'M':
      AddMetadata(aux, meta, thread, event.offset, text);
      break;
    default:
      if (aux != nullptr) {
        async.push_back({event.ts, aux->id, event.offset, meta, map.cats[event.meta],
                         String(aux->scope).value, t.pid, aux->id_is_local, event.ph});
      }
  }
}

void FileEvents::AddComplete(const BatchResult& batch, const ParsedEvent& event, uint32_t meta,
                             uint32_t thread) {
  ThreadEvents& t = threads[thread];
  const CategoryRole role = Role(meta);
  RawEvents& slices = t.Of(role.part).slices;
  if (event.aux != kNoAux) {
    const EventAux& aux = batch.aux[event.aux];
    AddBind(event.ts, event.offset, {aux.bind_id, aux.flow_in, aux.flow_out}, thread, role.part,
            static_cast<uint32_t>(slices.start.size()));
  }
  t.host = t.host || role.host;
  t.only_python = t.only_python && role.category == EventCategory::kPythonFunction;
  slices.AddWide(event.ts, event.dur, meta, event.offset);
  ++event_count;
}

void FileEvents::AddBind(int64_t ts, uint64_t offset, const Bind& bind, uint32_t thread, Part part,
                         uint32_t slice) {
  if (!bind.in && !bind.out) return;
  const char ph = bind.in && bind.out ? 't' : bind.out ? 's' : 'f';
  flows.push_back({ts, bind.id, offset, kNoIndex, thread, slice, part, ph, true});
}

void FileEvents::AddMetadata(const EventAux* aux, uint32_t meta, uint32_t thread, uint64_t offset,
                             std::string_view text) {
  const std::string_view kind = builder_->names().Name(MetaId(meta));
  const uint32_t pid = threads[thread].pid;
  const auto process = [&]() -> ProcessInfo& {
    if (pid >= processes.size()) processes.resize(size_t{pid} + 1);
    return processes[pid];
  };
  ThreadInfo& info = threads[thread].info;
  const bool has_args = aux != nullptr && aux->args_offset < text.size();
  const std::string_view args =
      has_args ? ValueAt(text.data() + aux->args_offset, text.data() + text.size())
               : std::string_view{};
  bool known = false;
  ForEachMember(args, [&](std::string_view key, std::string_view value) {
    known = true;
    if (kind == "process_name" && key == "name") {
      process().name = String(value);
    } else if (kind == "process_labels" && key == "labels") {
      process().labels = String(value);
    } else if (kind == "process_sort_index" && key == "sort_index") {
      process().sort_index = ParseInt(value).value_or(0);
      process().has_sort_index = true;
    } else if (kind == "thread_name" && key == "name") {
      info.name = String(value);
    } else if (kind == "thread_sort_index" && key == "sort_index") {
      info.sort_index = ParseInt(value).value_or(0);
      info.has_sort_index = true;
    } else {
      known = false;
    }
    return !known;
  });
  if (!known) diagnostics.Count(ChromeDiagnostic::kUnknownMetadata, offset);
}

void FileEvents::AddCounter(const BatchResult& batch, const ParsedEvent& event, const EventAux& aux,
                            uint32_t meta, uint32_t thread, const std::stop_token& stop) {
  StringId name = builder_->names().metas[meta].name;
  if (aux.has_id) {
    const std::string_view base = builder_->strings().View(name);
    name = builder_->strings().Intern(std::string(base) + " [" + std::to_string(aux.id) + "]");
  }
  const uint32_t pid = threads[thread].pid;
  uint32_t number;
  if (counter_index_.Insert(pid, name.value, &number)) {
    counters.emplace_back();
    counters.back().pid = pid;
    counters.back().name = name;
  }
  for (uint32_t i = 0; i < aux.samples; ++i) {
    if (i % kStopEverySeries == 0 && stop.stop_requested()) return;
    const CounterSample& sample = batch.samples[aux.first_sample + i];
    StringId series_name = String(sample.series);
    // Kineto writes hardware counters as {"": 1.5}: the series is called like the counter.
    if (builder_->strings().View(series_name).empty()) series_name = name;
    AddSample(SeriesOf(number, series_name), event.ts, sample.value);
  }
}

CounterSeries* FileEvents::SeriesOf(uint32_t counter, StringId name) {
  std::vector<CounterSeries>& all = counters[counter].series;
  uint32_t series;
  if (series_index_.Insert(counter, name.value, &series)) {
    series_places_.push_back(static_cast<uint32_t>(all.size()));
    all.emplace_back();
    all.back().name = name;
  }
  return &all[series_places_[series]];
}

void FileEvents::AddMemory(const MemorySample& sample, uint32_t pid) {
  Counter& counter = memory[{sample.device_type, sample.device_id, pid}];
  counter.pid = pid;
  StringPool& strings = builder_->strings();
  if (sample.total_allocated >= 0) {
    AddSample(FindSeries(&counter, strings.Intern("allocated")), sample.ts,
              static_cast<double>(sample.total_allocated));
  }
  if (sample.total_reserved >= 0) {
    AddSample(FindSeries(&counter, strings.Intern("reserved")), sample.ts,
              static_cast<double>(sample.total_reserved));
  }
}

}  // namespace stepscope::chrome
