#include "app/session/desktop.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "app/system/paths.h"
#include "loaders/loader.h"

extern char** environ;

namespace stepscope {
namespace {

// Starts the program with its standard output on a pipe. Returns the pipe's read end, or -1.
int Spawn(const std::vector<std::string>& arguments, pid_t* child) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return -1;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  // Warnings of the program's toolkit do not belong on our standard error.
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const int error = ::posix_spawn(child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return -1;
  }
  return ends[0];
}

// Reads until the program closes its output, or the job is told to stop.
std::string ReadUntilClosed(int fd) {
  std::string text;
  char buffer[4096];
  while (!StopRequested()) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, 100);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<size_t>(n));
  }
  return {};
}

std::vector<std::string> SplitLines(const std::string& text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// The names that a loader reads, as in "*.xplane.pb *.xplane.pb.gz".
std::string Patterns(const LoaderDesc& loader) {
  std::string out;
  for (const std::string& ending : ReadEndings(loader)) out += (out.empty() ? "*" : " *") + ending;
  return out;
}

// Names and patterns of the filters. The first one takes everything that can be read.
std::vector<std::pair<std::string, std::string>> FileFilters() {
  std::vector<std::pair<std::string, std::string>> out{{"All profiles", {}}};
  for (const LoaderDesc* loader : Loaders()) {
    const std::string patterns = Patterns(*loader);
    out[0].second += (out[0].second.empty() ? "" : " ") + patterns;
    out.emplace_back(loader->filter, patterns);
  }
  out.emplace_back("All files", "*");
  return out;
}

std::vector<std::string> ZenityArguments(bool folder) {
  std::vector<std::string> out{"--file-selection", "--title=Open a profile"};
  if (folder) {
    out.push_back("--directory");
    return out;
  }
  out.insert(out.end(), {"--multiple", "--separator=\n"});
  for (const auto& [name, patterns] : FileFilters())
    out.push_back(fmt::format("--file-filter={} | {}", name, patterns));
  return out;
}

std::vector<std::string> KdialogArguments(bool folder) {
  if (folder) return {"--getexistingdirectory", "."};
  std::string filters;
  for (const auto& [name, patterns] : FileFilters())
    filters += fmt::format("{}{} ({})", filters.empty() ? "" : "\n", name, patterns);
  return {"--multiple", "--separate-output", "--getopenfilename", ".", filters};
}

}  // namespace

std::vector<std::string> RunProgram(const std::vector<std::string>& arguments) {
  pid_t child = 0;
  const int fd = Spawn(arguments, &child);
  if (fd < 0) return {};
  std::string text = ReadUntilClosed(fd);
  ::close(fd);
  if (StopRequested()) ::kill(child, SIGTERM);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SplitLines(text)
                                                       : std::vector<std::string>();
}

std::vector<std::string> DialogArguments(DialogProgram program, bool folder) {
  return program == DialogProgram::kZenity ? ZenityArguments(folder) : KdialogArguments(folder);
}

DesktopDialog::DesktopDialog(JobQueue& queue) : program_(FindProgram("zenity")), queue_(queue) {
  if (program_.empty()) {
    program_ = FindProgram("kdialog");
    kind_ = DialogProgram::kKdialog;
  }
}

void DesktopDialog::Show(bool folder) {
  if (!available() || job_.active()) return;
  std::vector<std::string> arguments = DialogArguments(kind_, folder);
  arguments.insert(arguments.begin(), program_);
  job_.Start(queue_, [arguments](Progress&) { return RunProgram(arguments); });
}

std::optional<std::vector<std::string>> DesktopDialog::TakeChosen() { return job_.Take(); }

namespace {

std::vector<std::string> PortalCall() {
  return {FindProgram("gdbus"),
          "call",
          "--session",
          "--timeout=2",
          "--dest=org.freedesktop.portal.Desktop",
          "--object-path=/org/freedesktop/portal/desktop",
          "--method=org.freedesktop.portal.Settings.Read",
          "org.freedesktop.appearance",
          "color-scheme"};
}

}  // namespace

std::optional<bool> LightByPortal(const std::vector<std::string>& answer) {
  for (const std::string& line : answer) {
    if (line.find("uint32 1") != std::string::npos) return false;
    if (line.find("uint32 2") != std::string::npos) return true;
  }
  return std::nullopt;
}

std::optional<bool> LightByGtkTheme(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return !name.ends_with("dark") && !name.ends_with("Dark");
}

void DesktopTheme::Ask(JobQueue& queue) {
  const char* gtk = std::getenv("GTK_THEME");
  job_.Start(queue, [named = LightByGtkTheme(gtk != nullptr ? gtk : "")](Progress&) {
    const std::vector<std::string> call = PortalCall();
    const std::optional<bool> light =
        call[0].empty() ? std::nullopt : LightByPortal(RunProgram(call));
    return light.value_or(named.value_or(false));
  });
}

bool DesktopTheme::light() {
  if (const std::optional<bool> answer = job_.Take()) light_ = *answer;
  return light_;
}

}  // namespace stepscope
