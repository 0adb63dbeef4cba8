// The loader of fleets: the parts that stepscope-fleet wrote (docs/fleet.md). The trace has no
// events; its source holds the fleet.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaders/fleet/part_codec.h"
#include "loaders/loader.h"

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
