#include "loaders/files/gzip_writer.h"

#include <igzip_lib.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace stepscope {
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
