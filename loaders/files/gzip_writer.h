// GzipWriter: writes one gzip member, compressed as bytes come in. One thread.
#pragma once

#include <memory>
#include <string_view>

#include "model/base/text_sink.h"

namespace stepscope {

class GzipWriter {
 public:
  explicit GzipWriter(TextSink sink);
  ~GzipWriter();
  GzipWriter(const GzipWriter&) = delete;
  GzipWriter& operator=(const GzipWriter&) = delete;
  void Write(std::string_view bytes);
  void Finish();  // call once, after the last byte

 private:
  struct State;
  void Deflate(std::string_view bytes, bool last);
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
