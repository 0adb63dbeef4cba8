#include "viewer/core/state/muted_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/base/ascii.h"
#include "model/base/number_hash.h"

namespace stepscope {
namespace {

constexpr size_t kMostNames = 50'000;
constexpr size_t kAlike = 20;  // hashes of 32: different programs share the names of frameworks
constexpr size_t kDigits = 8;

uint64_t HashWithoutDigits(std::string_view name) {
  Fnv fnv;
  for (const char c : name) {
    if (!IsDigit(c)) fnv.Add(static_cast<unsigned char>(c));
  }
  return fnv.value();
}

// The finalizer of splitmix64: its values for different seeds are independent enough.
uint32_t Mixed(uint64_t h, uint64_t seed) {
  h += seed * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ h >> 27) * 0x94d049bb133111ebull;
  return static_cast<uint32_t>(h >> 32);
}

auto Mutes(std::string_view rule, const ProgramId& program) {
  return [rule, &program](const MutedRules::InProgram& muted) {
    return muted.rule == rule && SameProgram(muted.program, program);
  };
}

}  // namespace

ProgramId ProgramOf(const NameTable& names) {
  ProgramId id;
  id.fill(~uint32_t{0});
  for (uint32_t m = 0; m < std::min(names.metas.size(), kMostNames); ++m) {
    const uint64_t hash = HashWithoutDigits(names.Name(MetaId(m)));
    for (size_t i = 0; i < id.size(); ++i) id[i] = std::min(id[i], Mixed(hash, i + 1));
  }
  return id;
}

bool SameProgram(const ProgramId& a, const ProgramId& b) {
  size_t alike = 0;
  for (size_t i = 0; i < a.size(); ++i) alike += a[i] == b[i] ? 1 : 0;
  return alike >= kAlike;
}

std::string ToText(const ProgramId& id) {
  std::string text;
  for (const uint32_t part : id) text += fmt::format("{:08x}", part);
  return text;
}

std::optional<ProgramId> ParseProgramId(std::string_view text) {
  ProgramId id{};
  if (text.size() != id.size() * kDigits) return std::nullopt;
  for (uint32_t& part : id) {
    const auto read = std::from_chars(text.data(), text.data() + kDigits, part, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + kDigits) return std::nullopt;
    text.remove_prefix(kDigits);
  }
  return id;
}

bool MutedRules::IsMutedIn(std::string_view rule, const ProgramId& program) const {
  return std::any_of(in_programs.begin(), in_programs.end(), Mutes(rule, program));
}

void MutedRules::MuteIn(std::string_view rule, const ProgramId& program) {
  if (IsMutedIn(rule, program)) return;
  in_programs.push_back({std::string(rule), program});
  if (in_programs.size() > kMost) in_programs.erase(in_programs.begin());
}

void MutedRules::Unmute(std::string_view rule, const ProgramId& program) {
  if (const auto at = everywhere.find(rule); at != everywhere.end()) everywhere.erase(at);
  std::erase_if(in_programs, Mutes(rule, program));
}

}  // namespace stepscope
