// Interrupt: Ctrl+C as a stop token, for a command that ends in good order: it says that it was
// cancelled, and removes what it began to write. A second Ctrl+C ends the program at once. One at a
// time, on the thread that starts the work.
#pragma once

#include <stop_token>
#include <thread>

namespace stepscope {

class Interrupt {
 public:
  Interrupt();   // from here on; threads that run already may still end the program
  ~Interrupt();  // Ctrl+C ends the program again
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  // Ends the program as Ctrl+C does, so that a shell stops its script too. Call it last.
  [[noreturn]] static void End();

 private:
  std::stop_source source_;
  int signals_ = -1;  // a descriptor that becomes readable with the signal
  std::jthread waiting_;
};

}  // namespace stepscope
