// The loader of fleets: the parts that stepscope-fleet wrote (docs/fleet.md). The trace has no
// events; its source holds the fleet.
#include "loaders/fleet/fleet_loader.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "loaders/store/byte_codec.h"
#include "loaders/store/section.h"

namespace stepscope::fleet {
namespace {

using store::ByteReader;
using store::ByteWriter;

constexpr size_t kHeadBytes = kPartMagic.size() + 2;
constexpr Ps kLongest = Ps{1} << 60;  // thirteen days
constexpr uint64_t kMostPayload = uint64_t{1} << 28;
constexpr uint32_t kMostRanks = 4096, kMostSteps = 1u << 20, kMostCalls = 1u << 22,
                   kMostNames = 1u << 18, kMostWaits = 1u << 24, kMostKernels = 1u << 12;

// Writes and reads facts by the same functions, so that the two agree: a Coder has At for numbers
// and Text for texts, and List for columns of a list.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}
  static constexpr bool kReads = false;
  bool ok() const { return true; }
  bool AtEnd() const { return false; }
  void Number(int64_t value) { out_.Signed(value); }
  void Text(const std::string& text) { out_.Text(text); }
  template <typename T>
  void Count(const std::vector<T>& list, uint32_t) {
    out_.Varint(list.size());
  }
  template <typename T, typename Get, typename Set>
  void Column(const std::vector<T>& list, Get get, Set) {
    std::vector<uint64_t> values(list.size());
    std::transform(list.begin(), list.end(), values.begin(),
                   [&](const T& item) { return static_cast<uint64_t>(get(item)); });
    out_.Ints(values);
  }

 private:
  ByteWriter out_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : in_(bytes), items_(bytes.size()) {}
  static constexpr bool kReads = true;
  bool ok() const { return in_.ok(); }
  bool AtEnd() const { return in_.left() == 0; }
  void Fail() { in_.Fail(); }
  template <typename T>
  void Number(T& value) {
    value = static_cast<T>(in_.Signed());
  }
  void Text(std::string& text) { text = std::string(in_.Text()); }
  // Items of a list differ, so each takes a byte and more, but of very short lists: all lists
  // together have no more items than the part has bytes.
  template <typename T>
  void Count(std::vector<T>& list, uint32_t most) {
    constexpr size_t kShort = 64;
    const uint32_t count =
        in_.Count(static_cast<uint32_t>(std::min<size_t>(most, items_ + kShort)));
    if (count > kShort) items_ -= count - kShort;
    list.resize(count);
  }
  template <typename T, typename Get, typename Set>
  void Column(std::vector<T>& list, Get, Set set) {
    std::vector<uint64_t> values(list.size());
    in_.Ints(values);
    for (size_t i = 0; i < list.size(); ++i) set(list[i], values[i]);
  }

 private:
  ByteReader in_;
  size_t items_;  // that lists may still have
};

// A column of one member.
template <typename Coder, typename List, typename Member>
void Member_(Coder& c, List& list, Member member) {
  c.Column(
      list, [&](const auto& item) { return item.*member; },
      [&](auto& item, uint64_t value) {
        using T = std::decay_t<decltype(item.*member)>;
        item.*member = static_cast<T>(value);
      });
}

template <typename Coder, typename R>
void CodeRank(Coder& c, R& rank) {
  c.Text(rank.coordinates);
  c.Text(rank.host_name);
  c.Text(rank.file);
  c.Text(rank.device_names);
  c.Number(rank.has_device);
  c.Number(rank.own_number);
  c.Number(rank.file_number);
  c.Number(rank.place);
  c.Number(rank.clock_taken);
}

template <typename Coder, typename Steps>
void CodeSteps(Coder& c, Steps& steps) {
  c.Count(steps, kMostSteps);
  Member_(c, steps, &RankStep::number);
  c.Column(
      steps, [](const RankStep& s) { return s.span.begin; },
      [](RankStep& s, uint64_t v) { s.span.begin = static_cast<Ps>(v); });
  c.Column(
      steps, [](const RankStep& s) { return s.span.end; },
      [](RankStep& s, uint64_t v) { s.span.end = static_cast<Ps>(v); });
  Member_(c, steps, &RankStep::total);
  Member_(c, steps, &RankStep::busy);
  Member_(c, steps, &RankStep::counts);
}

template <typename Coder, typename Texts>
void CodeTexts(Coder& c, Texts& texts) {
  c.Count(texts, kMostNames);
  for (auto& text : texts) {
    if (c.ok()) c.Text(text);
  }
}

template <typename Coder, typename Groups>
void CodeGroups(Coder& c, Groups& groups) {
  c.Count(groups, kMostNames);
  for (auto& group : groups) {
    if (!c.ok()) return;
    c.Text(group.name);
    c.Text(group.ranks);
    c.Number(group.has_order);
    c.Number(group.from);
    c.Number(group.to);
  }
}

template <typename Coder, typename Calls>
void CodeCalls(Coder& c, Calls& calls) {
  c.Count(calls, kMostCalls);
  Member_(c, calls, &RankCall::row);
  Member_(c, calls, &RankCall::group);
  Member_(c, calls, &RankCall::name);
  Member_(c, calls, &RankCall::in_step);
  Member_(c, calls, &RankCall::explained);
  Member_(c, calls, &RankCall::begin);
  // Differences are smaller than times.
  c.Column(
      calls, [](const RankCall& call) { return SaturatingSub(call.end, call.begin); },
      [](RankCall& call, uint64_t v) { call.end = SaturatingAdd(call.begin, static_cast<Ps>(v)); });
  c.Column(
      calls, [](const RankCall& call) { return SaturatingSub(call.begin, call.since); },
      [](RankCall& call, uint64_t v) {
        call.since = SaturatingSub(call.begin, static_cast<Ps>(v));
      });
  Member_(c, calls, &RankCall::order);
  Member_(c, calls, &RankCall::step);
  Member_(c, calls, &RankCall::bytes);
  Member_(c, calls, &RankCall::group_size);
}

template <typename Coder, typename Facts>
void CodeFacts(Coder& c, Facts& facts) {
  CodeRank(c, facts.rank);
  CodeSteps(c, facts.steps);
  CodeTexts(c, facts.names);
  CodeGroups(c, facts.groups);
  CodeCalls(c, facts.calls);
  c.Count(facts.waits, kMostWaits);
  Member_(c, facts.waits, &RankWait::call);
  Member_(c, facts.waits, &RankWait::loss);
  Member_(c, facts.waits, &RankWait::time);
  CodeTexts(c, facts.events);
  c.Count(facts.causes, kMostWaits);
  Member_(c, facts.causes, &RankCause::call);
  Member_(c, facts.causes, &RankCause::loss);
  Member_(c, facts.causes, &RankCause::event);
  Member_(c, facts.causes, &RankCause::time);
  c.Count(facts.kernels, kMostKernels);
  for (auto& kernel : facts.kernels) {
    if (c.ok()) c.Text(kernel.name);
  }
  Member_(c, facts.kernels, &RankKernel::count);
  Member_(c, facts.kernels, &RankKernel::total);
  Member_(c, facts.kernels, &RankKernel::median);
  c.Number(facts.peak_bytes);
  c.Number(facts.capacity_bytes);
}

// Codes what stands behind the facts: programs of an older schema do not read it, and their parts
// do not have it.
template <typename Coder, typename Facts>
void CodeLosses(Coder& c, Facts& facts) {
  for (size_t k = 0; k < kStepTimeClasses; ++k) {
    c.Column(
        facts.steps, [k](const RankStep& s) { return s.losses[k]; },
        [k](RankStep& s, uint64_t v) { s.losses[k] = static_cast<Ps>(v); });
  }
}

template <typename Coder, typename Part>
void CodePart(Coder& c, Part& part) {
  c.Text(part.file.path);
  c.Text(part.file.error);
  c.Number(part.file.bytes);
  c.Text(part.run);
  c.Number(part.origin_unix_ns);
  c.Count(part.facts, kMostRanks);
  for (auto& facts : part.facts) {
    if (c.ok()) CodeFacts(c, facts);
  }
  if (c.AtEnd()) return;
  for (auto& facts : part.facts) {
    if (c.ok()) CodeLosses(c, facts);
  }
}

// Whether a span ends after it begins, and its length can be reckoned with.
bool IsSpan(Ps begin, Ps end) { return end >= begin && SaturatingSub(end, begin) <= kLongest; }
bool IsLength(Ps time) { return time <= kLongest && time >= -kLongest; }
bool IsNumber(int64_t number) { return number >= -1 && number <= INT32_MAX; }
bool IsLoss(StepTimeClass loss) { return loss < StepTimeClass::kCount; }

bool HasSoundSteps(const RankFacts& f) {
  const bool sound = std::all_of(f.steps.begin(), f.steps.end(), [](const RankStep& s) {
    return IsSpan(s.span.begin, s.span.end) && IsLength(s.total) && IsLength(s.busy) &&
           std::all_of(s.losses.begin(), s.losses.end(), IsLength);
  });
  return sound &&
         std::is_sorted(f.steps.begin(), f.steps.end(), [](const RankStep& a, const RankStep& b) {
           return a.span.begin < b.span.begin;
         });
}

bool HasSoundCalls(const RankFacts& f) {
  return std::all_of(f.calls.begin(), f.calls.end(), [&](const RankCall& c) {
    return c.name < f.names.size() && IsSpan(c.begin, c.end) && IsSpan(c.since, c.begin) &&
           (c.group < f.groups.size() || c.group == RankCall::kNoGroup);
  });
}

bool HasSoundWaits(const RankFacts& f) {
  const bool waits = std::all_of(f.waits.begin(), f.waits.end(), [&](const RankWait& w) {
    return w.call < f.calls.size() && IsLoss(w.loss) && IsLength(w.time);
  });
  const bool causes = std::all_of(f.causes.begin(), f.causes.end(), [&](const RankCause& c) {
    return c.call < f.calls.size() && IsLoss(c.loss) && c.event < f.events.size() &&
           IsLength(c.time);
  });
  return waits && causes &&
         std::is_sorted(f.waits.begin(), f.waits.end(),
                        [](const RankWait& a, const RankWait& b) { return a.call < b.call; });
}

// Whether all indices are of something, times can be reckoned with, and lists have the order that
// readers rely on.
bool IsSound(const RankFacts& f) {
  return IsNumber(f.rank.own_number) && IsNumber(f.rank.file_number) && HasSoundSteps(f) &&
         HasSoundCalls(f) && HasSoundWaits(f);
}

}  // namespace

std::string WritePart(const FleetPart& part) {
  std::string payload;
  Writer writer(&payload);
  CodePart(writer, part);
  std::string out(kPartMagic);
  out.push_back(static_cast<char>(kPartVersion & 0xff));
  out.push_back(static_cast<char>(kPartVersion >> 8));
  store::SectionHeader header;
  header.id = "FACT";
  return out + store::PackSection(header, payload);
}

Result<FleetPart> ReadPart(std::string_view bytes) {
  const Status damaged(ErrorCode::kFormat, "the part of a fleet is damaged");
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kPartMagic))
    return Status(ErrorCode::kFormat, "this is no part of a fleet, or only its first bytes");
  const auto version =
      static_cast<uint16_t>(static_cast<uint8_t>(bytes[8]) | static_cast<uint8_t>(bytes[9]) << 8);
  if (version > kPartVersion) {
    return Status(ErrorCode::kUnsupported,
                  "a newer Stepscope wrote this part of a fleet (version " +
                      std::to_string(version) + ", read is " + std::to_string(kPartVersion) +
                      "): update Stepscope");
  }
  bytes.remove_prefix(kHeadBytes);
  store::SectionHeader header;
  if (!store::ReadHeader(bytes, &header) || header.id != "FACT") return damaged;
  const std::string_view stored = bytes.substr(store::kSectionHeaderBytes);
  std::string payload;
  if (header.inflated > kMostPayload || stored.size() != header.stored ||
      store::Checksum(stored) != header.checksum ||
      !store::Inflate(stored, header.inflated, &payload))
    return damaged;
  FleetPart part;
  Reader reader(payload);
  CodePart(reader, part);
  if (!reader.ok() || !std::all_of(part.facts.begin(), part.facts.end(), IsSound)) return damaged;
  return part;
}

}  // namespace stepscope::fleet

namespace stepscope {
namespace fleet {
namespace {

constexpr TraceFormat kFleet = {"Fleet", {}};

class Source final : public FleetSource {
 public:
  explicit Source(Fleet fleet) : fleet_(std::move(fleet)) {}
  const Fleet& fleet() const override { return fleet_; }
  Result<std::vector<Stat>> Decode(const Trace&, EventRow) const override {
    return std::vector<Stat>();
  }
  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&, std::stop_token) const override {
    return std::make_shared<const StatTable>();
  }

 private:
  Fleet fleet_;
};

Result<FleetPart> ReadOne(const InputFile& file, const LoadOptions& options,
                          const std::stop_token& stop, Progress* progress) {
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(file, options, stop, progress);
  if (!source.ok()) return source.status();
  std::string bytes((*source)->size(), '\0');
  Result<size_t> n = (*source)->Read(0, std::as_writable_bytes(std::span(bytes)));
  if (!n.ok()) return n.status();
  bytes.resize(*n);
  progress->bytes_done += (*source)->file_bytes();
  Result<FleetPart> part = ReadPart(bytes);
  if (!part.ok()) return Status(part.status().code(), file.path + ": " + part.status().message());
  return part;
}

// Whether the path is the fleet's: below another folder it is a run of that.
bool IsOpenedItself(const Trace& trace, std::span<const InputFile> files) {
  namespace fs = std::filesystem;
  const fs::path fleet = fs::path(files.front().path).parent_path().parent_path();
  return fleet.lexically_normal() == (fs::path(trace.path) / "").lexically_normal().parent_path();
}

Status NoSuchRun(const std::string& path, const std::string& wanted, const Fleet& fleet) {
  std::string known;
  for (const FleetRun& run : fleet.runs) known += (known.empty() ? "" : ", ") + run.name;
  return {ErrorCode::kUsage,
          path + ": this fleet has no run named " + wanted + "; there are: " + known};
}

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading the fleet");
  std::vector<Result<FleetPart>> read(files.size(), Status(ErrorCode::kCancelled, "cancelled"));
  ParallelFor(files.size(), [&](size_t i) {
    if (!stop.stop_requested()) read[i] = ReadOne(files[i], options, stop, &progress);
  });
  if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  std::vector<FleetPart> parts;
  size_t next = 0;
  Trace& trace = builder.trace();
  Status status = LoadEach(files, &trace, [&](const InputFile&) -> Status {
    Result<FleetPart>& part = read[next++];
    if (!part.ok()) return part.status();
    parts.push_back(std::move(part).value());
    return {};
  });
  if (!status.ok()) return status;
  progress.SetStage("Putting ranks together");
  for (const FleetPart& part : parts) {
    trace.file_bytes += static_cast<uint64_t>(std::max<int64_t>(0, part.file.bytes));
    if (!part.file.error.empty()) trace.skipped_files.push_back(part.file.error);
  }
  Fleet fleet = MakeFleet(std::move(parts));
  if (IsOpenedItself(trace, files)) {
    std::optional<size_t> run = 0;
    if (!options.run.empty()) run = FindRun(fleet, options.run);
    if (!run) return NoSuchRun(trace.path, options.run, fleet);
    fleet.shown = *run;
    trace.run = ShortRunNames(fleet)[*run];
  }
  trace.format = &kFleet;
  trace.origin_unix_ns = fleet.ShownRun().origin_unix_ns;
  trace.source = std::make_shared<Source>(std::move(fleet));
  return {};
}

bool Sniff(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  return text.starts_with(kPartMagic);
}

constexpr FileEnding kEndings[] = {{".stepfacts", FileEnding::Kind::kOwn}};

}  // namespace
}  // namespace fleet

extern const LoaderDesc kFleetLoader;
const LoaderDesc kFleetLoader = {&fleet::kFleet, "Fleet of ranks", fleet::kEndings, fleet::Sniff,
                                 fleet::Load};

}  // namespace stepscope
