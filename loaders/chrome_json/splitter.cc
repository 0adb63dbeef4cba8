#include "loaders/chrome_json/splitter.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <system_error>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"

namespace stepscope::chrome {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kPopulate = uint64_t{1} << 20;  // bytes of pages that are taken at once
constexpr uint64_t kPopulateFrom = uint64_t{8}
                                   << 20;  // a small text is read sooner than a thread starts
constexpr uint64_t kAhead = uint64_t{16} << 20;
constexpr uint64_t kLeastReserve = uint64_t{64} << 20;

// Pages are moved by so many bytes: a whole page table, so that moving costs nothing per page.
constexpr uint64_t kChunk = uint64_t{2} << 20;

// From this size on a thread of its own unmaps the text. It takes 50 ms a GB, and nobody who closes
// or cancels should wait for it.
constexpr uint64_t kSlowToUnmap = uint64_t{256} << 20;
constexpr uint64_t kUnmapPiece = uint64_t{8} << 20;

// Unmaps a piece at a time, so that other threads that free memory get their turn in between.
void UnmapInPieces(char* base, uint64_t mapped, uint64_t used) {
  for (uint64_t at = 0; at < used; at += kUnmapPiece)
    madvise(base + at, std::min(kUnmapPiece, mapped - at), MADV_DONTNEED);
  munmap(base, mapped);
}

void GiveBack(char* base, uint64_t mapped, uint64_t used) {
  try {
    if (used >= kSlowToUnmap)
      return std::thread([=] { UnmapInPieces(base, mapped, used); }).detach();
  } catch (const std::system_error&) {  // no thread could be started
  }
  munmap(base, mapped);
}

uint64_t RoundUp(uint64_t n) { return (n + kPage - 1) / kPage * kPage; }

}  // namespace

Result<std::shared_ptr<TraceText>> TraceText::Reserve(uint64_t max_bytes) {
  // MAP_NORESERVE: the space does not count as used memory. Where the system refuses the size, a
  // smaller one is tried; then the limit comes earlier, with the same message.
  std::shared_ptr<TraceText> text(new TraceText);
  const uint64_t most = std::min<uint64_t>(max_bytes, uint64_t{1} << 44);
  for (uint64_t bytes = RoundUp(most + 1);; bytes = RoundUp(bytes / 2)) {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p != MAP_FAILED) {
      // No huge pages: touching 1 GB of them costs 1.2 to 3 s of system time on a virtual machine
      // (4 KiB pages: 0.4 s).
      text->base_ = static_cast<char*>(p);
      text->data_ = text->base_;
      text->mapped_ = bytes;
      return text;
    }
    if (bytes <= kLeastReserve)
      return Status(ErrorCode::kLimit, "no address space for the text of the trace");
  }
}

std::shared_ptr<TraceText> TraceText::Of(std::shared_ptr<const ByteSource> source) {
  std::shared_ptr<TraceText> text(new TraceText);
  const std::span<const std::byte> bytes = source->bytes();
  text->data_ = reinterpret_cast<const char*>(bytes.data());
  text->size_ = bytes.size();
  text->source_ = std::move(source);
  return text;
}

Result<std::shared_ptr<TraceText>> TraceText::Passing(uint64_t max_bytes) {
  Result<std::shared_ptr<TraceText>> made = Reserve(max_bytes + 2 * kChunk);
  if (!made.ok()) return made;
  TraceText& text = **made;
  const auto at = reinterpret_cast<uintptr_t>(text.base_);
  const uint64_t head = (kChunk - at % kChunk) % kChunk;
  if (head > 0) munmap(text.base_, head);
  text.base_ += head;
  text.data_ = text.base_;
  text.mapped_ = (text.mapped_ - head) / kPage * kPage;
  text.passing_ = true;
  return made;
}

TraceText::~TraceText() {
  populator_ = {};
  if (base_ != nullptr) GiveBack(base_, mapped_, size_);
}

std::span<char> TraceText::Room(size_t want) {
  if (base_ == nullptr) return {};
  uint64_t room = std::min<uint64_t>(want, mapped_ - size_);
  if (passing_) {
    const uint64_t chunk = size_ / kChunk;
    for (; taken_ <= chunk; ++taken_) TakeChunk(taken_);
    room = std::min(room, (chunk + 1) * kChunk - size_);
  }
  return {base_ + size_, static_cast<size_t>(room)};
}

// Moves the pages of a released chunk to the end. The old place stays readable, as zeros: text from
// outside decides where readers look, and a mistake there must not crash. Where the kernel cannot
// do that (before Linux 5.7), the chunk at the end gets fresh pages when it is touched.
void TraceText::TakeChunk([[maybe_unused]] uint64_t chunk) {
#ifdef MREMAP_DONTUNMAP
  if ((oldest_ + 1) * kChunk > released_ || (chunk + 1) * kChunk > mapped_) return;
  constexpr int kFlags = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
  mremap(base_ + oldest_ * kChunk, kChunk, kChunk, kFlags, base_ + chunk * kChunk);
  ++oldest_;
#endif
}

void TraceText::Grow(size_t n) {
  size_ += n;
#ifdef MADV_POPULATE_WRITE
  if (base_ == nullptr || passing_ || size_ < kPopulateFrom) return;
  {
    std::lock_guard lock(mutex_);
    known_size_ = size_;
  }
  grown_.notify_one();
  if (!populator_.joinable())
    populator_ = std::jthread([this](const std::stop_token& stop) { PopulateAhead(stop); });
#endif
}

// Taking pages a block at a time also costs a quarter less than one fault each. Where the kernel
// cannot do that (before Linux 5.14), pages come by faults.
void TraceText::PopulateAhead([[maybe_unused]] const std::stop_token& stop) {
#ifdef MADV_POPULATE_WRITE
  uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (grown_.wait(lock, stop, [&] { return done < known_size_ + kAhead; })) {
    done = std::max(done, known_size_ / kPopulate * kPopulate);
    if (done + kPopulate > mapped_) return;
    lock.unlock();
    if (madvise(base_ + done, kPopulate, MADV_POPULATE_WRITE) != 0) return;
    done += kPopulate;
    lock.lock();
    if (stop.stop_requested()) return;
  }
#endif
}

void TraceText::Finish() {
  if (base_ == nullptr) return;
  populator_ = {};  // stops and joins
  const uint64_t used = std::max(RoundUp(size_), kPage);
  if (used < mapped_) {
    munmap(base_ + used, mapped_ - used);
    mapped_ = used;
  }
}

using namespace json;

Splitter::Splitter(const char* text, OnBatch on_batch)
    : text_(text), on_batch_(std::move(on_batch)) {}

void Splitter::Advance(uint64_t size, bool eof) {
  bool going = true;
  while (going && !lost_) {
    switch (place_) {
      case Place::kStart:
        going = Start(size, eof);
        break;
      case Place::kMember:
        going = Member(size, eof);
        break;
      case Place::kValue:
        going = Value(size, eof);
        break;
      case Place::kEvents:
        going = Events(size, eof);
        break;
      case Place::kEnd:
      case Place::kBad:
        going = false;
        break;
    }
  }
}

void Splitter::BeginWalk() {
  state_ = {};
  depth_ = 0;
}

bool Splitter::Start(uint64_t size, bool eof) {
  if (at_ == 0) {
    if (size < 3 && !eof) return false;
    if (size >= 3 && std::memcmp(text_, "\xef\xbb\xbf", 3) == 0) at_ = 3;
  }
  while (at_ < size && IsSpace(text_[at_])) ++at_;
  if (at_ >= size) return false;
  if (text_[at_] == '[') {
    bare_array_ = saw_events_ = true;
    place_ = Place::kEvents;
    batch_begin_ = ++at_;
    BeginWalk();
  } else {
    place_ = text_[at_] == '{' ? Place::kMember : Place::kBad;
    if (place_ == Place::kMember) ++at_;
  }
  return true;
}

// Reads what comes between members of the outer object: a key and its colon, or the end.
bool Splitter::Member(uint64_t size, bool eof) {
  while (at_ < size && (IsSpace(text_[at_]) || text_[at_] == ',')) ++at_;
  if (at_ >= size) return false;
  if (text_[at_] == '}') {
    ++at_;
    place_ = Place::kEnd;
    return true;
  }
  if (text_[at_] != '"') {
    place_ = Place::kBad;
    return true;
  }
  Cursor cursor(text_ + at_, text_ + size);
  std::string_view key;
  if (!cursor.String(&key)) {
    if (eof || key.size() > (size_t{1} << 20)) place_ = Place::kBad;
    return place_ == Place::kBad;
  }
  cursor.SkipSpace();
  if (cursor.done() && !eof) return false;
  if (cursor.peek() != ':') {
    place_ = Place::kBad;
    return true;
  }
  cursor.Advance();
  cursor.SkipSpace();
  if (cursor.done() && !eof) return false;
  at_ = static_cast<uint64_t>(cursor.at() - text_);
  key_ = StripQuotes(key);
  if (key_ == "traceEvents" && cursor.peek() == '[') {
    saw_events_ = true;
    place_ = Place::kEvents;
    batch_begin_ = ++at_;
  } else {
    value_begin_ = retry_at_ = at_;
    place_ = Place::kValue;
  }
  BeginWalk();
  return true;
}

bool Splitter::Value(uint64_t size, bool eof) {
  const char first = value_begin_ < size ? text_[value_begin_] : '\0';
  if (first == '{' || first == '[') {
    if (!Walk(size, eof, false)) return false;
  } else {
    if (size < retry_at_ && !eof) return false;
    Cursor cursor(text_ + value_begin_, text_ + size);
    std::string_view token;
    if (!cursor.Value(&token) && !eof) {
      retry_at_ =
          value_begin_ + 2 * (size - value_begin_);  // a long string is not walked again and again
      return false;
    }
    at_ = value_begin_ + token.size();
    if (token.empty() && at_ < size && text_[at_] != ',' && text_[at_] != '}') {
      place_ = Place::kBad;
      return true;
    }
  }
  const auto length = static_cast<size_t>(at_ - value_begin_);
  const bool kept = length <= kMaxMember;
  members_.push_back({key_, kept ? std::string(text_ + value_begin_, length) : std::string()});
  place_ = Place::kMember;
  return true;
}

uint64_t Splitter::keep_from() const {
  if (place_ == Place::kEvents) return batch_begin_;
  return place_ == Place::kValue ? value_begin_ : at_;
}

bool Splitter::Events(uint64_t size, bool eof) {
  const bool more = Walk(size, eof, true);
  if (!more && at_ - batch_begin_ > kMaxBatch) lost_ = true;
  return more;
}

void Splitter::Cut(uint64_t end) {
  uint64_t begin = batch_begin_;
  batch_begin_ = end;
  while (begin < end && (IsSpace(text_[begin]) || text_[begin] == ',')) ++begin;
  while (begin < end && (IsSpace(text_[end - 1]) || text_[end - 1] == ',')) --end;
  if (begin < end) on_batch_(begin, end);
}

void Splitter::EndEvents(uint64_t bracket) {
  Cut(bracket);
  at_ = bracket + 1;
  place_ = bare_array_ ? Place::kEnd : Place::kMember;
}

void Splitter::EventsEndedAt(uint64_t offset) {
  lost_ = false;
  at_ = offset;
  place_ = bare_array_ ? Place::kEnd : Place::kMember;
}

// Walks blocks of 64 bytes (the last one of the text is padded) to the closing bracket of the event
// list, which it cuts into batches, or without `batches` to the end of one container. True when
// that end was found.
bool Splitter::Walk(uint64_t size, bool eof, bool batches) {
  constexpr size_t kAhead = 32;  // blocks that are looked at at once
  BracketMasks ahead[kAhead];
  size_t next = 0, known = 0;
  while (at_ < size) {
    const uint64_t n = std::min<uint64_t>(kBracketBlock, size - at_);
    if (n < kBracketBlock) {
      if (!eof) return false;
      BracketState state = state_;
      ahead[0] = FindLastBrackets(text_ + at_, static_cast<size_t>(n), &state);
      next = 0;
    } else if (next == known) {
      next = 0;
      known = static_cast<size_t>(std::min<uint64_t>(kAhead, (size - at_) / kBracketBlock));
      FindBrackets(text_ + at_, known, &state_, ahead);
    }
    const BracketMasks m = ahead[next++];
    const bool wanted = !batches || at_ + kBracketBlock - batch_begin_ >= kTargetBatch;
    int64_t depth = depth_;
    if (depth - m.closes < (wanted ? 1 : 0)) {
      for (uint64_t bits = m.open | m.close; bits != 0; bits &= bits - 1) {
        const int i = std::countr_zero(bits);
        if ((m.open >> i & 1) != 0) {
          ++depth;
          continue;
        }
        --depth;
        const uint64_t here = at_ + static_cast<uint64_t>(i);
        if (batches && depth < 0) {
          EndEvents(here);
          return true;
        }
        if (depth > 0) continue;
        if (!batches) {
          at_ = here + 1;
          return true;
        }
        if (here + 1 - batch_begin_ >= kTargetBatch) Cut(here + 1);
      }
    } else {
      depth += m.opens - m.closes;
    }
    if (n < kBracketBlock) return false;
    depth_ = depth;
    at_ += kBracketBlock;
    if (batches && at_ - batch_begin_ > kMaxBatch) return false;
  }
  return false;
}

}  // namespace stepscope::chrome
