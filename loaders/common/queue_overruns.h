// Events of a device's queue that last too long to be true: a queue runs one event at a time, so an
// event whose end the profiler lost seems to go on while later events of the queue come and go.
// Queues whose events overlap in earnest (branches of CUDA graphs, several streams in one track,
// begins before the end of the event before) are left alone. Pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "model/lane_builder.h"

namespace stepscope {

// An event that goes on after a later one has ended, and is ten times as long as every event of its
// queue that ends before the next one begins.
struct QueueOverrun {
  uint32_t event = 0;   // index in the queue
  Ps next = 0;          // the begin of the next event
  uint32_t passed = 0;  // later events that have ended when it ends
  bool splits = false;  // it ends while a later event runs, so it does not enclose that one
};

struct QueueOverruns {
  std::vector<QueueOverrun> overruns;  // by begin
  Ps longest = 0;                      // of the events that end before the next one begins
  // One event in 20 at most is an overrun, and one in 100 of the others goes on after a later one
  // has ended.
  bool one_at_a_time = false;
};

// The overruns of a queue; none where its events do not overlap. O(n) for events in order that do
// not overlap, else O(n log n).
QueueOverruns FindQueueOverruns(const RawEvents& queue);

// What is known of an overrun beside its queue.
struct OverrunFacts {
  TimeRange others;     // the time of all events of the file that are no overruns
  bool collective;      // a collective may wait for another rank while other work runs
  bool copy;            // a copy engine may run it beside the queue
  bool may_enclose;     // the queue may hold ranges around its events
  bool first_in_queue;  // nothing of the queue begins before it
};

// Whether the time is impossible: the event ends long after everything else in the file, or after
// at least 32 later events of a queue that runs one at a time, fifty times as long as they are.
bool IsImpossible(const QueueOverrun& overrun, const QueueOverruns& queue, const RawEvents& events,
                  const OverrunFacts& facts);

}  // namespace stepscope
