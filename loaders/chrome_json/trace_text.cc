#include "loaders/chrome_json/trace_text.h"

#include <sys/mman.h>

#include <algorithm>
#include <system_error>
#include <thread>

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

}  // namespace stepscope::chrome
