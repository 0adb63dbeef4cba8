// Writes the result of a command to a file or to standard output.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/system/paths.h"
#include "model/base/text_sink.h"

namespace stepscope {

// Takes the result in pieces. A file appears only when all of it is written. One thread at a
// time.
class Output {
 public:
  explicit Output(std::string path);  // standard output if it is empty or "-"
  TextSink sink() {
    return [this](std::string_view text) { Write(text); };
  }
  // Ends the result; call it once. Returns false, with the error logged, if any of it could not
  // be written. A reader that closed the pipe is no error.
  bool Finish();

 private:
  void Write(std::string_view text);

  const std::string path_;
  std::optional<AtomicFile> file_;  // none: standard output
  bool ok_ = true;
  int error_ = 0;  // errno of the first write to standard output that failed
};

// Writes a text that is in memory as a whole.
bool WriteOutput(const std::string& path, std::string_view text);

}  // namespace stepscope
