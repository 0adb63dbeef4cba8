// Options of `stepscope bench`: timings of opening and drawing.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/shared_options.h"

namespace stepscope {

struct BenchOptions : PictureOptions {
  int frames = 300;                      // of the scripted zoom
  bool panels = false;                   // also frames with each panel open
  std::vector<std::string> only_panels;  // these alone, in this order
  bool tools = false;                    // also frames of a search and of a box that selects
  bool show_window = false;              // a real window instead of an off-screen one
};

}  // namespace stepscope
