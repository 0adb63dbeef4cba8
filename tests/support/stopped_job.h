// Runs code in a job that was told to stop before: it must throw Stopped.
#pragma once

#include <stop_token>

#include "model/jobs/job.h"

namespace stepscope::test {

template <typename Fn>
void RunStopped(const Fn& fn) {
  std::stop_source stop;
  stop.request_stop();
  const JobScope job(JobScope::Current().scheduler, stop.get_token());
  fn();
}

}  // namespace stepscope::test
