// Symbols of the C library that the program or its libraries use and glibc 2.28 lacks. Each does
// what newer C libraries do, by means of what 2.28 has. A comment begins with the version that adds
// the symbol.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

// 2.32. Whether reference counters may do without atomic instructions: here they never do.
char __libc_single_threaded = 0;

// 2.36. Without random numbers the program ends, as in the C library.
uint32_t arc4random(void) {
  uint32_t value;
  while (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
    if (errno != EINTR) abort();
  }
  return value;
}

// 2.30. Turns a deadline of the steady clock into one of the clock that pthread_cond_timedwait uses.
// If that clock is set meanwhile, the wait ends early or late: callers check their condition again,
// as libstdc++ did before 2.30.
int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* deadline) {
  struct timespec now, real;
  if (clock == CLOCK_REALTIME) return pthread_cond_timedwait(cond, mutex, deadline);
  if (clock_gettime(clock, &now) != 0 || clock_gettime(CLOCK_REALTIME, &real) != 0) return EINVAL;
  real.tv_sec += deadline->tv_sec - now.tv_sec;
  real.tv_nsec += deadline->tv_nsec - now.tv_nsec;
  if (real.tv_nsec < 0) {
    real.tv_nsec += 1000000000;
    --real.tv_sec;
  } else if (real.tv_nsec >= 1000000000) {
    real.tv_nsec -= 1000000000;
    ++real.tv_sec;
  }
  return pthread_cond_timedwait(cond, mutex, &real);
}

// 2.35. Finds the tables of exceptions for an address of code, for libgcc.
struct Found {
  uintptr_t pc;
  struct dl_find_object* result;
};

static int Visit(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  struct Found* found = data;
  const ElfW(Phdr)* frames = NULL;
  uintptr_t begin = UINTPTR_MAX, end = 0;
  int here = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* segment = &info->dlpi_phdr[i];
    const uintptr_t from = info->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_GNU_EH_FRAME) frames = segment;
    if (segment->p_type != PT_LOAD) continue;
    if (from < begin) begin = from;
    if (from + segment->p_memsz > end) end = from + segment->p_memsz;
    if (found->pc >= from && found->pc < from + segment->p_memsz) here = 1;
  }
  if (!here || frames == NULL) return 0;
  memset(found->result, 0, sizeof(*found->result));
  found->result->dlfo_map_start = (void*)begin;
  found->result->dlfo_map_end = (void*)end;
  found->result->dlfo_eh_frame = (void*)(info->dlpi_addr + frames->p_vaddr);
  return 1;
}

int _dl_find_object(void* pc, struct dl_find_object* result) {
  struct Found found = {(uintptr_t)pc, result};
  return dl_iterate_phdr(Visit, &found) == 1 ? 0 : -1;
}
