// The loader of .stepscope files (docs/store.md).
#include "loaders/loader.h"
#include "loaders/store/section.h"
#include "loaders/store/store_reader.h"
#include "loaders/store/trace_join.h"
#include "model/allocator_history.h"

namespace stepscope {
namespace store {
namespace {

// Says how files of the loader are called. Traces have the format of the profile that the store was
// made from.
constexpr TraceFormat kStore = {"Stepscope store", {}};

Status LoadOne(TraceBuilder& builder, const InputFile& file, const LoadOptions& options,
               const std::stop_token& stop, Progress& progress) {
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(file, options, stop, &progress);
  if (!source.ok()) return source.status();
  return ReadStoreInto(std::move(source).value(), {options.max_inflated_bytes, false}, stop,
                       &progress, &builder);
}

// Events of different formats have no common capabilities, and a snapshot has no time of others.
Status CheckJoins(const Trace& first, uint64_t rows, const Trace& next, const InputFile& file) {
  if (HistoryOf(first) != nullptr || HistoryOf(next) != nullptr)
    return {ErrorCode::kFormat, file.path + ": a memory snapshot is opened by itself"};
  if (std::string_view(first.format->name) != next.format->name)
    return {ErrorCode::kFormat, file.path + ": " + next.format->name + " beside " +
                                    first.format->name + "; open it by itself"};
  if (rows + next.set.rows >= EventRow::kInvalid)
    return {ErrorCode::kLimit, file.path + ": too many events for one timeline"};
  return {};
}

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading the store");
  if (files.size() == 1) return LoadOne(builder, files.front(), options, stop, progress);
  std::vector<std::shared_ptr<const Trace>> parts;
  uint64_t rows = 0;  // of all parts
  Status status = LoadEach(files, &builder.trace(), [&](const InputFile& file) -> Status {
    TraceBuilder one;
    one.trace().path = file.path;
    if (Status s = LoadOne(one, file, options, stop, progress); !s.ok()) return s;
    Result<std::shared_ptr<const Trace>> part = one.Finish(stop, &progress);
    if (!part.ok()) return part.status();
    if (!parts.empty()) {
      if (Status s = CheckJoins(*parts.front(), rows, **part, file); !s.ok()) return s;
    }
    rows += (*part)->set.rows;
    parts.push_back(std::move(part).value());
    return {};
  });
  if (!status.ok()) return status;
  JoinTraces(std::move(parts), stop, &builder);
  return {};
}

bool Sniff(std::span<const std::byte> prefix) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  return text.starts_with(kMagic);
}

constexpr FileEnding kEndings[] = {{".stepscope", FileEnding::Kind::kOwn}};

}  // namespace
}  // namespace store

extern const LoaderDesc kStoreLoader;
const LoaderDesc kStoreLoader = {&store::kStore, "Stepscope store", store::kEndings, store::Sniff,
                                 store::Load};

}  // namespace stepscope
