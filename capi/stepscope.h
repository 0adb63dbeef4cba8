/* libstepscope: profiles as tables, from C and from any language that can call C.
 *
 *   stepscope_profile* profile;
 *   char* error;
 *   const char* path = "logs";
 *   if (stepscope_open(&path, 1, NULL, &profile, &error) != STEPSCOPE_OK) { puts(error); ... }
 *   stepscope_table* events;
 *   stepscope_events(profile, NULL, "dur>1ms", 0, &events, &error);
 *   struct ArrowArrayStream stream;
 *   stepscope_table_stream(events, &stream, &error);
 *
 * Errors are values: functions that can fail return a status. If it is not STEPSCOPE_OK, they set
 * *error to one line for people, which the caller frees with stepscope_free_text(), and write
 * nothing else; `error` may be null. No exception leaves the library, nothing is printed, and no
 * signal handler is installed. A null handle is STEPSCOPE_USAGE.
 *
 * Owners: the caller owns what a function returns through `out`, and gives it back once to the
 * function of its kind (close, free, release), which accepts null. Tables, reports and streams keep
 * what they need of their profile alive: they may outlive it. A text that a function returns
 * belongs to the handle and lives as long as it.
 *
 * Threads: any thread may call anything, and several may use one profile, report or table at a
 * time. If several ask the same question, it is computed once and the others wait. A stream is for
 * one thread at a time. Loading, queries and analyses use all cores.
 *
 * Texts are UTF-8; bytes of a profile that are not UTF-8 become U+FFFD. Times are picoseconds from
 * the trace's origin. Numbers, tables and columns are those of docs/interface.md. Start reading at
 * stepscope_open(), stepscope_events() and stepscope_report_of(). */
#ifndef STEPSCOPE_H_
#define STEPSCOPE_H_

#include <stddef.h>
#include <stdint.h>

#include "capi/arrow_abi.h"

#define STEPSCOPE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when something in this header changes its meaning; additions do not raise it. */
#define STEPSCOPE_ABI 1

typedef int32_t stepscope_status;
enum {
  STEPSCOPE_OK = 0,
  STEPSCOPE_IO = 1,          /* a file cannot be read, or changed while open */
  STEPSCOPE_FORMAT = 2,      /* nothing usable in the input */
  STEPSCOPE_UNSUPPORTED = 3, /* a known format that cannot be read */
  STEPSCOPE_LIMIT = 4,       /* a stated limit was reached */
  STEPSCOPE_USAGE = 6,       /* wrong arguments, or a question the profile cannot answer */
  STEPSCOPE_MEMORY = 7,      /* there is not enough memory */
  STEPSCOPE_INTERNAL = 8     /* a fault of the library */
};

typedef struct stepscope_profile stepscope_profile;
typedef struct stepscope_report stepscope_report;
typedef struct stepscope_table stepscope_table;

STEPSCOPE_API uint32_t stepscope_abi(void);
STEPSCOPE_API const char* stepscope_version(void); /* "0.2.0" */
STEPSCOPE_API void stepscope_free_text(char* text);

/* Converts a time such as "12ms" or "1.5us" to picoseconds. */
STEPSCOPE_API stepscope_status stepscope_parse_time(const char* text, int64_t* out, char** error);

/* --- Profiles --------------------------------------------------------------------------------- */

typedef struct stepscope_open_options {
  size_t size;                 /* sizeof(stepscope_open_options): later versions add members */
  const char* run;             /* which run of a log directory; null: the newest */
  uint64_t max_inflated_bytes; /* of one file; 0: 16 GiB */
} stepscope_open_options;

/* Opens what `stepscope PATH...` opens; several paths become one timeline. `options` may be
 * null. */
STEPSCOPE_API stepscope_status stepscope_open(const char* const* paths, size_t count,
                                              const stepscope_open_options* options,
                                              stepscope_profile** out, char** error);
STEPSCOPE_API void stepscope_close(stepscope_profile* profile);

STEPSCOPE_API const char* stepscope_profile_path(const stepscope_profile* profile);
STEPSCOPE_API const char* stepscope_profile_run(const stepscope_profile* profile);
/* The i-th of all runs of the path, newest first, and the i-th host of the loaded run; null after
 * the last. */
STEPSCOPE_API const char* stepscope_profile_run_name(const stepscope_profile* profile, size_t i);
STEPSCOPE_API const char* stepscope_profile_host(const stepscope_profile* profile, size_t i);
STEPSCOPE_API uint64_t stepscope_profile_events(const stepscope_profile* profile);
/* From the begin of the first event to the latest end of any event. */
STEPSCOPE_API void stepscope_profile_span(const stepscope_profile* profile, int64_t* begin_ps,
                                          int64_t* end_ps);
/* Unix time of t = 0 in ns, or 0 if it is not known. */
STEPSCOPE_API int64_t stepscope_profile_origin_unix_ns(const stepscope_profile* profile);

/* --- Questions -------------------------------------------------------------------------------- */

/* What the pages of XLA's programs show (hlo_memory, hlo_graph); others ignore it. */
typedef struct stepscope_hlo {
  size_t size;             /* sizeof(stepscope_hlo): later versions add members */
  const char* program;     /* "jit_step(10)", "jit_step" or "10"; null: that with the most time */
  const char* instruction; /* null: the root of the program's entry */
  int64_t memory_space;    /* -1: all; 0: the device's main memory */
  int32_t has_radius;      /* 0: 3 steps around the instruction */
  int64_t radius;
} stepscope_hlo;

/* A part of a profile: the events that begin in it. A null pointer, or zeros in all members but
 * `size`, mean the whole profile. */
typedef struct stepscope_part {
  size_t size;                          /* sizeof(stepscope_part): later versions add members */
  const char* host;                     /* null: all */
  int64_t range_begin_ps, range_end_ps; /* [begin, end); empty: the whole trace */
  int32_t has_steps;                    /* 0: all */
  int64_t first_step, last_step;        /* by number, both included */
  const stepscope_hlo* hlo;             /* null: as for zeros, but of all memories */
  /* What devices can do at most: "MY GPU: fp16=989 fp32=67 memory=3350", in TFLOP/s and GB/s;
   * null: what the recording or the vendor says. */
  const char* peaks;
} stepscope_part;

/* Flags of stepscope_events: add a column of arguments, which is slow; order track by track, outer
 * events first, instead of by begin, which is three times as fast. */
enum { STEPSCOPE_WITH_ARGS = 1, STEPSCOPE_BY_TRACK = 2 };

/* The events that match the query (null or empty: all), by begin, then track. Columns: begin_ps,
 * dur_ps, self_ps (int64), name, track, process and, if there are several hosts, host (texts, as
 * int32 into a dictionary); with arguments also args (a map of texts). About 36 bytes an event. */
STEPSCOPE_API stepscope_status stepscope_events(stepscope_profile* profile,
                                                const stepscope_part* part, const char* query,
                                                uint32_t flags, stepscope_table** out,
                                                char** error);
/* Count, times and percentiles of the events of each name, track or step, or of all events: `by` is
 * "name" (as null is), "track", "step" or "all". */
STEPSCOPE_API stepscope_status stepscope_event_stats(stepscope_profile* profile,
                                                     const stepscope_part* part, const char* query,
                                                     const char* by, stepscope_table** out,
                                                     char** error);
/* Columns: number, name, host, begin_ps, dur_ps, and `counts`: whether averages count the step. */
STEPSCOPE_API stepscope_status stepscope_steps(stepscope_profile* profile, stepscope_table** out,
                                               char** error);
/* Columns: host, process, track, events. */
STEPSCOPE_API stepscope_status stepscope_tracks(stepscope_profile* profile, stepscope_table** out,
                                                char** error);

enum { STEPSCOPE_COMPAT_XPROF = 1 }; /* flags of stepscope_report_of: XProf's definitions */

/* The id of the i-th analysis, null after the last. */
STEPSCOPE_API const char* stepscope_panel(size_t i);
STEPSCOPE_API stepscope_status stepscope_report_of(stepscope_profile* profile, const char* panel,
                                                   const stepscope_part* part, uint32_t flags,
                                                   stepscope_report** out, char** error);
/* What changed from a to b, per step. Both profiles, and both parts, may be the same. */
STEPSCOPE_API stepscope_status stepscope_compare(stepscope_profile* a, stepscope_profile* b,
                                                 const stepscope_part* part_a,
                                                 const stepscope_part* part_b,
                                                 stepscope_report** out, char** error);

/* --- Fleets ----------------------------------------------------------------------------------- */

/* What a profile has for a fleet: the tables ranks, rank_steps, collectives, waits and rank_kernels
 * (docs/fleet.md). */
STEPSCOPE_API stepscope_status stepscope_fleet_tables(stepscope_profile* profile,
                                                      stepscope_report** out, char** error);

typedef struct stepscope_fleet_file {
  size_t size;       /* sizeof(stepscope_fleet_file): later versions add members */
  const char* path;  /* where the profile lies */
  const char* run;   /* ranks of one run are put together */
  const char* error; /* why the profile has no facts; null: it has */
  int64_t bytes;     /* of the profile */
} stepscope_fleet_file;

/* The same as the bytes of a part of a fleet, DIR/facts/ID.stepfacts, which stepscope_open() reads.
 * `profile` may be null where file->error says why. The caller frees *out with
 * stepscope_free_text(). */
STEPSCOPE_API stepscope_status stepscope_fleet_part(stepscope_profile* profile,
                                                    const stepscope_fleet_file* file, char** out,
                                                    size_t* out_size, char** error);

/* --- Reports ---------------------------------------------------------------------------------- */

STEPSCOPE_API void stepscope_report_free(stepscope_report* report);
STEPSCOPE_API const char* stepscope_report_panel(const stepscope_report* report);
/* Why the report is empty and what to record, or an empty text. */
STEPSCOPE_API const char* stepscope_report_empty_reason(const stepscope_report* report);
/* The i-th table of the report; null after the last. */
STEPSCOPE_API const char* stepscope_report_table_id(const stepscope_report* report, size_t i);
STEPSCOPE_API const char* stepscope_report_table_title(const stepscope_report* report, size_t i);
STEPSCOPE_API stepscope_status stepscope_report_table(const stepscope_report* report, size_t i,
                                                      stepscope_table** out, char** error);
/* One row, a column for each property. */
STEPSCOPE_API stepscope_status stepscope_report_properties(const stepscope_report* report,
                                                           stepscope_table** out, char** error);
/* The verdicts, which are sentences. Columns: grade, text, next_step, panel. */
STEPSCOPE_API stepscope_status stepscope_report_verdicts(const stepscope_report* report,
                                                         stepscope_table** out, char** error);

/* --- Tables ----------------------------------------------------------------------------------- */

STEPSCOPE_API void stepscope_table_free(stepscope_table* table);
STEPSCOPE_API int64_t stepscope_table_rows(const stepscope_table* table);
/* Streams the whole table; each call makes a stream of its own. The stream shares the table's
 * memory. Fields have the metadata "label", "unit" and "how" (the column is computed), if any. */
STEPSCOPE_API stepscope_status stepscope_table_stream(const stepscope_table* table,
                                                      struct ArrowArrayStream* out, char** error);

#ifdef __cplusplus
}
#endif

#endif
