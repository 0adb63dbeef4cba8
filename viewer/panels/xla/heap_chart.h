// HeapChart: a memory of a program while the program runs. The horizontal axis is the program's
// order, the vertical one bytes: either how full the memory is, or where in it each buffer lies and
// for how long. O(points in view) a frame, and of boxes the largest. UI thread only.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/pages/hlo_memory.h"
#include "viewer/core/panel.h"
#include "viewer/widgets/chart.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {

struct HeapBox {
  std::string name;  // of the buffer; empty: the allocation that contains the boxes after it
  int64_t offset = 0, size = 0, first = 0, last = 0;
};

// The parts of a memory that the chart shows.
struct HeapData {
  static constexpr size_t kMostBoxes = 4000;

  std::vector<double> bytes, unpadded;  // by position
  std::vector<std::string> instructions;
  std::vector<HeapBox> boxes;  // allocations, then the buffers of the largest area
  size_t boxes_left_out = 0;
  double indefinite = 0, peak = 0, top = 0;  // top: where the highest box ends
  int64_t peak_position = 0;

  size_t size() const { return bytes.size(); }
};
HeapData MakeHeapData(const HloMemory& memory);
std::string ToCsv(const HeapData& data);
std::string BoxesToCsv(const HeapData& data);

class HeapChart {
 public:
  struct Marks {
    int64_t position = -1;          // a position that is marked; -1: none
    int64_t first = -1, last = -1;  // the life of the chosen buffer; -1: none
    std::string_view buffer;        // its name
  };
  struct Clicked {
    int64_t position = -1;  // in the heap; -1: nothing was clicked
    std::string buffer;     // the buffer of the box there; empty: none
  };
  bool boxes = false;  // places and lifetimes instead of how full it is

  Clicked Draw(const PanelContext& context, const HeapData& data, uint64_t key, const Marks& marks,
               ImVec2 size);

 private:
  void DrawHeap(const PanelContext& context, const HeapData& data) const;
  void DrawBoxes(const PanelContext& context, const HeapData& data, const Marks& marks) const;
  void DrawMarks(const PanelContext& context, const HeapData& data, const Marks& marks) const;
  int Hit(const HeapData& data) const;
  static void DrawTooltip(const PanelContext& context, const HeapData& data, int64_t position,
                          int box);
  static int FormatTick(double value, char* buffer, int size, void* format);

  NumberFormat format_;
  int tick_decimals_ = 0;
  ChartState state_;
  uint64_t key_ = 0;
  bool fit_ = false;
};

}  // namespace stepscope
