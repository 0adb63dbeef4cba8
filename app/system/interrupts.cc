#include "app/system/interrupts.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace stepscope {

Interrupts::Interrupts() {
  sigset_t waited;
  sigemptyset(&waited);
  sigaddset(&waited, SIGINT);
  sigaddset(&waited, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &waited, &before_);
  fd_ = ::signalfd(-1, &waited, SFD_NONBLOCK | SFD_CLOEXEC);
}

Interrupts::~Interrupts() {
  Came();  // a signal that has come ends nothing any more
  if (fd_ >= 0) ::close(fd_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool Interrupts::Came() {
  signalfd_siginfo info;
  while (fd_ >= 0 && ::read(fd_, &info, sizeof info) == sizeof info) came_ = true;
  return came_;
}

}  // namespace stepscope
