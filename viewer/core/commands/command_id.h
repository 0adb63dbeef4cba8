// CommandId: names a command. A text in the source that is no command's id does not compile.
#pragma once

#include <cstddef>
#include <string_view>

namespace stepscope {

// The ids of the rows of Commands(), each with a space before and after it.
inline constexpr std::string_view kCommandIds =
    " app.agents app.help app.menu app.note app.palette app.save_picture app.set app.settings"
    " compare.align_begin compare.align_event compare.align_steps compare.colors"
    " compare.counterpart compare.layout compare.stretch compare.swap"
    " copy.all copy.name copy.text"
    " file.answer file.cancel file.capture file.clear_recent file.close file.compare file.export"
    " file.export_picture file.export_png file.export_svg file.install_there file.load_rest"
    " file.open file.open_at file.open_folder file.open_sample file.quit file.record file.save_as"
    " file.save_range_as file.stop_recording file.write"
    " filter.clear filter.here filter.pop filter.range filter.steps filter.visible"
    " go.next_step go.previous_step go.step go.typical_step go.worst_step"
    " host.choose"
    " mark.add mark.color mark.next mark.previous mark.remove mark.rename"
    " measure.selection measure.set measure.shown"
    " panel.duplicate panel.show panel.stacks panel.toggle"
    " path.show"
    " run.activate run.choose run.newer run.older"
    " search.focus search.next search.previous search.set"
    " select.child select.clear select.event select.events select.flow_next select.flow_previous"
    " select.hits select.next select.next_same select.next_shown select.parent select.previous"
    " select.previous_same select.previous_shown select.reveal select.show_events select.toggle"
    " tool.pan tool.select tool.timing tool.zoom"
    " track.color track.filter track.move track.only track.only_selected track.pin track.place"
    " track.rename track.reset_looks track.rows track.select track.sort track.unpin_all"
    " view.align_clocks view.back view.collapse_all view.copy_token view.definitions"
    " view.derived_lanes view.desktop_theme view.expand_all view.forward view.fullscreen"
    " view.larger view.next_theme view.normal_size view.open_token view.page_down view.page_up"
    " view.pan_left view.pan_left_coarse view.pan_left_fine view.pan_right view.pan_right_coarse"
    " view.pan_right_fine view.python_frames view.ranks_in_lane view.ranks_in_rows"
    " view.reset_layout view.scroll view.scroll_down view.scroll_up view.set_range view.set_theme"
    " view.show_hidden view.smaller view.tall_panels view.toggle_collapse view.toggle_hidden"
    " view.waiting_lanes view.zoom_all view.zoom_in view.zoom_in_coarse view.zoom_in_fine"
    " view.zoom_out view.zoom_out_coarse view.zoom_out_fine view.zoom_selection ";

consteval bool IsCommandId(std::string_view id) {
  for (size_t at = kCommandIds.find(id); at != std::string_view::npos;
       at = kCommandIds.find(id, at + 1)) {
    if (kCommandIds[at - 1] == ' ' && kCommandIds[at + id.size()] == ' ') return true;
  }
  return false;
}

class CommandId {
 public:
  consteval CommandId(const char* text) : text_(text) {  // NOLINT: a literal is an id
    if (!IsCommandId(text)) throw "no command has this id";
  }
  constexpr const char* text() const { return text_; }
  constexpr operator std::string_view() const { return text_; }  // NOLINT: an id is a text
  friend constexpr bool operator==(CommandId a, std::string_view b) {
    return std::string_view(a) == b;
  }

 private:
  const char* text_;
};

}  // namespace stepscope
