#include "capture/address.h"

#include <algorithm>
#include <charconv>

namespace stepscope::capture {
namespace {

constexpr std::string_view kScheme = "grpc://";
constexpr size_t kMaxName = 100;
constexpr int kMaxPort = 65535;

bool IsPort(std::string_view text) {
  int port = 0;
  const auto end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, port);
  return result.ec == std::errc() && result.ptr == end && port > 0 && port <= kMaxPort;
}

bool IsHost(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f && c != '/' && c != '@' && c != '[' && c != ']';
  });
}

Status Wrong(std::string_view text, const char* why) {
  return {ErrorCode::kUsage, "'" + std::string(text) + "' " + why};
}

Result<Address> ParseAddress(std::string_view text) {
  constexpr const char* kWantedForm = "is no address of a profiler server; write it as HOST:PORT";
  std::string_view rest = text;
  if (rest.starts_with(kScheme)) rest.remove_prefix(kScheme.size());
  const size_t colon = rest.rfind(':');
  if (colon == std::string_view::npos) return Wrong(text, kWantedForm);
  std::string_view host = rest.substr(0, colon);
  const std::string_view port = rest.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos && host.find('/') == std::string_view::npos) {
    return Wrong(text, "is ambiguous; write an IPv6 address as [ADDRESS]:PORT");
  }
  if (!IsHost(host) || !IsPort(port)) return Wrong(text, kWantedForm);
  return Address{std::string(host), std::string(port)};
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsSafe(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_';
}

std::string SafeName(std::string_view host) {
  std::string name(host.substr(0, kMaxName));
  for (char& c : name) {
    if (!IsSafe(c)) c = '_';
  }
  if (name.front() == '.') name.front() = '_';
  return name;
}

}  // namespace

std::string Address::Text() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + port;
}

Result<std::vector<Address>> ParseAddresses(std::string_view text) {
  std::vector<Address> addresses;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    const Result<Address> address = ParseAddress(Trimmed(text.substr(0, comma)));
    if (!address.ok()) return address.status();
    if (std::find(addresses.begin(), addresses.end(), *address) != addresses.end())
      return Wrong(address->Text(), "is given twice");
    addresses.push_back(*address);
    if (addresses.size() > kMaxAddresses)
      return Status(ErrorCode::kUsage, "at most " + std::to_string(kMaxAddresses) +
                                           " addresses can be recorded together");
    if (more) text.remove_prefix(comma + 1);
  }
  return addresses;
}

std::vector<std::string> FileNamesOf(std::span<const Address> addresses) {
  std::vector<std::string> names;
  for (const Address& address : addresses) {
    const auto same_host = [&](const Address& other) { return other.host == address.host; };
    std::string name = SafeName(address.host);
    if (std::count_if(addresses.begin(), addresses.end(), same_host) > 1)
      name += "_" + address.port;
    std::string distinct = name;
    for (int i = 2; std::find(names.begin(), names.end(), distinct) != names.end(); ++i)
      distinct = name + "-" + std::to_string(i);
    names.push_back(distinct);
  }
  return names;
}

}  // namespace stepscope::capture
