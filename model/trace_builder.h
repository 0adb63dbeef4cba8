// TraceBuilder: the only writer of a Trace. Loaders fill TrackData (one per track, one thread at a
// time each) and hand them over; Finish() sorts, nests, spills overlaps, builds pyramids (in
// parallel) and derives counts and spans. Nothing is dropped: what cannot be nested is spilled and
// counted in the diagnostics.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/base/memory.h"
#include "model/base/status.h"
#include "model/base/task.h"
#include "model/trace.h"

namespace stepscope {

// A growing array without value-initialisation; large ones grow by mremap, so a column is written
// once. Growing throws std::bad_alloc.
template <typename T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  ~Column() { FreeBlock(data_, capacity_ * sizeof(T)); }
  Column(Column&& o) noexcept { Swap(o); }
  Column& operator=(Column&& o) noexcept {
    Swap(o);
    return *this;
  }
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  void push_back(T v) {
    if (size_ == capacity_) Reserve(capacity_ + capacity_ / 2 + 64);
    data_[size_++] = v;
  }
  void Reserve(size_t n) {
    if (n > capacity_) SetCapacity(n);
  }
  void Resize(size_t n) {  // new elements are uninitialised
    Reserve(n);
    size_ = n;
  }
  void ShrinkToFit() {
    if (size_ < capacity_) SetCapacity(size_);
  }
  void Release() {  // gives the memory back
    SetCapacity(0);
    size_ = 0;
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  void Swap(Column& o) {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    std::swap(capacity_, o.capacity_);
  }
  void SetCapacity(size_t n) {
    data_ = static_cast<T*>(ResizeBlock(data_, capacity_ * sizeof(T), n * sizeof(T)));
    capacity_ = n;
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

// Raw events of one track in any order. `ref` is the event's offset in the source, relative to
// ref_base.
struct RawEvents {
  Column<Ps> start, dur;
  Column<uint32_t> meta;
  Column<uint64_t> wide_ref;  // used instead of `ref` when the line is 4 GB or longer
  Column<uint32_t> ref;
  uint64_t ref_base = 0;
  void Add(Ps s, Ps d, uint32_t m, uint32_t r) {
    start.push_back(s);
    dur.push_back(d);
    meta.push_back(m);
    ref.push_back(r);
  }
};

struct TrackData {
  Track track;       // lanes, rows, counts, span, busy are filled by Finish()
  RawEvents slices;  // with duration (a Chrome X of zero length too)
  RawEvents instants;
};

class TraceBuilder {
 public:
  TraceBuilder();
  // Names. The pool and metas belong to the builder; not thread-safe.
  StringPool& strings() { return names_->strings; }
  NameTable& names() { return *names_; }
  MetaId AddMeta(const EventMeta& meta);
  HostId AddHost(Host host);
  PlaneId AddPlane(Plane plane);     // tracks are listed in order of AddTrack
  TrackId AddTrack(TrackData data);  // data.track.plane and .name set
  Trace& trace() {
    return *trace_;
  }  // path, run, origin, hlo, diagnostics, errors: fill freely before Finish
  // A flow between two events, named by track and index in that track's raw slices (Finish maps
  // them to rows).
  void AddFlow(TrackId from, uint32_t from_slice, TrackId to, uint32_t to_slice, uint64_t id,
               StringId category);

  // kCancelled, or kLimit past 2^32 - 2 rows. Consumes the builder.
  Result<std::shared_ptr<const Trace>> Finish(std::stop_token stop = {},
                                              Progress* progress = nullptr);

  // The same nesting for a derived set: names may be shared with the trace. `source` as
  // TrackSet::source, by raw slice.
  static TrackSet BuildSet(std::string title, std::shared_ptr<const NameTable> names,
                           std::vector<TrackData> tracks,
                           std::vector<std::vector<EventRow>> source_of_slices = {});

 private:
  struct PendingFlow {
    TrackId from, to;
    uint32_t from_slice, to_slice;
    uint64_t id;
    StringId category;
  };
  std::shared_ptr<NameTable> names_;
  std::shared_ptr<Trace> trace_;
  std::vector<TrackData> tracks_;
  std::vector<PendingFlow> flows_;
};

}  // namespace stepscope
