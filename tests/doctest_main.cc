// Runs tests in a job, so that the loops of what they test run on several threads on any machine.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "model/jobs/job.h"
#include "model/jobs/scheduler.h"

int main(int argc, char** argv) {
  stepscope::Scheduler scheduler(4);
  const stepscope::JobScope job(&scheduler);
  return doctest::Context(argc, argv).run();
}
