// Options of `stepscope serve`, which another Stepscope starts over ssh.
#pragma once

#include <string>

namespace stepscope {

struct ServeOptions {
  bool stdio = false;   // answer one request on standard input and output
  std::string install;  // ssh://host/: copy this program there instead
};

}  // namespace stepscope
