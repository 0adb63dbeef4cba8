#include "loaders/chrome_json/splitter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"

namespace stepscope::chrome {

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
  if (length <= kMaxMember) members_.push_back({key_, std::string(text_ + value_begin_, length)});
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
