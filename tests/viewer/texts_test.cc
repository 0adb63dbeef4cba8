// Every text that a person reads and that a table or a rule has, in one file to review:
// docs/texts.md.
#include <doctest/doctest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "model/analysis/naming/remedies.h"
#include "tests/support/planted_losses.h"
#include "tests/support/samples.h"
#include "tests/support/source_paths.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

constexpr const char* kFile = "docs/texts.md";
constexpr const char* kUpdate = "STEPSCOPE_UPDATE_TEXTS";

constexpr const char* kHead =
    "# Texts\n\n"
    "What people read of commands, settings, panels, analyses, rules, remedies, verdicts and "
    "findings, in one place to\n"
    "review. This file is generated: `STEPSCOPE_UPDATE_TEXTS=1 build/release/tests/test_viewer "
    "--source-file='*texts_test*'`\n"
    "writes it, and the same test fails when it is out of date.\n";

// "- TEXT", with lines of at most 120 columns.
void AddItem(const std::string& text, std::string* out) {
  constexpr size_t kColumns = 120;
  std::string line = "-";
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (line.size() + 1 + word.size() > kColumns) {
      *out += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  *out += line + "\n";
}

void AddCommands(std::string* out) {
  *out += "\n## Commands\n\n";
  for (const CommandDesc& c : Commands()) {
    const std::string menu = *c.category != 0 ? std::string(" (") + c.category + ")" : "";
    AddItem("`" + std::string(c.id) + "` **" + c.title + "**" + menu + ": " + c.what, out);
  }
}

void AddSettings(std::string* out) {
  *out += "\n## Settings\n\n";
  for (const SettingDesc& s : SettingRows()) {
    const std::string choices = *s.choices != 0 ? std::string(" (") + s.choices + ")" : "";
    AddItem("`" + std::string(s.key) + "` **" + s.label + "**: " + s.what + choices, out);
  }
}

void AddPages(std::string* out) {
  *out += "\n## Panels and analyses\n\n";
  for (const PanelDesc& p : Panels())
    AddItem("`" + std::string(p.id) + "` **" + p.title + "**: " + p.what, out);
  for (const AnalysisDesc& a : Analyses())
    AddItem("analysis `" + std::string(a.id) + "` **" + a.title + "**: " + a.what, out);
}

void AddRules(std::string* out) {
  *out += "\n## Rules\n\n";
  for (const FindingRule& r : FindingRules())
    AddItem("`" + std::string(r.id) + "` **" + r.what + "**: " + r.formula, out);
  for (const FindingParameter& p : FindingParameters())
    AddItem("`" + std::string(p.id) + "` **" + p.what + "**", out);
}

std::string ForWhom(const RemedyRow& row) {
  static constexpr const char* kFrameworks[] = {"unknown", "PyTorch", "TensorFlow", "JAX"};
  static constexpr const char* kBuilds[] = {"eager", "compiled", "XLA", "graphs"};
  static constexpr const char* kProcessors[] = {"CPU", "GPU", "other devices"};
  std::string text;
  const auto add = [&](uint8_t bits, const auto& names) {
    if (bits == 0xff) return;
    for (size_t i = 0; i < std::size(names); ++i) {
      if ((bits >> i & 1) != 0) text += (text.empty() ? " (" : ", ") + std::string(names[i]);
    }
  };
  add(row.frameworks, kFrameworks);
  add(row.builds, kBuilds);
  add(row.processors, kProcessors);
  return text.empty() ? text : text + ")";
}

void AddRemedies(std::string* out) {
  *out += "\n## Remedies\n\n";
  for (const RemedyRow& row : RemedyRows())
    AddItem("`" + std::string(row.id) + "`" + ForWhom(row) + ": " + std::string(row.text), out);
}

// Numbers are no part of the words: "4.20 ms" becomes "# ms".
std::string WithoutNumbers(std::string_view text) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!digit(text[i]) || (i > 0 && (letter(text[i - 1]) || text[i - 1] == '_'))) {
      out += text[i];
      continue;
    }
    out += '#';
    const auto inside = [&](size_t at) {
      return digit(text[at]) ||
             ((text[at] == '.' || text[at] == ' ') && at + 1 < text.size() && digit(text[at + 1]));
    };
    while (i + 1 < text.size() && inside(i + 1)) ++i;
  }
  return out;
}

void AddSentences(const AnalysisResult& result, std::set<std::string>* all) {
  for (const Finding& f : result.findings) all->insert(WithoutNumbers(f.text));
}

void AddVerdicts(std::string* out) {
  std::set<std::string> all;
  for (const test::PlantedLoss& loss : test::PlantedLosses()) {
    test::GpuProfileOptions options = test::HealthyTraining();
    loss.with(&options);
    AddSentences(test::FindingsOf(options), &all);
  }
  for (const std::string& path : test::Samples()) {
    Progress progress;
    auto trace = LoadPath(path, {}, {}, progress, nullptr);
    REQUIRE(trace.ok());
    AnalysisContext context(*trace, Definitions::kStepscope);
    AddSentences(FindAll(context, {}, {}, {}), &all);
  }
  *out +=
      "\n## Verdicts and findings\n\nOf generated programs with a loss and of the samples; `#` "
      "is a number.\n\n";
  for (const std::string& text : all) AddItem(text, out);
}

std::string Texts() {
  std::string out = kHead;
  AddCommands(&out);
  AddSettings(&out);
  AddPages(&out);
  AddRules(&out);
  AddRemedies(&out);
  AddVerdicts(&out);
  return out;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("docs/texts.md lists the texts of all tables, of verdicts and of findings") {
  const std::string path = test::SourcePath(kFile), texts = Texts();
  if (std::getenv(kUpdate) != nullptr) std::ofstream(path, std::ios::binary) << texts;
  const std::string written = ReadAll(path);
  size_t at = 0;
  while (at < texts.size() && at < written.size() && texts[at] == written[at]) ++at;
  const size_t line = texts.rfind('\n', at) + 1;
  INFO("first difference: " << texts.substr(line, 120));
  INFO(
      "STEPSCOPE_UPDATE_TEXTS=1 build/release/tests/test_viewer --source-file='*texts_test*' "
      "writes docs/texts.md anew");
  CHECK((texts == written));
}

TEST_CASE("What a command, a setting or a panel does is a sentence with a capital and a stop") {
  const auto check = [](const char* id, std::string_view what) {
    CAPTURE(id);
    CHECK(what.ends_with('.'));
    CHECK((what.front() >= 'A' && what.front() <= 'Z'));
  };
  for (const CommandDesc& c : Commands()) check(c.id, c.what);
  for (const SettingDesc& s : SettingRows()) check(s.key, s.what);
  for (const PanelDesc& p : Panels()) check(p.id, p.what);
}

}  // namespace stepscope
