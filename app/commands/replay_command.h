// Options of `stepscope replay`: carries out a list of commands on the window.
#pragma once

#include <string>

#include "app/command_line/shared_options.h"

namespace stepscope {

struct ReplayOptions : PictureOptions {
  std::string commands_file;
  std::string output;        // picture of the last frame; empty: none
  bool no_pixels = false;    // nothing is rasterised
  bool show_window = false;  // a real window instead of an off-screen one
};

}  // namespace stepscope
