// The StatSource of a store: reads its later sections when someone asks. Thread-safe.
#include <algorithm>
#include <deque>
#include <mutex>
#include <new>
#include <utility>

#include "loaders/store/arguments.h"
#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"
#include "loaders/xla/hlo_decoder.h"
#include "model/jobs/job.h"

namespace stepscope::store {
namespace {

constexpr size_t kCacheBytes = size_t{256} << 20;
constexpr uint64_t kMostMissingTexts = 1u << 24;

// The unpacked bytes of a section. kIo where the file has changed, kFormat where it is damaged.
Result<std::string> ReadSection(const ByteSource& source, const SectionPlace& place,
                                uint64_t most_bytes) {
  const SectionHeader& header = place.header;
  if (header.inflated > most_bytes)
    return Status(ErrorCode::kLimit, "a part of the store inflates to more than --max-inflated");
  std::string stored(static_cast<size_t>(header.stored), '\0'), bytes;
  const Result<size_t> n =
      source.Read(place.at, std::as_writable_bytes(std::span(stored.data(), stored.size())));
  if (!n.ok()) return n.status();
  if (*n != stored.size() || Checksum(stored) != header.checksum ||
      !Inflate(stored, header.inflated, &bytes))
    return Status(ErrorCode::kFormat, "a part of the store is damaged");
  return bytes;
}

class StoreSource : public StatSource {
 public:
  StoreSource(std::shared_ptr<const ByteSource> source, ArgumentBlocks blocks, RowMap rows,
              uint64_t most_bytes)
      : source_(std::move(source)),
        blocks_(std::move(blocks)),
        rows_(std::move(rows)),
        most_bytes_(most_bytes) {
    const auto by_row = [](const SectionPlace& a, const SectionPlace& b) {
      return a.header.key < b.header.key;
    };
    std::stable_sort(blocks_.arguments.begin(), blocks_.arguments.end(), by_row);
    std::stable_sort(blocks_.stats.begin(), blocks_.stats.end(), by_row);
  }

  Result<std::vector<Stat>> Decode(const Trace&, EventRow row) const override {
    const EventRow in_file = rows_.InOriginal(row.value);
    if (!in_file.valid()) return Status(ErrorCode::kUsage, "no such event");
    const auto after = std::upper_bound(
        blocks_.arguments.begin(), blocks_.arguments.end(), in_file.value,
        [](uint32_t r, const SectionPlace& place) { return r < place.header.key; });
    if (after == blocks_.arguments.begin()) return std::vector<Stat>();
    const SectionPlace& place = *(after - 1);
    const uint64_t i = in_file.value - place.header.key;
    if (i >= place.header.count) return std::vector<Stat>();
    try {
      const Result<std::shared_ptr<const ArgumentBlock>> block = BlockAt(place);
      if (!block.ok()) return block.status();
      return (*block)->Row(static_cast<uint32_t>(i));
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for the arguments of this event");
    }
  }

  Result<std::shared_ptr<const StatTable>> LoadTyped(const Trace&,
                                                     std::stop_token stop) const override {
    auto table = std::make_shared<StatTable>();
    std::vector<StringId> names;  // by their numbers in the file
    for (const SectionPlace& place : blocks_.stat_names) {
      const Result<std::string> bytes = ReadSection(*source_, place, most_bytes_);
      if (!bytes.ok()) return bytes.status();
      ByteReader reader(*bytes);
      const std::vector<std::string_view> texts = reader.Texts(place.header.count);
      // Parts come in order. Where one is missing, its texts are empty.
      if (place.header.key < names.size() || place.header.key > names.size() + kMostMissingTexts)
        continue;
      names.resize(place.header.key, StringId(0));
      for (const std::string_view text : texts) names.push_back(table->strings->Intern(text));
    }
    std::vector<std::unique_ptr<StatTable>> parts(blocks_.stats.size());
    std::vector<Status> statuses(parts.size());
    ParallelFor(parts.size(), [&](size_t i) {
      if (stop.stop_requested()) return;
      parts[i] = std::make_unique<StatTable>();
      statuses[i] = ReadPart(blocks_.stats[i], names, parts[i].get());
    });
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    for (const Status& status : statuses) {
      if (!status.ok()) return status;
    }
    for (std::unique_ptr<StatTable>& part : parts) {
      AppendAll(part->ints, &table->ints);
      AppendAll(part->texts, &table->texts);
      AppendAll(part->reals, &table->reals);
      part.reset();
    }
    table->ShrinkToFit();
    return std::shared_ptr<const StatTable>(std::move(table));
  }

  size_t resident_bytes() const override {
    std::lock_guard lock(mutex_);
    return source_->bytes().size() + cached_bytes_;
  }

 protected:
  const ByteSource& source() const { return *source_; }
  uint64_t most_bytes() const { return most_bytes_; }

 private:
  struct Cached {
    uint64_t at = 0;
    std::shared_ptr<const ArgumentBlock> block;
  };

  template <typename Columns>
  static void AppendAll(const Columns& from, Columns* to) {
    for (size_t i = 0; i < to->size(); ++i) (*to)[i].Append(from[i]);
  }

  Status ReadPart(const SectionPlace& place, std::span<const StringId> names,
                  StatTable* out) const {
    const Result<std::string> bytes = ReadSection(*source_, place, most_bytes_);
    if (!bytes.ok()) return bytes.status();
    if (!ReadStats(*bytes, rows_, place.header, names, out))
      return {ErrorCode::kFormat, "typed stats of the store are damaged"};
    return {};
  }

  Result<std::shared_ptr<const ArgumentBlock>> BlockAt(const SectionPlace& place) const {
    {
      std::lock_guard lock(mutex_);
      const auto found = std::find_if(cache_.begin(), cache_.end(),
                                      [&](const Cached& c) { return c.at == place.at; });
      if (found != cache_.end()) return found->block;
    }
    Result<std::string> bytes = ReadSection(*source_, place, most_bytes_);
    if (!bytes.ok()) return bytes.status();
    std::shared_ptr<const ArgumentBlock> block =
        ArgumentBlock::Parse(std::move(bytes).value(), place.header.count);
    if (block == nullptr) return Status(ErrorCode::kFormat, "arguments of the store are damaged");
    std::lock_guard lock(mutex_);
    cached_bytes_ += block->bytes();
    cache_.push_back({place.at, block});
    while (cached_bytes_ > kCacheBytes && cache_.size() > 1) {
      cached_bytes_ -= cache_.front().block->bytes();
      cache_.pop_front();
    }
    return block;
  }

  std::shared_ptr<const ByteSource> source_;
  ArgumentBlocks blocks_;
  RowMap rows_;
  uint64_t most_bytes_;
  mutable std::mutex mutex_;
  mutable std::deque<Cached> cache_;  // the newest last
  mutable size_t cached_bytes_ = 0;
};

class StoreSourceWithPrograms final : public StoreSource, public xla::HloSource {
 public:
  StoreSourceWithPrograms(std::shared_ptr<const ByteSource> source, ArgumentBlocks blocks,
                          RowMap rows, std::shared_ptr<const std::vector<StoredProgram>> programs,
                          uint64_t most_bytes)
      : StoreSource(std::move(source), std::move(blocks), std::move(rows), most_bytes),
        programs_(std::move(programs)) {}

  std::vector<xla::ProgramEntry> Programs() const override {
    std::vector<xla::ProgramEntry> entries;
    for (const StoredProgram& program : *programs_) entries.push_back(program.entry);
    return entries;
  }

  Result<std::string> Bytes(const xla::ProgramEntry& program) const override {
    if (program.place >= programs_->size() || (*programs_)[program.place].section.at == 0)
      return Status(ErrorCode::kUsage, "no such program");
    return ReadSection(source(), (*programs_)[program.place].section, most_bytes());
  }

  Result<std::shared_ptr<const xla::HloModule>> Read(const xla::ProgramEntry& program,
                                                     const std::stop_token& stop) const override {
    try {
      Result<std::string> bytes = Bytes(program);
      if (!bytes.ok()) return bytes.status();
      return DecodeHlo(std::move(bytes).value(), stop);
    } catch (const std::bad_alloc&) {
      return Status(ErrorCode::kLimit, "not enough memory for this program");
    }
  }

 private:
  std::shared_ptr<const std::vector<StoredProgram>> programs_;
};

}  // namespace

std::shared_ptr<const StatSource> MakeStoreSource(
    std::shared_ptr<const ByteSource> source, ArgumentBlocks blocks, RowMap rows,
    std::shared_ptr<const std::vector<StoredProgram>> programs, uint64_t most_bytes) {
  if (programs == nullptr) {
    return std::make_shared<StoreSource>(std::move(source), std::move(blocks), std::move(rows),
                                         most_bytes);
  }
  return std::make_shared<StoreSourceWithPrograms>(
      std::move(source), std::move(blocks), std::move(rows), std::move(programs), most_bytes);
}

}  // namespace stepscope::store
