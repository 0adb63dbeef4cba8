// Muted findings, and which profiles come from one program.
#include "viewer/core/state/muted_rules.h"

#include <doctest/doctest.h>

#include <string>

using namespace stepscope;  // NOLINT

namespace {

// Names "op 0" to "op N-1" with letters for numbers, which do not count, and a step with a number.
NameTable NamesOf(int first, int last, int step) {
  NameTable names;
  const auto add = [&](const std::string& name) {
    EventMeta meta;
    meta.name = names.strings.Intern(name);
    names.metas.push_back(meta);
  };
  for (int i = first; i < last; ++i) {
    std::string name = "op_";
    for (int k = i + 1; k > 0; k /= 26) name += static_cast<char>('a' + k % 26);
    add(name + std::to_string(step));
  }
  add("train " + std::to_string(step));
  return names;
}

}  // namespace

TEST_CASE("program: its profiles share most names, whatever their numbers") {
  const ProgramId program = ProgramOf(NamesOf(0, 200, 1));
  CHECK(SameProgram(program, ProgramOf(NamesOf(0, 200, 77))));
  CHECK(SameProgram(program, ProgramOf(NamesOf(10, 205, 2))));  // some ops went, some came
  CHECK_FALSE(SameProgram(program, ProgramOf(NamesOf(140, 340, 1))));
  CHECK_FALSE(SameProgram(program, ProgramOf(NamesOf(300, 400, 1))));
}

TEST_CASE("program: an id comes back from its text, and other texts are refused") {
  const ProgramId program = ProgramOf(NamesOf(0, 20, 1));
  const std::string text = ToText(program);
  CHECK(text.size() == 256);
  CHECK(ParseProgramId(text) == program);
  CHECK_FALSE(ParseProgramId(text.substr(1)));
  CHECK_FALSE(ParseProgramId(std::string(256, 'x')));
  CHECK(SameProgram(ProgramOf(NameTable()), ProgramOf(NameTable())));
}

TEST_CASE("muted rules: a rule is muted in one program or in all") {
  const ProgramId mine = ProgramOf(NamesOf(0, 100, 1)), other = ProgramOf(NamesOf(500, 600, 1));
  MutedRules rules;
  rules.everywhere = {"sync"};
  rules.MuteIn("copies", mine);
  rules.MuteIn("copies", mine);
  CHECK(rules.in_programs.size() == 1);
  CHECK(rules.IsMutedIn("copies", mine));
  CHECK_FALSE(rules.IsMutedIn("copies", other));
  CHECK_FALSE(rules.IsMutedIn("sync", mine));
  rules.Unmute("copies", mine);
  CHECK(rules.in_programs.empty());
  rules.Unmute("sync", other);
  CHECK(rules.everywhere.empty());
}
