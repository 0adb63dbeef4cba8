// Ctrl+C and SIGTERM as a question instead of an end: for a command that has something to undo.
#pragma once

#include <signal.h>

namespace stepscope {

// While it lives, the two signals end nothing; Came() says whether one has come. Make it before
// threads start, because they inherit which signals are blocked. The destructor lets the signals
// end the program again. One thread.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  bool Came();

 private:
  sigset_t before_{};
  int fd_ = -1;
  bool came_ = false;
};

}  // namespace stepscope
