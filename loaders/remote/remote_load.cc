#include "loaders/remote/remote_load.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "loaders/remote/child_process.h"
#include "loaders/remote/receiver.h"
#include "loaders/store/store_reader.h"

namespace stepscope::remote {
namespace {

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool HasTerminal() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal >= 0) ::close(terminal);
  return terminal >= 0;
}

// Ends an error where ssh may have had a question and nobody to ask.
const char* UnaskedText() {
  if (HasTerminal() || IsSet("SSH_ASKPASS")) return "";
  return " (ssh has no terminal here to ask for a passphrase: add the key with `ssh-add`, or let "
         "SSH_ASKPASS name a program that asks)";
}

// Why ssh ended without a word of its own. It has the status of the program there, or 255.
std::string WhyEnded(int exit_status) {
  constexpr int kOfSsh = 255;
  if (exit_status > kOfSsh + 1)
    return "ssh was ended by signal " + std::to_string(exit_status - kOfSsh - 1);
  if (exit_status == kOfSsh) return "the line broke, or the program there was killed";
  if (exit_status == 0) return "the program there ended too early";
  return "the program there ended with status " + std::to_string(exit_status);
}

}  // namespace

std::vector<std::string> SshVariables() {
  if (HasTerminal() || !IsSet("SSH_ASKPASS") || IsSet("SSH_ASKPASS_REQUIRE")) return {};
  return {"SSH_ASKPASS_REQUIRE=force"};
}

std::vector<std::string> SshArguments(const RemotePath& remote, const std::string& command) {
  const char* own = std::getenv("STEPSCOPE_SSH");
  std::vector<std::string> arguments = Words(own == nullptr ? "ssh" : own);
  if (arguments.empty()) arguments = {"ssh"};
  arguments.push_back("-T");
  if (!remote.port.empty()) arguments.insert(arguments.end(), {"-p", remote.port});
  // The user's shell there may be any: sh reads the command.
  std::string quoted = "exec sh -c '";
  for (const char c : command) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  arguments.insert(arguments.end(), {"--", remote.Destination(), quoted + "'"});
  return arguments;
}

Status WhyFailed(const RemotePath& remote, int exit_status, std::string_view errors) {
  const std::string host = remote.Destination();
  const std::string ssh =
      "`ssh " + (remote.port.empty() ? "" : "-p " + remote.port + " ") + host + "`";
  const auto says = [errors](const char* text) {
    return errors.find(text) != std::string_view::npos;
  };
  const auto failed = [](std::string text) { return Status(ErrorCode::kIo, std::move(text)); };
  if (says("Could not resolve")) return failed(remote.host + ": there is no host of this name");
  if (says("Host key verification failed") || says("HOST IDENTIFICATION HAS CHANGED"))
    return failed(host + ": its host key is unknown or has changed; " + ssh +
                  " says more and can accept it");
  if (says("Permission denied") || says("Too many authentication"))
    return failed(host + ": the key or password was refused; " + ssh + " must work first" +
                  UnaskedText());
  if (says("Connection refused"))
    return failed(host + ": the connection was refused; is this the right host and port?");
  if (says("timed out") || says("No route to host") || says("unreachable"))
    return failed(host + ": the host does not answer");
  if (says("error while loading shared libraries"))
    return failed(host + ": Stepscope cannot run there: " + std::string(LastLine(errors)) +
                  "; `pip install stepscope` there brings its libraries along");
  if (exit_status == 127) {
    return {ErrorCode::kNotInstalled,
            host + ": Stepscope is not installed there; `stepscope serve --install ssh://" + host +
                (remote.port.empty() ? "" : ":" + remote.port) + "/` copies this program to it"};
  }
  if (exit_status == 2 && says("serve"))
    return failed(host + ": the Stepscope there is too old for ssh://; install a newer one");
  std::string_view line = LastLine(errors);
  if (line.ends_with('.')) line.remove_suffix(1);  // more may follow
  return failed(host + ": the connection ended: " +
                (line.empty() ? WhyEnded(exit_status) : std::string(line)));
}

namespace {

constexpr int kPollMs = 50;
constexpr size_t kCopyBlock = size_t{64} << 10;

// Where a copy of this program lies that LoadRemote has put there.
constexpr const char* kCopyFolder = "$HOME/.cache/stepscope/1";

std::string ServeCommand() {
  const std::string copy = std::string(kCopyFolder) + "/stepscope";
  return "if command -v stepscope >/dev/null 2>&1; then exec stepscope serve --stdio; "
         "elif [ -x \"" +
         copy + "\" ]; then exec \"" + copy +
         "\" serve --stdio; "
         "else exit 127; fi";
}

// Takes a program of `bytes` bytes from standard input, and runs it once. A copy that is cut short
// or cannot run there is removed, with the error of what failed.
std::string InstallCommand(uint64_t bytes) {
  return "mkdir -p \"" + std::string(kCopyFolder) + "\" && cd \"" + kCopyFolder +
         "\" && part=stepscope.$$ && cat >$part && [ $(wc -c <$part) -eq " + std::to_string(bytes) +
         " ] && chmod 755 $part && ./$part --version && mv $part stepscope; "
         "failed=$?; rm -f $part; exit $failed";
}

std::string SizeText(size_t bytes) {
  char text[32];
  const bool small = bytes < 100'000;
  std::snprintf(text, sizeof text, small ? "%.1f kB" : "%.1f MB",
                static_cast<double>(bytes) / (small ? 1e3 : 1e6));
  return text;
}

// `broken`: why not all of it has come, or ok.
Result<std::shared_ptr<const Trace>> ReadReceived(std::shared_ptr<const ByteSource> store,
                                                  const Status& broken, const LoadOptions& options,
                                                  const std::stop_token& stop) {
  const size_t size = store->size();
  TraceBuilder builder;
  builder.trace().path = store->path();
  Progress progress;  // the bytes are counted already
  const Status read = store::ReadStoreInto(std::move(store), {options.max_inflated_bytes, false},
                                           stop, &progress, &builder);
  if (!read.ok()) return broken.ok() ? read : broken;
  if (!broken.ok()) {
    builder.trace().diagnostics.Count(
        kRemoteCut, Severity::kWarning,
        "The connection broke before all of the profile had come: what came is shown",
        broken.message() + ", after " + SizeText(size));
  }
  return builder.Finish(stop, &progress);
}

// Whether the next load may get what is missing: a limit would end it again.
bool CanGoOn(const Status& why) {
  return why.code() == ErrorCode::kIo || why.code() == ErrorCode::kCancelled ||
         why.code() == ErrorCode::kNotInstalled;
}

// Passes on what ssh brings until it ends, and says why not all has come. kCancelled after a stop.
Status ReceiveAll(ChildProcess& ssh, const RemotePath& remote, const std::stop_token& stop,
                  Receiver* receiver) {
  std::string bytes;
  for (bool more = true; more;) {
    if (stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    bytes.clear();
    const ChildProcess::Got got = ssh.Receive(&bytes, kPollMs);
    more = got != ChildProcess::Got::kEnd;
    if (got == ChildProcess::Got::kBytes) more = receiver->Add(bytes);
  }
  if (receiver->ended() || !receiver->status().ok()) return receiver->status();
  const int status = ssh.Finish();  // reads the rest of the errors
  return WhyFailed(remote, status, ssh.errors());
}

}  // namespace

Result<std::shared_ptr<const Trace>> LoadRemote(const std::string& address,
                                                const LoadOptions& options,
                                                const std::stop_token& stop, Progress& progress,
                                                std::vector<std::string>* runs) {
  const Result<RemotePath> remote = ParseRemotePath(address);
  if (!remote.ok()) return remote.status();
  progress.SetStage("Connecting");
  Result<std::unique_ptr<ChildProcess>> started =
      ChildProcess::Start(SshArguments(*remote, ServeCommand()), SshVariables());
  if (!started.ok()) return started.status();
  Receiver receiver({address, remote->Destination()}, options, stop, &progress, runs);
  // Where it cannot be sent, nothing comes, and ssh says why.
  (*started)->Send(receiver.Request(remote->path));
  const Status broken = ReceiveAll(**started, *remote, stop, &receiver);
  const std::shared_ptr<const ByteSource> before =
      options.part == nullptr ? nullptr : options.part->came();
  std::shared_ptr<const ByteSource> store = receiver.TakeStore();
  const bool news = broken.ok() || (store != before && broken.code() != ErrorCode::kCancelled);
  Result<std::shared_ptr<const Trace>> trace =
      news ? ReadReceived(store, broken, options, stop) : broken;
  const Status why = broken.ok() ? trace.status() : broken;
  if (options.part != nullptr) options.part->Keep(CanGoOn(why) ? std::move(store) : nullptr);
  return trace;
}

Status InstallRemote(const std::string& address, const std::string& program,
                     const std::stop_token& stop, Progress& progress) {
  const Result<RemotePath> remote = ParseRemotePath(address);
  if (!remote.ok()) return remote.status();
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(program.c_str(), "rb"),
                                                       &std::fclose);
  if (file == nullptr) return {ErrorCode::kIo, program + ": cannot be read"};
  std::error_code error;
  const uint64_t size = std::filesystem::file_size(program, error);
  progress.SetStage("Copying Stepscope to the other machine");
  progress.bytes_total = error ? 0 : size;
  Result<std::unique_ptr<ChildProcess>> started =
      ChildProcess::Start(SshArguments(*remote, InstallCommand(size)), SshVariables());
  if (!started.ok()) return started.status();
  ChildProcess& ssh = **started;
  std::string block(kCopyBlock, '\0');
  for (size_t n = 1; n > 0;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    n = std::fread(block.data(), 1, block.size(), file.get());
    if (n > 0 && !ssh.Send(std::string_view(block).substr(0, n), stop)) break;
    progress.bytes_done += n;
  }
  ssh.CloseInput();
  std::string answer;
  while (ssh.Receive(&answer, kPollMs) != ChildProcess::Got::kEnd) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
  }
  const int status = ssh.Finish();
  if (status == 0 && answer.find("stepscope") != std::string::npos) return {};
  return WhyFailed(*remote, status, ssh.errors());
}

}  // namespace stepscope::remote
