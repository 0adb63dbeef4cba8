#include "loaders/remote/ssh.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "loaders/remote/child_process.h"

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

}  // namespace stepscope::remote
