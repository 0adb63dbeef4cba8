// Where commands put their result: a file, or standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/paths.h"
#include "model/base/text_sink.h"

namespace stepscope {

// Takes the result in pieces. A file appears when all of it is written.
class Output {
 public:
  explicit Output(std::string path);  // standard output if it is empty or "-"
  TextSink sink() {
    return [this](std::string_view text) { Write(text); };
  }
  // False, with the error logged, if any of it could not be written; a reader that closed the pipe
  // is no error. Once, at the end.
  bool Finish();

 private:
  void Write(std::string_view text);

  const std::string path_;
  std::optional<AtomicFile> file_;  // none: standard output
  bool ok_ = true;
  int error_ = 0;  // errno of the first write to standard output that failed
};

// A text that is in memory.
bool WriteOutput(const std::string& path, std::string_view text);

}  // namespace stepscope
