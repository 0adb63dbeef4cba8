#include "loaders/remote/remote_path.h"

#include <algorithm>

namespace stepscope {

bool IsBucketPath(std::string_view path) {
  const auto begins = [path](std::string_view scheme) { return path.starts_with(scheme); };
  return begins("gs://") || begins("s3://") || begins("https://") || begins("http://");
}

bool IsRemotePath(std::string_view path) {
  return path.starts_with("ssh://") || IsBucketPath(path);
}

namespace remote {
namespace {

constexpr std::string_view kScheme = "ssh://";

// ssh would take a name that begins with a dash for an option, and a shell reads other characters.
bool IsPlain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == ':' || c == '%' || c == '+' || c == '@' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), plain);
}

bool IsPort(std::string_view port) {
  return !port.empty() && port.size() <= 5 &&
         std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<RemotePath> ParseRemotePath(std::string_view address) {
  const auto wrong = [&](const char* why) {
    return Status(ErrorCode::kUsage, std::string(address) + ": " + why +
                                         "; an address is ssh://[user@]host[:port]/path");
  };
  if (!address.starts_with(kScheme)) return wrong("no address that is known");
  std::string_view rest = address.substr(kScheme.size());
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return wrong("the path is missing");
  RemotePath out;
  out.path = rest.substr(slash);
  if (out.path == "/~" || out.path.starts_with("/~/")) out.path.erase(0, 1);
  rest = rest.substr(0, slash);
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    out.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (!IsPlain(out.user)) return wrong("the name of the user cannot be");
  }
  // An IPv6 address stands in brackets.
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong("a bracket is missing");
    out.host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    out.host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(out.host.size());
  }
  if (!IsPlain(out.host)) return wrong("the name of the host cannot be");
  if (rest.empty()) return out;
  out.port = rest.substr(1);
  if (rest.front() != ':' || !IsPort(out.port)) return wrong("the port is no number");
  return out;
}

}  // namespace remote
}  // namespace stepscope
