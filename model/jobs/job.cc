#include "model/jobs/job.h"

#include <algorithm>
#include <thread>

namespace stepscope {
namespace {

constexpr unsigned kMaxWorkers = 16;   // with more, memory bandwidth is the limit
constexpr uint64_t kFewEvents = 4096;  // they take some 50 us, as long as a thread takes to start

const JobScope::State kNoJob;
thread_local const JobScope::State* current = &kNoJob;

}  // namespace

bool WorkScope::IsWithin(const WorkScope* other) const {
  for (const WorkScope* scope = this; scope != nullptr; scope = scope->parent) {
    if (scope == other) return true;
  }
  return false;
}

JobScope::JobScope(Scheduler* scheduler, std::stop_token stop, Urgency urgency)
    : state_{scheduler, std::move(stop), urgency, &root_}, before_(current) {
  current = &state_;
}

JobScope::JobScope(State state) : state_(std::move(state)), before_(current) { current = &state_; }

JobScope::~JobScope() { current = before_; }

const JobScope::State& JobScope::Current() { return *current; }

bool StopRequested() { return current->stop.stop_requested(); }

void CheckStop() {
  if (StopRequested()) throw Stopped();
}

std::stop_token CurrentStopToken() { return current->stop; }

bool CatchStopped(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

unsigned WorkerCount() {
  // The C library reads a file of the kernel for each answer, so this one is kept.
  static const unsigned count = std::clamp(std::thread::hardware_concurrency(), 1u, kMaxWorkers);
  return count;
}

unsigned ThreadsFor(uint64_t events) { return events < kFewEvents ? 1 : 0; }

}  // namespace stepscope
