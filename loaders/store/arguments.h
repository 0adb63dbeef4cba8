// Arguments of events in a store: blocks of rows that are read when someone asks, and the
// StatSource that does. A block lists its names, texts and shapes: which arguments an event has is
// its shape, and the values of one argument of a shape are a list of integers
// (docs/store.md#arguments).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/files/byte_source.h"
#include "loaders/store/section.h"
#include "model/event_rows.h"
#include "model/stats.h"
#include "model/trace.h"
#include "model/xla/hlo_source.h"

namespace stepscope::store {

inline constexpr uint32_t kArgumentRows = 1u << 14;  // of a block
inline constexpr uint32_t kStatRows = 1u << 17;      // of a section of typed stats

struct SectionPlace {
  SectionHeader header;
  uint64_t at = 0;  // of the stored bytes
};

struct StoredProgram {
  xla::ProgramEntry entry;  // `place`: number of the program's section
  SectionPlace section;     // stored 0: it is missing
};

// Where the sections lie that are read later.
struct ArgumentBlocks {
  std::vector<SectionPlace> arguments;   // by row
  std::vector<SectionPlace> stats;       // by row
  std::vector<SectionPlace> stat_names;  // in order
};

// Appends the arguments of `count` rows from `first` on. kIo, kCancelled.
Status WriteArguments(const Trace& trace, uint32_t first, uint32_t count,
                      const std::stop_token& stop, std::string* out);
// Appends the typed stats of these rows.
void WriteStats(const StatTable& stats, uint32_t first, uint32_t count, std::string* out);

// A block of arguments, ready to be asked. Owns its bytes. Immutable.
class ArgumentBlock {
 public:
  // Null where the bytes make no sense.
  static std::shared_ptr<const ArgumentBlock> Parse(std::string bytes, uint32_t rows);
  std::vector<Stat> Row(uint32_t i) const;
  size_t bytes() const;

 private:
  struct Column {  // a list of integers where it lies
    uint64_t base = 0, factor = 0;
    uint32_t width = 0, count = 0;
    const uint8_t* planes = nullptr;
    uint64_t At(uint32_t i) const;
  };
  struct Argument {
    uint32_t name = 0;
    uint8_t kind = 0;
    Column values;
  };
  struct Common {  // an argument whose value is the same for several events
    Argument argument;
    uint64_t value = 0;
  };
  bool ReadCommon(class ByteReader* reader);
  bool ReadShapes(class ByteReader* reader);
  bool ReadArgument(class ByteReader* reader, Argument* argument) const;
  bool ReadValues(class ByteReader* reader);
  void Add(const Argument& argument, uint64_t value, size_t* text_bytes,
           std::vector<Stat>* out) const;

  std::string bytes_;
  std::vector<std::string_view> names_, texts_;
  std::vector<std::vector<Argument>> shapes_;
  std::vector<uint32_t> shape_,
      index_;                     // by row: its shape + 1, and which of the shape's rows it is
  std::vector<uint32_t> common_;  // by row: its list of common arguments + 1
  std::vector<std::vector<Common>> common_lists_;
};

// `source`: the file, which stays open. `programs`: null where the format has none.
std::shared_ptr<const StatSource> MakeStoreSource(
    std::shared_ptr<const ByteSource> source, ArgumentBlocks blocks, RowMap rows,
    std::shared_ptr<const std::vector<StoredProgram>> programs, uint64_t most_bytes);

// Whether the bytes are typed stats of the rows that the header names; appends them where `out` is
// not null. `names`: the ids of texts by their numbers in the file.
bool ReadStats(std::string_view bytes, const RowMap& rows, const SectionHeader& header,
               std::span<const StringId> names, StatTable* out);

}  // namespace stepscope::store
