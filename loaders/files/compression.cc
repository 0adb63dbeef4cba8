#include "loaders/files/compression.h"

#include <igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "model/base/check.h"

namespace stepscope {
namespace {

constexpr size_t kOutputBlock = size_t{4} << 20;

// gzip and zlib, by isa-l.
class DeflateInflater final : public Inflater {
 public:
  explicit DeflateInflater(Compression compression) : gzip_(compression == Compression::kGzip) {
    isal_inflate_init(&state_);
    BeginMember();
  }

  Step Inflate(std::span<const char> in, std::span<char> out) override {
    if (state_.block_state == ISAL_BLOCK_FINISH) {
      if (in.empty()) return {};
      // Another member may follow; zero padding and other trailing bytes are ignored, as gzip does.
      ended_ = ended_ || !gzip_ || in.front() != kGzipMark;
      if (ended_) return {in.size(), 0};
      isal_inflate_reset(&state_);
      BeginMember();
    }
    constexpr size_t kMost = std::numeric_limits<uint32_t>::max() / 2;  // isa-l counts in 32 bits
    in = in.first(std::min(in.size(), kMost));
    out = out.first(std::min(out.size(), kMost));
    state_.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uint32_t>(in.size());
    state_.next_out = reinterpret_cast<uint8_t*>(out.data());
    state_.avail_out = static_cast<uint32_t>(out.size());
    const int code = isal_inflate(&state_);
    Step step{in.size() - state_.avail_in, out.size() - state_.avail_out};
    const bool stuck = step.used == 0 && step.got == 0 && !in.empty();
    step.broken = code < 0 || (stuck && state_.block_state != ISAL_BLOCK_FINISH);
    broken_ = broken_ || step.broken;  // a checksum that does not fit ends the member, too
    return step;
  }
  bool AtEnd() const override { return !broken_ && state_.block_state == ISAL_BLOCK_FINISH; }
  size_t block_bytes() const override { return kOutputBlock; }

 private:
  static constexpr char kGzipMark = 0x1f;
  void BeginMember() { state_.crc_flag = gzip_ ? ISAL_GZIP : ISAL_ZLIB; }

  inflate_state state_;
  const bool gzip_;
  bool ended_ = false;  // only bytes that are passed over follow
  bool broken_ = false;
};

class ZstdInflater final : public Inflater {
 public:
  ZstdInflater() : stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdInflater() override { ZSTD_freeDStream(stream_); }
  ZstdInflater(const ZstdInflater&) = delete;
  ZstdInflater& operator=(const ZstdInflater&) = delete;

  Step Inflate(std::span<const char> in, std::span<char> out) override {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const size_t code = ZSTD_decompressStream(stream_, &output, &input);
    const Step step{input.pos, output.pos, ZSTD_isError(code) != 0};
    if (!step.broken && (step.used > 0 || step.got > 0)) at_end_ = code == 0;
    return step;
  }
  bool AtEnd() const override { return at_end_; }
  // A block at a time, because what a failing call has decoded before is lost.
  size_t block_bytes() const override { return ZSTD_DStreamOutSize(); }

 private:
  ZSTD_DStream* stream_;
  bool at_end_ = false;
};

// Makes room for the next bytes, at most one beyond the limit: that one tells "exactly" from
// "more".
size_t MakeRoom(Column<char>* out, uint64_t limit, size_t block) {
  const uint64_t left = limit - std::min<uint64_t>(limit, out->size());
  const size_t room = static_cast<size_t>(std::min<uint64_t>(block, left + 1));
  const size_t size = out->size();
  // Grows by a quarter: block by block would be quadratic where growing copies (without mremap, or
  // with sanitizers). Pages that are not written to take no memory.
  uint64_t capacity = block;
  while (capacity < size + room) capacity += capacity / 4 + 1;
  out->Reserve(static_cast<size_t>(std::min(capacity, std::max<uint64_t>(limit + 1, size + room))));
  out->Resize(size + room);
  return room;
}

}  // namespace

Compression DetectCompression(std::span<const std::byte> prefix) {
  const auto at = [&](size_t i) {
    return i < prefix.size() ? std::to_integer<unsigned>(prefix[i]) : 256u;
  };
  if (at(0) == 0x1f && at(1) == 0x8b) return Compression::kGzip;
  if (at(0) == 0x28 && at(1) == 0xb5 && at(2) == 0x2f && at(3) == 0xfd) return Compression::kZstd;
  // A skippable frame may come first.
  if ((at(0) & 0xf0u) == 0x50 && at(0) < 256 && at(1) == 0x2a && at(2) == 0x4d && at(3) == 0x18)
    return Compression::kZstd;
  return Compression::kNone;
}

std::unique_ptr<Inflater> MakeInflater(Compression compression) {
  STEPSCOPE_DCHECK(compression != Compression::kNone);
  if (compression == Compression::kZstd) return std::make_unique<ZstdInflater>();
  return std::make_unique<DeflateInflater>(compression);
}

AppendResult AppendInflated(Inflater* inflater, std::span<const char> in, uint64_t limit,
                            Column<char>* out) {
  for (bool filled = false; !in.empty() || filled;) {
    const size_t before = out->size(), room = MakeRoom(out, limit, inflater->block_bytes());
    const Inflater::Step step = inflater->Inflate(in, {out->data() + before, room});
    STEPSCOPE_DCHECK(step.used <= in.size() && step.got <= room);
    out->Resize(before + step.got);
    if (step.broken) return AppendResult::kBroken;
    if (out->size() > limit) return AppendResult::kLimit;
    in = in.subspan(step.used);
    filled = step.got == room;
  }
  return AppendResult::kDone;
}

namespace {

constexpr size_t kMostAtOnce = size_t{1} << 30;  // isa-l counts in 32 bits

}  // namespace

struct GzipWriter::State {
  explicit State(TextSink to) : sink(std::move(to)), level(ISAL_DEF_LVL1_DEFAULT), out(1 << 16) {
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level.data();
    stream.level_buf_size = static_cast<uint32_t>(level.size());
    stream.gzip_flag = IGZIP_GZIP;
    stream.flush = NO_FLUSH;
  }
  TextSink sink;
  std::vector<uint8_t> level, out;
  isal_zstream stream;
};

GzipWriter::GzipWriter(TextSink sink) : state_(std::make_unique<State>(std::move(sink))) {}
GzipWriter::~GzipWriter() = default;

void GzipWriter::Deflate(std::string_view bytes, bool last) {
  isal_zstream& stream = state_->stream;
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uint32_t>(bytes.size());
  stream.end_of_stream = last ? 1 : 0;
  do {
    stream.next_out = state_->out.data();
    stream.avail_out = static_cast<uint32_t>(state_->out.size());
    isal_deflate(&stream);  // no error is possible: the level's room is as large as it asks for
    state_->sink(
        {reinterpret_cast<const char*>(state_->out.data()), state_->out.size() - stream.avail_out});
  } while (stream.avail_out == 0 || stream.avail_in > 0);
}

void GzipWriter::Write(std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kMostAtOnce)))
    Deflate(bytes.substr(0, kMostAtOnce), false);
}

void GzipWriter::Finish() { Deflate({}, true); }

}  // namespace stepscope
