// The command line as CLI11 knows it: for the parser, and for the pages and completions that are
// made from the same table.
#pragma once

namespace CLI {
class App;
}

namespace stepscope {

struct Options;

// Adds all options and commands to an empty app. What is parsed goes to `options`, which must live
// as long as the app.
void AddCommandLine(CLI::App* app, Options* options);

}  // namespace stepscope
