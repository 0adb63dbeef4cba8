// TextSink: takes a text piece by piece, in order. Writers of large texts use it, so that a text is
// never in memory as a whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace stepscope {

using TextSink = std::function<void(std::string_view)>;

// Collects small pieces and hands them to the sink in blocks, because a call of a sink costs more
// than a copy of a few bytes. Flush() or the destructor hands over the rest. Borrows the sink.
class TextBuffer {
 public:
  explicit TextBuffer(const TextSink& sink) : sink_(sink) { text_.reserve(kBlock + kBlock / 4); }
  ~TextBuffer() { Flush(); }
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  TextBuffer& operator+=(std::string_view piece) {
    text_ += piece;
    if (text_.size() >= kBlock) Flush();
    return *this;
  }
  TextBuffer& operator+=(char c) { return *this += std::string_view(&c, 1); }
  void Flush() {
    if (!text_.empty()) sink_(text_);
    text_.clear();
  }

 private:
  static constexpr size_t kBlock = size_t{1} << 16;
  const TextSink& sink_;
  std::string text_;
};

// The whole text that `write(sink)` writes.
template <typename Write>
std::string Collected(const Write& write) {
  std::string text;
  write(TextSink([&text](std::string_view piece) { text += piece; }));
  return text;
}

}  // namespace stepscope
