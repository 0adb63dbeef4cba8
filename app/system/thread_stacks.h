// Limits the stacks of threads. With another C library than glibc the function does nothing.
#pragma once

namespace stepscope {

// Gives the threads that start from now on stacks of at most 2 MB. Our jobs start up to 16 threads
// for each piece of work, and glibc keeps 40 MB of ended threads' stacks for the next ones. By
// default a stack has 8 MB, so that most stacks would be mapped and unmapped again each time, which
// takes as long as starting the threads. Call it before the first thread starts.
void LimitThreadStacks();

}  // namespace stepscope
