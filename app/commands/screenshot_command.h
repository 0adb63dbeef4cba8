// Options of `stepscope screenshot`: one frame of the window as a picture.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/shared_options.h"

namespace stepscope {

struct ScreenshotOptions : PictureOptions {
  std::string output;
  std::vector<std::string> panels;  // to show beside the default ones; at most one
  TimeRange range;                  // empty: the first view
  std::string select;               // a part of an event's name, or =NAME
};

}  // namespace stepscope
