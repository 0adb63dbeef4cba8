#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "app/system/output.h"

namespace stepscope {
namespace {

struct McpOptions {
  std::vector<std::string> roots;
  bool skill = false;
};

// Python would look for modules in the folder where the program is started; the script removes it.
constexpr const char* kScript = R"(
import sys
sys.path = [folder for folder in sys.path if folder]
try:
    from stepscope.mcp_server import main
except ImportError as error:
    sys.stderr.write("stepscope: mcp needs Python 3.10 with stepscope[mcp]: " + str(error) + "\n")
    sys.exit(4)
sys.exit(main(sys.argv[1:]))
)";

void AddMcpOptions(CLI::App& app, InputOptions*, McpOptions* options) {
  AddRepeated(app, "--root", "DIR",
              "folder whose profiles agents may read, once for each (default: the current one)",
              [options](const std::string& text) {
                options->roots.push_back(text);
                return "";
              });
  AddFlag(app, "--skill", &options->skill,
          "print a skill that teaches agents the commands, and exit");
}

// The Python of the environment that the program is installed in, else that in PATH.
std::string PythonPath(const std::filesystem::path& program) {
  const std::filesystem::path beside = program.parent_path() / "python3";
  return access(beside.c_str(), X_OK) == 0 ? beside.string() : "python3";
}

int RunMcp(const InputOptions&, const McpOptions& options, const Log&) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) setenv("STEPSCOPE_PROGRAM", program.c_str(), 0);
  std::vector<std::string> words = {PythonPath(program), "-c", kScript};
  for (const std::string& root : options.roots) words.push_back("--root=" + root);
  if (options.skill) words.emplace_back("--skill");
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  LogError("mcp: there is no python3; it needs Python 3.10 with stepscope[mcp]");
  return kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kMcpCommand = {
    "mcp", "A server for agents by the Model Context Protocol, over standard input and output",
    NewCommand<McpOptions, AddMcpOptions, CheckInput, RunMcp>};

}  // namespace stepscope
