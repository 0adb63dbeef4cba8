#include <unistd.h>

#include "app/command_line/command_line.h"
#include "app/system/output.h"
#include "app/system/version.h"
#include "loaders/remote/remote_load.h"
#include "loaders/remote/serve.h"

namespace stepscope {
namespace {

struct ServeOptions {
  bool stdio = false;   // answer one request on standard input and output
  std::string install;  // ssh://host/: copy this program there instead
};

void AddServeOptions(CLI::App& app, InputOptions*, ServeOptions* options) {
  AddFlag(app, "--stdio", &options->stdio,
          "send the profile that standard input asks for; ssh:// addresses start this");
  AddText(app, "--install", &options->install,
          "copy this program to a host, given as ssh://[user@]host[:port]/, for ssh:// addresses");
}

std::string CheckServe(const InputOptions&, const ServeOptions& options) {
  if (options.stdio != options.install.empty()) return "serve: give --stdio or --install";
  return {};
}

int Install(const std::string& address) {
  Progress progress;
  const Status status = remote::InstallRemote(address, remote::kThisProgram, {}, progress);
  if (status.ok()) return kExitOk;
  LogError(status.message());
  return ExitCodeOf(status);
}

int RunServe(const InputOptions&, const ServeOptions& options, const Log&) {
  if (!options.install.empty()) return Install(options.install);
  const std::string version = VersionText();
  const bool sent =
      remote::Serve(STDIN_FILENO, STDOUT_FILENO, version.substr(0, version.find('\n')));
  return sent ? kExitOk : kExitNothing;
}

}  // namespace

extern const ProgramCommandDesc kServeCommand = {
    "serve", "Send a profile to another machine, whose Stepscope asks for it over ssh",
    NewCommand<ServeOptions, AddServeOptions, CheckServe, RunServe>};

}  // namespace stepscope
