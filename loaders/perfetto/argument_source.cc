#include "loaders/perfetto/argument_source.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "loaders/common/first_error.h"
#include "loaders/common/row_values.h"
#include "model/base/key_table.h"
#include "model/base/sort_runs.h"
#include "model/jobs/job.h"
#include "model/trace.h"

namespace stepscope::perfetto {

using namespace proto;

namespace {

// --- Reading the arguments of a packet -----------------------------------------------------------

// A text of the packet's interned data, by its number there.
struct InternedText {
  InternedNames Interned::*names = nullptr;
  uint64_t iid = 0;
};
using ArgumentText = std::variant<std::string_view, InternedText>;
using ArgumentValue = std::variant<int64_t, uint64_t, double, std::string_view, InternedText>;

// The name of an argument within the dictionary or list around it. An entry of a list has a number
// and rarely a name. {"grid": {"x": 1}} is x in grid; {"grid": [1]} is nameless, number 0, in grid.
struct ArgumentName {
  ArgumentText text;
  const ArgumentName* outer = nullptr;
  std::optional<size_t> number = {};
};

// The text behind a number of the interned data; empty if that is unknown.
std::string_view TextOf(const InternedText& text, const Interned* interned,
                        const StringPool& strings) {
  const StringId id = interned == nullptr ? StringId() : (interned->*text.names).Find(text.iid);
  return id.valid() ? strings.View(id) : std::string_view();
}
std::string_view TextOf(const ArgumentText& text, const Interned* interned,
                        const StringPool& strings) {
  const auto* interned_text = std::get_if<InternedText>(&text);
  return interned_text == nullptr ? std::get<std::string_view>(text)
                                  : TextOf(*interned_text, interned, strings);
}

constexpr int kMostDepth = 16;  // of dictionaries and lists

// Gives the arguments of a packet to a visitor: visitor->Take(name, value) for each value, and
// those inside a dictionary or list only where visitor->Enters(name). Texts are views of the packet
// or of the strings. O(bytes).
template <typename Visitor>
class ArgumentReader {
 public:
  ArgumentReader(const SourceFile& file, const StringPool& strings, Visitor* visitor)
      : file_(file), strings_(strings), visitor_(*visitor) {}

  void ReadPacket(std::string_view packet, uint64_t ref) {
    uint32_t sequence = 0;
    Field event, stage;
    ReadFields(MessageIn(packet), Number(10, &sequence),
               Message(11, [&event](const Field& f) { event = f; }),
               Message(53, [&stage](const Field& f) { stage = f; }));
    interned_ = file_.history->At(sequence, ref, ref < file_.bytes->source->size());
    visitor_.Begin(interned_);
    if (stage.begin != nullptr) ReadStage(stage);
    if (event.begin != nullptr)
      ReadFields(event, Message(4, [this](const Field& f) { ReadAnnotation(f, nullptr, {}, 0); }));
  }

 private:
  // Reads what a GPU profiler says about a piece of work and the kernel that it runs.
  void ReadStage(const Field& stage) {
    const auto submission = [this](const Field& f) { Take("submission_id", f.Int()); };
    const auto kernel = [this](const Field& f) { ReadKernel(f.value); };
    ReadFields(stage, Message(6, [this](const Field& f) { ReadExtra(f); }),
               AnyField(10, submission), AnyField(19, kernel),
               Message(21, [this](const Field& f) { ReadLaunch(f); }));
  }

  void Take(std::string_view name, const ArgumentValue& value) {
    visitor_.Take(ArgumentName{name}, value);
  }

  void ReadAnnotation(const Field& message, const ArgumentName* outer, std::optional<size_t> number,
                      int depth) {
    ArgumentName name{std::string_view(), outer, number};
    std::optional<ArgumentValue> value;
    const size_t first = inner_.size();
    ForFields(message, [&](const Field& f) {
      switch (f.number) {
        case 1:
          name.text = InternedText{&Interned::annotations, f.value};
          break;
        case 10:
          if (f.wire == kLen) name.text = f.text();
          break;
        case kDictionary:
        case kList:
          if (f.wire == kLen) inner_.push_back(f);
          break;
        default:
          SetValue(f, &value);
      }
    });
    if (value) visitor_.Take(name, *value);
    if (inner_.size() > first && depth < kMostDepth && visitor_.Enters(name)) {
      for (size_t i = first; i < inner_.size(); ++i) {
        const Field entry = inner_[i];
        const bool list = entry.number == kList;
        ReadAnnotation(entry, &name, list ? std::optional(i - first) : std::nullopt, depth + 1);
      }
    }
    inner_.resize(first);
  }

  static void SetValue(const Field& f, std::optional<ArgumentValue>* value) {
    switch (f.number) {
      case 2:
        *value = std::string_view(f.value != 0 ? "true" : "false");
        break;
      case 3:
      case 7:
        *value = f.value;
        break;
      case 4:
        *value = f.Int();
        break;
      case 5:
        *value = f.Double();
        break;
      case 6:
      case 9:
        if (f.wire == kLen) *value = f.text();
        break;
      case 17:
        *value = InternedText{&Interned::texts, f.value};
        break;
      default:
        break;
    }
  }

  void ReadExtra(const Field& message) {
    std::string_view name, value;
    ReadFields(message, Text(1, &name), Text(2, &value));
    if (!name.empty()) Take(name, value);
  }

  void ReadLaunch(const Field& message) {
    ReadFields(message, Message(1, [this](const Field& f) { ReadShape(f, "grid"); }),
               Message(2, [this](const Field& f) { ReadShape(f, "block"); }),
               Message(3, [this](const Field& f) { ReadKernelArgument(f); }));
  }

  // Reads the three numbers of a grid or block.
  void ReadShape(const Field& message, std::string_view shape) {
    constexpr std::string_view kDimensions = "xyz";
    const ArgumentName outer{shape};
    ForFields(message, [&](const Field& f) {
      if (f.number >= 1 && f.number <= 3 && f.wire == kVarint)
        visitor_.Take(ArgumentName{kDimensions.substr(f.number - 1, 1), &outer}, f.Int());
    });
  }

  void ReadKernel(uint64_t iid) {
    if (interned_ == nullptr) return;
    const auto kernel = interned_->kernels.find(iid);
    if (kernel == interned_->kernels.end()) return;
    const auto take = [&](std::string_view name, StringId text) {
      if (text.value != 0) Take(name, strings_.View(text));
    };
    take("kernel", kernel->second.name);
    take("demangled", kernel->second.readable);
    take("arch", kernel->second.arch);
    for (const StringId argument : kernel->second.arguments)
      ReadKernelArgument(MessageIn(strings_.View(argument)));
  }

  void ReadKernelArgument(const Field& message) {
    ArgumentText name;
    std::optional<ArgumentValue> value;
    ForFields(message, [&](const Field& f) {
      const bool text = f.wire == kLen;
      if (f.number == 1) name = InternedText{&Interned::kernel_arguments, f.value};
      if (f.number == 2 && text) name = f.text();
      if (f.number == 3) value = f.Int();
      if (f.number == 4) value = f.value;
      if (f.number == 5) value = f.Double();
      if (f.number == 6 && text) value = f.text();
      if (f.number == 7) value = InternedText{&Interned::texts, f.value};
    });
    if (value && !TextOf(name, interned_, strings_).empty())
      visitor_.Take(ArgumentName{name}, *value);
  }

  static constexpr uint32_t kDictionary = 11, kList = 12;  // fields of a DebugAnnotation

  const SourceFile& file_;
  const StringPool& strings_;
  Visitor& visitor_;
  const Interned* interned_ = nullptr;  // of the packet
  std::vector<Field> inner_;            // entries of the dictionaries and lists that are read
};

// --- All arguments of one event ------------------------------------------------------------------

// Makes stats of arguments. A value inside another one is named "outer.inner" or "outer[0]".
class StatCollector {
 public:
  StatCollector(const StringPool& strings, std::vector<Stat>* stats)
      : strings_(strings), stats_(*stats) {}

  // Where an earlier packet has an argument of the same name, that of this packet counts.
  void Begin(const Interned* interned) {
    interned_ = interned;
    before_ = stats_.size();
  }
  bool Enters(const ArgumentName&) const { return true; }
  void Take(const ArgumentName& name, const ArgumentValue& value) {
    Stat stat{FullName(name), ValueOf(value)};
    const auto end = stats_.begin() + static_cast<std::ptrdiff_t>(before_);
    const auto same =
        std::find_if(stats_.begin(), end, [&](const Stat& s) { return s.name == stat.name; });
    if (same != end) {
      *same = std::move(stat);
    } else {
      stats_.push_back(std::move(stat));
    }
  }

 private:
  std::string FullName(const ArgumentName& name) const {
    const std::string own(TextOf(name.text, interned_, strings_));
    if (name.outer == nullptr) return own;
    const std::string outer = FullName(*name.outer);
    return outer + (name.number ? "[" + std::to_string(*name.number) + "]" : ".") + own;
  }
  decltype(Stat::value) ValueOf(const ArgumentValue& value) const {
    if (const auto* i = std::get_if<int64_t>(&value)) return *i;
    if (const auto* u = std::get_if<uint64_t>(&value)) return *u;
    if (const auto* d = std::get_if<double>(&value)) return *d;
    if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
    return std::string(TextOf(std::get<InternedText>(value), interned_, strings_));
  }

  const StringPool& strings_;
  std::vector<Stat>& stats_;
  const Interned* interned_ = nullptr;
  size_t before_ = 0;
};

// --- The arguments that analyses know, of all events ---------------------------------------------

// Names of arguments that analyses know, as PyTorch and ROCm's profilers write them.
constexpr KeyRow<IntStat> kKnown[] = {
    {"External id", IntStat::kExternalId},
    {"bytes", IntStat::kBytes},
    {"copy_bytes", IntStat::kBytes},
    {"corr_id", IntStat::kCorrelationId},
    {"correlation", IntStat::kCorrelationId},
    {"device", IntStat::kDeviceId},
    {"dynamic shared memory", IntStat::kDynamicShared},
    {"registers per thread", IntStat::kRegisters},
    {"registers_per_thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"shared_mem_dynamic", IntStat::kDynamicShared},
    {"shared_mem_static", IntStat::kStaticShared},
    {"step_num", IntStat::kStepNum},
};
static_assert(IsSortedByKey(kKnown));

// Grids and blocks are dictionaries, lists, or numbers with a name of two parts: "grid.x".
struct KnownShape {
  std::string_view name;
  std::array<IntStat, 3> dimensions;
};
constexpr KnownShape kShapes[] = {
    {"grid", {IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ}},
    {"block", {IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ}}};

// What an outermost argument's name says.
struct ArgumentMeaning {
  std::optional<IntStat> stat;
  const KnownShape* shape = nullptr;
};

// 1 of "y" and of number 1; nothing for other names.
std::optional<size_t> DimensionOf(std::string_view name, std::optional<size_t> number) {
  if (number) return name.empty() && *number < 3 ? number : std::nullopt;
  const size_t at = std::string_view("xyz").find(name);
  return name.size() == 1 && at < 3 ? std::optional(at) : std::nullopt;
}

// "grid.x" and "grid[0]" are dimensions, too.
std::optional<IntStat> StatOfLongName(const KnownShape& shape, std::string_view rest) {
  std::optional<size_t> dimension;
  if (rest.size() == 2 && rest[0] == '.') dimension = DimensionOf(rest.substr(1), {});
  if (rest.size() == 3 && rest[0] == '[' && rest[2] == ']' && rest[1] >= '0' && rest[1] <= '2')
    dimension = static_cast<size_t>(rest[1] - '0');
  return dimension ? std::optional(shape.dimensions[*dimension]) : std::nullopt;
}

ArgumentMeaning MeaningOf(std::string_view name) {
  for (const KnownShape& shape : kShapes) {
    if (name == shape.name) return {{}, &shape};
    if (name.starts_with(shape.name))
      return {StatOfLongName(shape, name.substr(shape.name.size()))};
  }
  const IntStat* known = FindKey(kKnown, name);
  return {known == nullptr ? std::nullopt : std::optional(*known)};
}

// Collects the known arguments of packets. Remembers what interned names mean, so one object serves
// many packets. One thread.
class KnownArguments {
 public:
  explicit KnownArguments(const StringPool& strings) : strings_(strings) {}

  void SetTarget(uint32_t row, RowValues* values) {
    row_ = row;
    values_ = values;
  }
  void Begin(const Interned* interned) {
    if (interned == interned_ && meanings_ != nullptr) return;
    interned_ = interned;
    meanings_ = &all_[interned];
  }
  bool Enters(const ArgumentName& name) {
    return name.outer == nullptr && Meaning(name.text).shape != nullptr;
  }
  void Take(const ArgumentName& name, const ArgumentValue& value) {
    const auto* i = std::get_if<int64_t>(&value);
    const auto* u = std::get_if<uint64_t>(&value);
    if (i == nullptr && u == nullptr) return;
    if (const std::optional<IntStat> stat = StatOf(name))
      (*values_)[static_cast<size_t>(*stat)].emplace_back(
          row_, i != nullptr ? *i : static_cast<int64_t>(*u));
  }

 private:
  // Names with higher numbers are looked up each time.
  static constexpr size_t kMostRemembered = 1 << 12;
  using Meanings = std::vector<std::optional<ArgumentMeaning>>;  // by number of the name

  std::optional<IntStat> StatOf(const ArgumentName& name) {
    if (name.outer == nullptr) return Meaning(name.text).stat;
    if (name.outer->outer != nullptr) return std::nullopt;
    const KnownShape* shape = Meaning(name.outer->text).shape;
    if (shape == nullptr) return std::nullopt;
    const auto dimension = DimensionOf(TextOf(name.text, interned_, strings_), name.number);
    return dimension ? std::optional(shape->dimensions[*dimension]) : std::nullopt;
  }

  ArgumentMeaning Meaning(const ArgumentText& name) {
    const auto* text = std::get_if<InternedText>(&name);
    if (text == nullptr || text->names != &Interned::annotations || text->iid >= kMostRemembered)
      return MeaningOf(TextOf(name, interned_, strings_));
    if (text->iid >= meanings_->size()) meanings_->resize(text->iid + 1);
    std::optional<ArgumentMeaning>& known = (*meanings_)[text->iid];
    if (!known) known = MeaningOf(TextOf(*text, interned_, strings_));
    return *known;
  }

  const StringPool& strings_;
  const Interned* interned_ = nullptr;
  Meanings* meanings_ = nullptr;  // of interned_
  std::unordered_map<const Interned*, Meanings> all_;
  uint32_t row_ = 0;
  RowValues* values_ = nullptr;
};

// --- The source ----------------------------------------------------------------------------------

using RefRow = std::pair<uint64_t, uint32_t>;

// The reference of the end of the slice at `ref`, if that end has arguments; else ~0.
uint64_t EndOf(const EndArguments& ends, uint64_t ref) {
  const auto it = std::lower_bound(ends.begin(), ends.end(), std::pair(ref, uint64_t{0}));
  return it == ends.end() || it->first != ref ? ~uint64_t{0} : it->second;
}

class ArgumentSource final : public StatSource {
 public:
  explicit ArgumentSource(std::vector<SourceFile> files) : files_(std::move(files)) {}

  // Where begin and end of a slice have an argument of one name, the end's counts.
  Result<std::vector<Stat>> Decode(const Trace& trace, EventRow row) const override {
    std::vector<Stat> stats;
    const auto place = RefOfRow(trace, row);
    if (!place || place->source >= files_.size()) return stats;
    const SourceFile& file = files_[place->source];
    if (place->ref >= file.bytes->size()) return stats;
    PacketWindow window(file.bytes.get(), kLittleWindow);
    StatCollector collector(trace.names().strings, &stats);
    ArgumentReader reader(file, trace.names().strings, &collector);
    for (const uint64_t at : {place->ref, EndOf(*file.end_arguments, place->ref)}) {
      if (at == ~uint64_t{0}) continue;
      const Result<std::string_view> packet = window.At(at);
      if (!packet.ok()) return packet.status();
      reader.ReadPacket(*packet, at);
    }
    return stats;
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace& trace,
                                                     std::stop_token stop) const override {
    RowValues values;
    for (uint32_t f = 0; f < files_.size(); ++f) {
      if (Status s = ReadFile(trace, f, stop, &values); !s.ok()) return s;
    }
    return TableOf(std::move(values), trace.set.rows, stop);
  }

  size_t resident_bytes() const override {
    size_t bytes = 0;
    for (const SourceFile& file : files_)
      bytes += file.bytes->source->bytes().size() + file.bytes->inflated.size();
    return bytes;
  }

 private:
  static constexpr uint64_t kLittleWindow = 4096;
  static constexpr size_t kChunk = 1 << 14;  // packets that a worker reads one after the other

  // References and rows of the file's events, and of ends with arguments, in order of the file.
  std::vector<RefRow> RefsOf(const Trace& trace, uint32_t index,
                             const std::stop_token& stop) const {
    std::vector<RefRow> refs;
    const uint64_t size = files_[index].bytes->size();
    ForRefs(trace, index, [&](uint64_t ref, uint32_t row) {
      if (ref < size) refs.emplace_back(ref, row);
    });
    SortRuns(refs.begin(), refs.end(), std::less<RefRow>(), stop);
    const EndArguments& ends = *files_[index].end_arguments;
    const auto begins = static_cast<std::ptrdiff_t>(refs.size());
    auto end = ends.begin();
    for (std::ptrdiff_t i = 0; i < begins && end != ends.end(); ++i) {
      const RefRow begin = refs[static_cast<size_t>(i)];
      while (end != ends.end() && end->first < begin.first) ++end;
      if (end != ends.end() && end->first == begin.first)
        refs.emplace_back(end->second, begin.second);
    }
    std::sort(refs.begin() + begins, refs.end());
    std::inplace_merge(refs.begin(), refs.begin() + begins, refs.end());
    return refs;
  }

  Status ReadChunk(const Trace& trace, const SourceFile& file, std::span<const RefRow> refs,
                   RowValues* values) const {
    PacketWindow window(file.bytes.get(), PacketStream::kBatchBytes);
    KnownArguments arguments(trace.names().strings);
    ArgumentReader reader(file, trace.names().strings, &arguments);
    for (const auto& [ref, row] : refs) {
      const Result<std::string_view> packet = window.At(ref);
      if (!packet.ok()) return packet.status();
      arguments.SetTarget(row, values);
      reader.ReadPacket(*packet, ref);
    }
    return {};
  }

  // Reads the file's known arguments on all cores; values come in any order.
  Status ReadFile(const Trace& trace, uint32_t index, const std::stop_token& stop,
                  RowValues* values) const {
    const std::vector<RefRow> refs = RefsOf(trace, index, stop);
    Reused<RowValues> pool;
    FirstError error;
    std::mutex mutex;
    ParallelFor((refs.size() + kChunk - 1) / kChunk, [&](size_t chunk) {
      if (error.any() || stop.stop_requested()) return;
      std::unique_ptr<RowValues> own = pool.Take();
      const size_t begin = chunk * kChunk, n = std::min(kChunk, refs.size() - begin);
      error.Set(ReadChunk(trace, files_[index], std::span(refs).subspan(begin, n), own.get()));
      const std::lock_guard lock(mutex);
      for (size_t s = 0; s < values->size(); ++s) {
        (*values)[s].insert((*values)[s].end(), (*own)[s].begin(), (*own)[s].end());
        (*own)[s].clear();
      }
      pool.Give(std::move(own));
    });
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    return error.Take();
  }

  std::vector<SourceFile> files_;
};

}  // namespace

std::shared_ptr<const StatSource> MakeArgumentSource(std::vector<SourceFile> files) {
  return std::make_shared<ArgumentSource>(std::move(files));
}

}  // namespace stepscope::perfetto
