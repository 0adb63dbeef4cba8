#include "app/session/open_together.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <span>
#include <string_view>

#include "loaders/files/byte_source.h"
#include "loaders/loader.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace fs = std::filesystem;
namespace {

constexpr size_t kHeadBytes = size_t{64} << 10;

// The number after the first `"key":` at or after `from`, or -1.
int NumberAfter(std::string_view text, std::string_view key, size_t from) {
  size_t at = text.find(key, from);
  if (at == std::string_view::npos) return -1;
  at += key.size();
  while (at < text.size() && (text[at] == ':' || text[at] == ' ')) ++at;
  int number = -1;
  const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), number);
  return parsed.ec == std::errc() ? number : -1;
}

// Whether the text before a number names a part of a job, as "rank", "host-" and "my_worker." do.
bool NamesAPart(std::string_view before) {
  while (!before.empty() && std::ispunct(static_cast<unsigned char>(before.back())))
    before.remove_suffix(1);
  const std::string word = Lower(before);
  constexpr std::array<std::string_view, 9> kParts = {"rank", "worker", "host",   "node",   "gpu",
                                                      "task", "proc",   "device", "process"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return word.ends_with(part); });
}

// Whether two names differ only in the number of a part of a job: "rank0.json", "rank12.json".
bool DifferInPart(std::string_view a, std::string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  size_t begin = static_cast<size_t>(differ.first - a.begin());
  while (begin > 0 && IsDigit(a[begin - 1])) --begin;
  size_t end_a = begin, end_b = begin;
  while (end_a < a.size() && IsDigit(a[end_a])) ++end_a;
  while (end_b < b.size() && IsDigit(b[end_b])) ++end_b;
  return end_a > begin && end_b > begin && a.substr(end_a) == b.substr(end_b) &&
         NamesAPart(a.substr(0, begin));
}

bool PathsDifferInParts(const fs::path& a, const fs::path& b) {
  auto x = a.begin(), y = b.begin();
  for (; x != a.end() && y != b.end(); ++x, ++y) {
    if (*x != *y && !DifferInPart(x->native(), y->native())) return false;
  }
  return x == a.end() && y == b.end();
}

// Whether a directory is <log directory>/plugins/profile/<run>, where the profiler writes one
// file for each host.
bool IsRunDirectory(const fs::path& directory) {
  const fs::path profile = directory.parent_path();
  return profile.filename() == "profile" && profile.parent_path().filename() == "plugins";
}

// Whether the loader of memory snapshots is the first that recognises the content.
bool IsSnapshot(std::string_view head) {
  for (const LoaderDesc* loader : Loaders()) {
    if (loader->sniff(std::as_bytes(std::span(head))))
      return loader->format->capabilities.memory_snapshot;
  }
  return false;
}

}  // namespace

ProfileHint ReadProfileHint(const std::string& path) {
  ProfileHint hint;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error).lexically_normal();
  hint.path = error ? path : absolute.string();
  if (!fs::is_regular_file(absolute, error)) return hint;
  const Result<std::string> head = ReadPrefix(path, kHeadBytes);
  if (!head.ok()) return hint;
  hint.snapshot = IsSnapshot(*head);
  const size_t info = head->find("\"distributedInfo\"");
  if (info == std::string::npos) return hint;
  const std::string_view members =
      std::string_view(*head).substr(0, std::min(head->find('}', info), head->size()));
  hint.rank = NumberAfter(members, "\"rank\"", info);
  hint.world_size = NumberAfter(members, "\"world_size\"", info);
  return hint;
}

bool AreOfOneJob(const ProfileHint& a, const ProfileHint& b) {
  if (a.path == b.path) return false;  // one rank is in one file
  if (a.rank >= 0 && b.rank >= 0) return a.rank != b.rank && a.world_size == b.world_size;
  const fs::path x(a.path), y(b.path);
  if (x.parent_path() == y.parent_path() && IsRunDirectory(x.parent_path())) return true;
  return PathsDifferInParts(x, y);
}

PathsByKind SplitByKind(const std::vector<std::string>& paths) {
  PathsByKind by_kind;
  for (const std::string& path : paths)
    (ReadProfileHint(path).snapshot ? by_kind.snapshots : by_kind.traces).push_back(path);
  return by_kind;
}

}  // namespace stepscope
