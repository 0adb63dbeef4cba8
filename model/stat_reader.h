// StatReader: reads the arguments of many events one after the other, faster than
// StatSource::Decode() does for each. A StatSource may offer one. A reader is used by one thread at
// a time; different readers of a source may be used by different threads.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "model/base/status.h"
#include "model/stats.h"
#include "model/trace.h"

namespace stepscope {

// A Stat whose texts are borrowed: they hold until the visitor returns, and a lasting text as long
// as the reader.
struct StatView {
  std::string_view name;
  uint8_t kind = 0;   // position of the type in Stat::value
  uint64_t bits = 0;  // of a number
  std::string_view text;
  bool from_metadata = false;
  bool lasting = false;  // the text is at no other time another one
};
StatView ViewOf(const Stat& stat);

// Is told the stats of a row, in their order.
class StatVisitor {
 public:
  virtual ~StatVisitor() = default;
  // The stats of its metadata come first. Rows of one key have the same ones; 0: no key.
  virtual void TakeMetadata(std::span<const Stat> stats, uint64_t key) = 0;
  virtual void Take(const StatView& stat) = 0;
};

class StatReader {
 public:
  virtual ~StatReader() = default;
  // Returns the same as Decode() of the row. Rows that ascend are quick.
  virtual Result<std::vector<Stat>> Read(EventRow row) = 0;
  // Tells the visitor the same. For whoever goes through millions of rows.
  virtual Status Visit(EventRow row, StatVisitor* visitor);
};

// A StatSource that offers readers.
class StatReaders {
 public:
  virtual ~StatReaders() = default;
  // The trace must live as long as the reader.
  virtual std::unique_ptr<StatReader> NewReader(const Trace& trace) const = 0;
};

inline StatView ViewOf(const Stat& stat) {
  StatView view{stat.name, static_cast<uint8_t>(stat.value.index()), 0, {}, stat.from_metadata};
  if (const auto* i = std::get_if<int64_t>(&stat.value)) view.bits = static_cast<uint64_t>(*i);
  if (const auto* u = std::get_if<uint64_t>(&stat.value)) view.bits = *u;
  if (const auto* d = std::get_if<double>(&stat.value)) view.bits = std::bit_cast<uint64_t>(*d);
  if (const auto* text = std::get_if<std::string>(&stat.value)) view.text = *text;
  return view;
}

inline Status StatReader::Visit(EventRow row, StatVisitor* visitor) {
  const Result<std::vector<Stat>> stats = Read(row);
  if (!stats.ok()) return stats.status();
  size_t common = 0;
  while (common < stats->size() && (*stats)[common].from_metadata) ++common;
  if (common > 0) visitor->TakeMetadata(std::span(*stats).first(common), 0);
  for (const Stat& stat : std::span(*stats).subspan(common)) visitor->Take(ViewOf(stat));
  return {};
}

// A reader of any trace that has a source.
inline std::unique_ptr<StatReader> ReaderOf(const Trace& trace) {
  class Plain final : public StatReader {
   public:
    explicit Plain(const Trace& trace) : trace_(trace) {}
    Result<std::vector<Stat>> Read(EventRow row) override {
      return trace_.source->Decode(trace_, row);
    }

   private:
    const Trace& trace_;
  };
  const auto* readers = dynamic_cast<const StatReaders*>(trace.source.get());
  if (readers != nullptr) return readers->NewReader(trace);
  return std::make_unique<Plain>(trace);
}

}  // namespace stepscope
