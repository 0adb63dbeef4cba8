// Options of `stepscope info`: what is inside a profile.
#pragma once

#include <string>

namespace stepscope {

struct InfoOptions {
  bool json = false;
  std::string host;  // reads only this one; empty: all
};

}  // namespace stepscope
