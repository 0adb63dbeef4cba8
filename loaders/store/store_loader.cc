// The loader of .stepscope files (docs/store.md).
#include "loaders/loader.h"
#include "loaders/store/section.h"
#include "loaders/store/store_reader.h"

namespace stepscope {
namespace store {
namespace {

// Says how files of the loader are called. Traces have the format of the profile that the store was
// made from.
constexpr TraceFormat kStore = {"Stepscope store", {}};

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  progress.SetStage("Reading the store");
  const InputFile& file = files.front();
  for (const InputFile& other : files.subspan(1))
    builder.trace().skipped_files.push_back(other.path + ": one store is read at a time");
  Result<std::shared_ptr<const ByteSource>> source = OpenInput(file, options, stop, &progress);
  if (!source.ok()) return source.status();
  return ReadStoreInto(std::move(source).value(), {options.max_inflated_bytes, false}, stop,
                       &progress, &builder);
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
