#include "model/analysis/quirks.h"

namespace stepscope {
namespace {

constexpr QuirkField kFields[] = {
    {"unsorted_lines_as_in_file", &Quirks::unsorted_lines_as_in_file},
    {"gpu_steps_of_groups", &Quirks::gpu_steps_of_groups},
    {"gpu_steps_numbered", &Quirks::gpu_steps_numbered},
    {"edge_steps_dropped", &Quirks::edge_steps_dropped},
    {"instants_stay_open", &Quirks::instants_stay_open},
    {"ungrouped_events_join", &Quirks::ungrouped_events_join},
    {"hosts_intersected", &Quirks::hosts_intersected},
    {"input_scaled_by_copies", &Quirks::input_scaled_by_copies},
    {"step_columns_of_xprof", &Quirks::step_columns_of_xprof},
    {"steps_begin_at_markers", &Quirks::steps_begin_at_markers},
    {"device_classes_of_xprof", &Quirks::device_classes_of_xprof},
    {"kernel_times_in_whole_ns", &Quirks::kernel_times_in_whole_ns},
    {"occupancy_of_first_kernel", &Quirks::occupancy_of_first_kernel},
    {"kernel_rows_limited", &Quirks::kernel_rows_limited},
    {"kernel_columns_of_xprof", &Quirks::kernel_columns_of_xprof},
    {"outer_op_closed_first", &Quirks::outer_op_closed_first},
    {"op_counted_by_name_and_stat", &Quirks::op_counted_by_name_and_stat},
    {"op_times_without_line_start", &Quirks::op_times_without_line_start},
    {"unknown_hlo_left_out", &Quirks::unknown_hlo_left_out},
    {"op_rows_limited", &Quirks::op_rows_limited},
    {"training_by_gradients", &Quirks::training_by_gradients},
    {"eager_calls_no_ops", &Quirks::eager_calls_no_ops},
    {"memory_times_without_line_start", &Quirks::memory_times_without_line_start},
    {"latest_peak_in_file", &Quirks::latest_peak_in_file},
    {"lifetime_peak_of_last_event", &Quirks::lifetime_peak_of_last_event},
    {"live_in_peak_step_only", &Quirks::live_in_peak_step_only},
    {"sampled_counts", &Quirks::sampled_counts},
    {"memory_tables_of_xprof", &Quirks::memory_tables_of_xprof},
    {"step_line_of_groups", &Quirks::step_line_of_groups},
    {"launches_with_device_id", &Quirks::launches_with_device_id},
};
static_assert(sizeof kFields / sizeof kFields[0] == sizeof(Quirks), "a field is missing");

}  // namespace

std::span<const QuirkField> QuirkFields() { return kFields; }

Quirks QuirksOf(Definitions definitions) {
  Quirks quirks;
  for (const QuirkField& f : kFields) quirks.*f.field = definitions == Definitions::kXprof;
  return quirks;
}

}  // namespace stepscope
