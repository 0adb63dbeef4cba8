#include "model/analysis/definitions.h"

namespace stepscope {
namespace {

constexpr XprofDefinitionField kFields[] = {
    {"unsorted_lines_as_in_file", &XprofDefinitions::unsorted_lines_as_in_file},
    {"gpu_steps_of_groups", &XprofDefinitions::gpu_steps_of_groups},
    {"gpu_steps_numbered", &XprofDefinitions::gpu_steps_numbered},
    {"tpu_steps_of_line", &XprofDefinitions::tpu_steps_of_line},
    {"edge_steps_dropped", &XprofDefinitions::edge_steps_dropped},
    {"instants_stay_open", &XprofDefinitions::instants_stay_open},
    {"ungrouped_events_join", &XprofDefinitions::ungrouped_events_join},
    {"hosts_intersected", &XprofDefinitions::hosts_intersected},
    {"input_scaled_by_copies", &XprofDefinitions::input_scaled_by_copies},
    {"step_columns_of_xprof", &XprofDefinitions::step_columns_of_xprof},
    {"steps_begin_at_markers", &XprofDefinitions::steps_begin_at_markers},
    {"device_classes_of_xprof", &XprofDefinitions::device_classes_of_xprof},
    {"kernel_times_in_whole_ns", &XprofDefinitions::kernel_times_in_whole_ns},
    {"occupancy_of_first_kernel", &XprofDefinitions::occupancy_of_first_kernel},
    {"kernel_rows_limited", &XprofDefinitions::kernel_rows_limited},
    {"kernel_columns_of_xprof", &XprofDefinitions::kernel_columns_of_xprof},
    {"outer_op_closed_first", &XprofDefinitions::outer_op_closed_first},
    {"op_counted_by_name_and_stat", &XprofDefinitions::op_counted_by_name_and_stat},
    {"op_times_without_line_start", &XprofDefinitions::op_times_without_line_start},
    {"unknown_hlo_left_out", &XprofDefinitions::unknown_hlo_left_out},
    {"op_rows_limited", &XprofDefinitions::op_rows_limited},
    {"training_by_gradients", &XprofDefinitions::training_by_gradients},
    {"eager_calls_no_ops", &XprofDefinitions::eager_calls_no_ops},
    {"memory_times_without_line_start", &XprofDefinitions::memory_times_without_line_start},
    {"latest_peak_in_file", &XprofDefinitions::latest_peak_in_file},
    {"lifetime_peak_of_last_event", &XprofDefinitions::lifetime_peak_of_last_event},
    {"live_in_peak_step_only", &XprofDefinitions::live_in_peak_step_only},
    {"sampled_counts", &XprofDefinitions::sampled_counts},
    {"memory_tables_of_xprof", &XprofDefinitions::memory_tables_of_xprof},
    {"hlo_costs_by_kernel", &XprofDefinitions::hlo_costs_by_kernel},
    {"hlo_tuples_free", &XprofDefinitions::hlo_tuples_free},
    {"async_bytes_in_own_time", &XprofDefinitions::async_bytes_in_own_time},
    {"hlo_peaks_of_recording", &XprofDefinitions::hlo_peaks_of_recording},
    {"hlo_ops_of_cpu_left_out", &XprofDefinitions::hlo_ops_of_cpu_left_out},
    {"unknown_programs_left_out", &XprofDefinitions::unknown_programs_left_out},
    {"hlo_rows_limited", &XprofDefinitions::hlo_rows_limited},
    {"heap_of_first_trace", &XprofDefinitions::heap_of_first_trace},
    {"tuple_elements_by_name", &XprofDefinitions::tuple_elements_by_name},
    {"step_line_of_groups", &XprofDefinitions::step_line_of_groups},
    {"launches_with_device_id", &XprofDefinitions::launches_with_device_id},
};
static_assert(sizeof kFields / sizeof kFields[0] == sizeof(XprofDefinitions), "a field is missing");

}  // namespace

std::span<const XprofDefinitionField> XprofDefinitionFields() { return kFields; }

XprofDefinitions XprofDefinitionsOf(Definitions definitions) {
  XprofDefinitions xprof;
  for (const XprofDefinitionField& f : kFields) xprof.*f.field = definitions == Definitions::kXprof;
  return xprof;
}

}  // namespace stepscope
