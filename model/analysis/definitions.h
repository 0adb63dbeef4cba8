// XprofDefinitions: the rules of XProf 2.24.2 that differ from ours, one field for each rule.
// --compat xprof sets all of them, nothing else sets any. docs/differences.md says for each field
// what differs and why. Values; any thread.
#pragma once

#include <span>

#include "model/analysis/analysis.h"

namespace stepscope {

struct XprofDefinitions {
  // Events
  bool unsorted_lines_as_in_file = false;
  // Steps
  bool gpu_steps_of_groups = false;
  bool gpu_steps_numbered = false;
  bool tpu_steps_of_line = false;
  bool edge_steps_dropped = false;
  bool instants_stay_open = false;
  bool ungrouped_events_join = false;
  bool hosts_intersected = false;
  bool input_scaled_by_copies = false;
  bool step_columns_of_xprof = false;
  bool steps_begin_at_markers = false;
  // Copies and collectives
  bool device_classes_of_xprof = false;
  // Kernels
  bool kernel_times_in_whole_ns = false;
  bool occupancy_of_first_kernel = false;
  bool kernel_rows_limited = false;
  bool kernel_columns_of_xprof = false;
  // Operations
  bool outer_op_closed_first = false;
  bool op_counted_by_name_and_stat = false;
  bool op_times_without_line_start = false;
  bool unknown_hlo_left_out = false;
  bool op_rows_limited = false;
  bool training_by_gradients = false;
  bool eager_calls_no_ops = false;
  // Memory
  bool memory_times_without_line_start = false;
  bool latest_peak_in_file = false;
  bool lifetime_peak_of_last_event = false;
  bool live_in_peak_step_only = false;
  bool sampled_counts = false;
  bool memory_tables_of_xprof = false;
  // HLO programs
  bool hlo_costs_by_kernel = false;
  bool hlo_tuples_free = false;
  bool async_bytes_in_own_time = false;
  bool hlo_peaks_of_recording = false;
  bool hlo_ops_of_cpu_left_out = false;
  bool unknown_programs_left_out = false;
  bool hlo_rows_limited = false;
  bool heap_of_first_trace = false;
  bool tuple_elements_by_name = false;
  // Derived lines of the timeline
  bool step_line_of_groups = false;
  bool launches_with_device_id = false;
};

struct XprofDefinitionField {
  const char* name;
  bool XprofDefinitions::*field;
};
// Every field with its name, for tests and reports.
std::span<const XprofDefinitionField> XprofDefinitionFields();

XprofDefinitions XprofDefinitionsOf(Definitions definitions);

}  // namespace stepscope
