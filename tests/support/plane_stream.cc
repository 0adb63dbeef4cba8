#include "tests/support/plane_stream.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <tuple>

#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

constexpr std::size_t kMinChunk = 4096;
constexpr std::size_t kMaxChunk = std::size_t{1} << 20;
constexpr std::size_t kMaxStats = 24;
constexpr std::size_t kMaxStatBytes = 24;  // tag, length, 6 of metadata id, 11 of value
constexpr std::size_t kMaxEventBytes = 33 + kMaxStats * kMaxStatBytes;

char* WriteVarint(char* out, std::uint64_t value) {
  for (; value > 127; value >>= 7) *out++ = static_cast<char>((value & 127) | 128);
  *out++ = static_cast<char>(value);
  return out;
}

char* WriteField(char* out, std::uint8_t field, std::uint64_t value) {
  *out++ = static_cast<char>(field << 3);
  return WriteVarint(out, value);
}

std::size_t Index(Symbol symbol) { return static_cast<std::size_t>(symbol); }

std::string TagAndLength(std::uint32_t field, std::uint64_t length) {
  std::string out;
  PutTag(&out, field, WireType::kBytes);
  PutVarint(&out, length);
  return out;
}

}  // namespace

Symbol SymbolTable::Add(std::string_view text) {
  if (const auto it = symbols_.find(text); it != symbols_.end()) return it->second;
  const auto symbol = static_cast<Symbol>(texts_.size());
  symbols_.emplace(texts_.emplace_back(text), symbol);
  return symbol;
}

const std::string& SymbolTable::Text(Symbol symbol) const { return texts_[Index(symbol)]; }

StatArg StatArg::Uint(Symbol name, std::uint64_t value) { return {name, Kind::kUint64, value}; }

StatArg StatArg::Int(Symbol name, std::int64_t value) {
  return {name, Kind::kInt64, static_cast<std::uint64_t>(value)};
}

StatArg StatArg::Ref(Symbol name, Symbol text) {
  return {name, Kind::kRef, static_cast<std::uint64_t>(text)};
}

StatArg StatArg::Double(Symbol name, double value) {
  return {name, Kind::kDouble, std::bit_cast<std::uint64_t>(value)};
}

void ChunkedBytes::Append(std::string_view bytes) {
  size_ += bytes.size();
  while (!bytes.empty()) {
    if (chunks_.empty() || chunks_.back().size() == chunks_.back().capacity()) {
      chunks_.emplace_back().reserve(
          std::clamp(static_cast<std::size_t>(size_), kMinChunk, kMaxChunk));
    }
    std::string& chunk = chunks_.back();
    const std::size_t n = std::min(bytes.size(), chunk.capacity() - chunk.size());
    chunk.append(bytes.substr(0, n));
    bytes.remove_prefix(n);
  }
}

void ChunkedBytes::Drain(const ByteSink& sink) {
  for (; !chunks_.empty(); chunks_.pop_front()) sink(chunks_.front());
  size_ = 0;
}

LineStream::LineStream(PlaneStream* plane, std::int64_t id, std::string_view name) : plane_(plane) {
  PutInt(&header_, 1, id);
  PutBytes(&header_, 2, name);
  PutInt(&header_, 3, plane->base_ns_);
}

void LineStream::Event(Symbol name, std::int64_t begin_ps, std::int64_t dur_ps,
                       std::initializer_list<StatArg> stats) {
  assert(stats.size() <= kMaxStats);
  const std::int64_t offset_ps = begin_ps - plane_->base_ns_ * 1000;
  char body[kMaxEventBytes];
  char* end = WriteField(body, 1, plane_->event_ids_.Get(name));
  end = WriteField(end, 2, static_cast<std::uint64_t>(offset_ps));
  end = WriteField(end, 3, static_cast<std::uint64_t>(dur_ps));
  for (const StatArg& stat : stats) {
    *end++ = 4 << 3 | 2;
    end = plane_->EncodeStat(end, stat);
  }
  const auto size = static_cast<std::size_t>(end - body);
  char head[4] = {4 << 3 | 2};
  const char* head_end = WriteVarint(head + 1, size);
  const std::size_t at = scratch_.size();
  scratch_.append(std::string_view(head, head_end)).append(body, size);
  pending_.push_back({offset_ps, dur_ps, static_cast<std::uint32_t>(at),
                      static_cast<std::uint32_t>(scratch_.size() - at)});
  ++plane_->event_count_;
}

void LineStream::Flush() {
  // Parents come before children. Most events are in this order already, and then one append is
  // enough.
  const auto before = [](const Pending& a, const Pending& b) {
    return std::tie(a.offset_ps, b.dur_ps) < std::tie(b.offset_ps, a.dur_ps);
  };
  if (std::is_sorted(pending_.begin(), pending_.end(), before)) {
    bytes_.Append(scratch_);
  } else {
    std::stable_sort(pending_.begin(), pending_.end(), before);
    for (const Pending& event : pending_) {
      bytes_.Append(std::string_view(scratch_).substr(event.at, event.size));
    }
  }
  pending_.clear();
  scratch_.clear();
}

PlaneStream::PlaneStream(SymbolTable* symbols, std::int64_t id, std::string_view name,
                         std::int64_t base_ns)
    : symbols_(symbols), id_(id), base_ns_(base_ns), name_(name) {}

LineStream* PlaneStream::Line(std::int64_t id, std::string_view name) {
  lines_.emplace_back(new LineStream(this, id, name));  // its constructor is private
  return lines_.back().get();
}

std::uint64_t PlaneStream::IdMap::Get(Symbol symbol) {
  const std::size_t index = Index(symbol);
  if (index >= ids.size()) ids.resize(index + 1);
  if (ids[index] == 0) {
    symbols.push_back(symbol);
    ids[index] = static_cast<std::uint32_t>(symbols.size());
  }
  return ids[index];
}

// Writes length and body of an XStat. The length is always below 128, so it takes one byte.
char* PlaneStream::EncodeStat(char* out, const StatArg& stat) {
  char* end = WriteField(out + 1, 1, stat_ids_.Get(stat.name));
  if (stat.kind == StatArg::Kind::kDouble) {
    *end++ = 2 << 3 | 1;
    for (int shift = 0; shift < 64; shift += 8) *end++ = static_cast<char>(stat.bits >> shift);
  } else {
    const bool is_ref = stat.kind == StatArg::Kind::kRef;
    const std::uint64_t value = is_ref ? stat_ids_.Get(static_cast<Symbol>(stat.bits)) : stat.bits;
    end = WriteField(end, static_cast<std::uint8_t>(stat.kind), value);
  }
  *out = static_cast<char>(end - out - 1);
  return end;
}

void PlaneStream::Stat(const StatArg& stat) {
  char body[kMaxStatBytes];
  const char* end = EncodeStat(body, stat);
  PutBytes(&own_stats_, 6, std::string_view(body + 1, end));
}

void PlaneStream::StringStat(Symbol name, std::string_view value) {
  std::string body;
  PutUint(&body, 1, stat_ids_.Get(name));
  PutBytes(&body, 5, value);
  PutBytes(&own_stats_, 6, body);
}

void PlaneStream::Flush() {
  for (const auto& line : lines_) line->Flush();
}

std::string PlaneStream::Metadata() const {
  std::string out;
  const auto put = [&](std::uint32_t field, const IdMap& map) {
    for (std::size_t i = 0; i < map.symbols.size(); ++i) {
      const auto id = static_cast<std::int64_t>(i + 1);
      std::string message;
      PutInt(&message, 1, id);
      PutBytes(&message, 2, symbols_->Text(map.symbols[i]));
      PutMapEntry(&out, field, id, message);
    }
  };
  put(4, event_ids_);
  put(5, stat_ids_);
  return out + own_stats_;
}

void PlaneStream::Write(const ByteSink& sink) {
  Flush();
  std::string header;
  PutInt(&header, 1, id_);
  PutBytes(&header, 2, name_);
  const std::string metadata = Metadata();
  std::uint64_t size = header.size() + metadata.size();
  std::vector<std::string> line_heads;
  for (const auto& line : lines_) {
    const std::uint64_t line_size = line->header_.size() + line->bytes_.Size();
    line_heads.push_back(TagAndLength(3, line_size) + line->header_);
    size += line_heads.back().size() + line->bytes_.Size();
  }
  sink(TagAndLength(1, size) + header);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    sink(line_heads[i]);
    lines_[i]->bytes_.Drain(sink);
  }
  sink(metadata);
}

}  // namespace stepscope::test
