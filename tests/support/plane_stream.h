// PlaneStream: writes one XPlane of any size. Events are encoded as they come; memory is the size
// of the output. xspace_builder.h is easier to call for XSpaces of a few events.
//
// Every name is a Symbol, interned once in a SymbolTable, so that naming an event or a stat costs
// an array access: several million events a second. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stepscope::test {

enum class Symbol : std::uint32_t {};

// Gives each string a number; the planes of one XSpace share a table.
class SymbolTable {
 public:
  Symbol Add(std::string_view text);
  const std::string& Text(Symbol symbol) const;

 private:
  std::deque<std::string> texts_;  // stable addresses for the keys of the map
  std::unordered_map<std::string_view, Symbol> symbols_;
};

// One numeric or string-reference stat of an event.
struct StatArg {
  enum class Kind : std::uint8_t { kUint64 = 3, kInt64 = 4, kRef = 7, kDouble = 2 };

  static StatArg Uint(Symbol name, std::uint64_t value);
  static StatArg Int(Symbol name, std::int64_t value);
  static StatArg Ref(Symbol name, Symbol text);
  static StatArg Double(Symbol name, double value);

  Symbol name;
  Kind kind;
  std::uint64_t bits;
};

using ByteSink = std::function<void(std::string_view)>;

// An append-only byte string without the reallocation peaks of std::string.
class ChunkedBytes {
 public:
  void Append(std::string_view bytes);
  std::uint64_t Size() const { return size_; }
  // Hands all bytes to `sink` in order, freeing each chunk after its turn.
  void Drain(const ByteSink& sink);

 private:
  std::deque<std::string> chunks_;
  std::uint64_t size_ = 0;
};

class PlaneStream;

// The events of one XLine. Its plane owns it.
class LineStream {
 public:
  // `begin_ps` is absolute; the plane's base is subtracted. Events before a Flush() may come in
  // any order.
  void Event(Symbol name, std::int64_t begin_ps, std::int64_t dur_ps,
             std::initializer_list<StatArg> stats);

 private:
  friend class PlaneStream;
  struct Pending {
    std::int64_t offset_ps, dur_ps;
    std::uint32_t at, size;  // bytes in scratch_
  };

  LineStream(PlaneStream* plane, std::int64_t id, std::string_view name);
  void Flush();

  PlaneStream* plane_;
  std::string header_;
  std::vector<Pending> pending_;
  std::string scratch_;
  ChunkedBytes bytes_;
};

class PlaneStream {
 public:
  // Every line starts at `base_ns`; offsets count from there.
  PlaneStream(SymbolTable* symbols, std::int64_t id, std::string_view name, std::int64_t base_ns);

  LineStream* Line(std::int64_t id, std::string_view name);

  // Adds a stat of the plane itself. Call it after the last event.
  void Stat(const StatArg& stat);
  void StringStat(Symbol name, std::string_view value);

  // Sorts and encodes the events so far: begin ascending, duration descending, as profilers write
  // them. Later events have to begin later on their line, else the line is written out of order.
  void Flush();

  // Flushes, hands the plane over as field 1 of an XSpace, and frees it.
  void Write(const ByteSink& sink);

  std::uint64_t EventCount() const { return event_count_; }

 private:
  friend class LineStream;

  // Metadata ids of one kind by symbol, and the symbols in order of their ids (1, 2, ...).
  struct IdMap {
    std::uint64_t Get(Symbol symbol);
    std::vector<std::uint32_t> ids;
    std::vector<Symbol> symbols;
  };

  char* EncodeStat(char* out, const StatArg& stat);
  std::string Metadata() const;

  SymbolTable* symbols_;
  std::int64_t id_, base_ns_;
  std::string name_, own_stats_;
  IdMap event_ids_, stat_ids_;
  std::vector<std::unique_ptr<LineStream>> lines_;
  std::uint64_t event_count_ = 0;
};

}  // namespace stepscope::test
