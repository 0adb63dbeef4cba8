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
 * Errors are values: what can fail returns a status, and where that is not STEPSCOPE_OK sets
 * *error to one line for people, which the caller frees with stepscope_free_text(); `error` may be
 * null. Nothing else is written then. No exception leaves the library, nothing is printed, and no
 * signal handler is installed. A null handle is STEPSCOPE_USAGE.
 *
 * Owners: what a function gives through `out` is the caller's, who gives it back to the function
 * of its kind (close, free, release), once; null is allowed there. Tables, reports and streams
 * hold what they need of their profile: they may outlive it. Texts that functions return are the
 * handle's and live as long as it.
 *
 * Threads: any thread may call anything; several may use one profile, report or table at a time
 * (a question that is asked first is computed once, the others wait). A stream is for one thread
 * at a time. Loading, queries and analyses use all cores.
 *
 * Texts are UTF-8; bytes of a profile that are not become U+FFFD. Times are picoseconds from the
 * trace's origin. Numbers, tables and columns are those of docs/interface.md. */
#ifndef STEPSCOPE_H_
#define STEPSCOPE_H_

#include <stddef.h>
#include <stdint.h>

#include "capi/arrow_abi.h"

#define STEPSCOPE_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* Rises when something that is here changes its meaning; additions leave it. */
#define STEPSCOPE_ABI 1

typedef int32_t stepscope_status;
enum {
  STEPSCOPE_OK = 0,
  STEPSCOPE_IO = 1,          /* a file cannot be read, or changed while open */
  STEPSCOPE_FORMAT = 2,      /* nothing usable in the input */
  STEPSCOPE_UNSUPPORTED = 3, /* known, but not read */
  STEPSCOPE_LIMIT = 4,       /* a stated limit was reached */
  STEPSCOPE_USAGE = 6,       /* wrong arguments, or a question the profile cannot answer */
  STEPSCOPE_MEMORY = 7,      /* there is not enough */
  STEPSCOPE_INTERNAL = 8     /* a fault of the library */
};

typedef struct stepscope_profile stepscope_profile;
typedef struct stepscope_report stepscope_report;
typedef struct stepscope_table stepscope_table;

STEPSCOPE_API uint32_t stepscope_abi(void);
STEPSCOPE_API const char* stepscope_version(void); /* "0.2.0" */
STEPSCOPE_API void stepscope_free_text(char* text);

/* "12ms", "1.5us": to picoseconds. */
STEPSCOPE_API stepscope_status stepscope_parse_time(const char* text, int64_t* out, char** error);

/* --- Profiles --------------------------------------------------------------------------------- */

typedef struct stepscope_open_options {
  size_t size;                 /* sizeof(stepscope_open_options): later versions add members */
  const char* run;             /* which run of a log directory; null: the newest */
  uint64_t max_inflated_bytes; /* of one file; 0: 16 GiB */
} stepscope_open_options;

/* What `stepscope PATH...` opens; several paths are one timeline. `options` may be null. */
STEPSCOPE_API stepscope_status stepscope_open(const char* const* paths, size_t count,
                                              const stepscope_open_options* options,
                                              stepscope_profile** out, char** error);
STEPSCOPE_API void stepscope_close(stepscope_profile* profile);

STEPSCOPE_API const char* stepscope_profile_path(const stepscope_profile* profile);
STEPSCOPE_API const char* stepscope_profile_run(const stepscope_profile* profile);
/* All runs of the path, newest first, and the hosts of this one; null behind the last. */
STEPSCOPE_API const char* stepscope_profile_run_name(const stepscope_profile* profile, size_t i);
STEPSCOPE_API const char* stepscope_profile_host(const stepscope_profile* profile, size_t i);
STEPSCOPE_API uint64_t stepscope_profile_events(const stepscope_profile* profile);
/* From the first begin to the last end of all events. */
STEPSCOPE_API void stepscope_profile_span(const stepscope_profile* profile, int64_t* begin_ps,
                                          int64_t* end_ps);
/* Unix time of t = 0 in ns; 0: not known. */
STEPSCOPE_API int64_t stepscope_profile_origin_unix_ns(const stepscope_profile* profile);

/* --- Questions -------------------------------------------------------------------------------- */

/* Which part of a profile: what begins in it. A null pointer, and zeros, are all of it. */
typedef struct stepscope_part {
  size_t size;                          /* sizeof(stepscope_part): later versions add members */
  const char* host;                     /* null: all */
  int64_t range_begin_ps, range_end_ps; /* [begin, end); empty: the whole trace */
  int32_t has_steps;                    /* 0: all */
  int64_t first_step, last_step;        /* by number, both included */
} stepscope_part;

/* Flags of stepscope_events: a column of arguments (slow); track by track, outer events first, in
 * place of by begin (three times as fast). */
enum { STEPSCOPE_WITH_ARGS = 1, STEPSCOPE_BY_TRACK = 2 };

/* The events that answer the query (null, empty: all), by begin, then track: begin_ps, dur_ps,
 * self_ps (int64), name, track, process and, of several hosts, host (texts, as int32 into a
 * dictionary); with arguments args (a map of texts). About 36 bytes an event. */
STEPSCOPE_API stepscope_status stepscope_events(stepscope_profile* profile,
                                                const stepscope_part* part, const char* query,
                                                uint32_t flags, stepscope_table** out,
                                                char** error);
/* What events of a name, a track or a step add up to: `by` is "name", "track", "step" or "all". */
STEPSCOPE_API stepscope_status stepscope_event_stats(stepscope_profile* profile,
                                                     const stepscope_part* part, const char* query,
                                                     const char* by, stepscope_table** out,
                                                     char** error);
/* number, name, host, begin_ps, dur_ps and whether averages count it. */
STEPSCOPE_API stepscope_status stepscope_steps(stepscope_profile* profile, stepscope_table** out,
                                               char** error);
/* host, process, track, events. */
STEPSCOPE_API stepscope_status stepscope_tracks(stepscope_profile* profile, stepscope_table** out,
                                                char** error);

enum { STEPSCOPE_COMPAT_XPROF = 1 }; /* flags of stepscope_report_of: XProf's definitions */

/* Id of the analysis, null behind the last. */
STEPSCOPE_API const char* stepscope_panel(size_t i);
STEPSCOPE_API stepscope_status stepscope_report_of(stepscope_profile* profile, const char* panel,
                                                   const stepscope_part* part, uint32_t flags,
                                                   stepscope_report** out, char** error);
/* What changed from a to b, per step. The profiles may be the same; so may the parts. */
STEPSCOPE_API stepscope_status stepscope_compare(stepscope_profile* a, stepscope_profile* b,
                                                 const stepscope_part* part_a,
                                                 const stepscope_part* part_b,
                                                 stepscope_report** out, char** error);

/* --- Reports ---------------------------------------------------------------------------------- */

STEPSCOPE_API void stepscope_report_free(stepscope_report* report);
STEPSCOPE_API const char* stepscope_report_panel(const stepscope_report* report);
/* Why there is nothing, and what to record; else empty. */
STEPSCOPE_API const char* stepscope_report_empty_reason(const stepscope_report* report);
/* Tables in the order of the report; null behind the last. */
STEPSCOPE_API const char* stepscope_report_table_id(const stepscope_report* report, size_t i);
STEPSCOPE_API const char* stepscope_report_table_title(const stepscope_report* report, size_t i);
STEPSCOPE_API stepscope_status stepscope_report_table(const stepscope_report* report, size_t i,
                                                      stepscope_table** out, char** error);
/* One row, a column for each property. */
STEPSCOPE_API stepscope_status stepscope_report_properties(const stepscope_report* report,
                                                           stepscope_table** out, char** error);
/* The verdicts in sentences: grade, text, next_step, panel. */
STEPSCOPE_API stepscope_status stepscope_report_verdicts(const stepscope_report* report,
                                                         stepscope_table** out, char** error);

/* --- Tables ----------------------------------------------------------------------------------- */

STEPSCOPE_API void stepscope_table_free(stepscope_table* table);
STEPSCOPE_API int64_t stepscope_table_rows(const stepscope_table* table);
/* All of the table, from its first row, as often as it is asked for. The stream shares the
 * table's memory. Fields have the metadata "label", "unit" and "how" where there is any. */
STEPSCOPE_API stepscope_status stepscope_table_stream(const stepscope_table* table,
                                                      struct ArrowArrayStream* out, char** error);

#ifdef __cplusplus
}
#endif

#endif
