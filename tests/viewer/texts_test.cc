// Every text that a person reads and that a table or a rule has, as one page to review:
// `./dev texts` writes build/texts.md.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/loader.h"
#include "model/analysis/findings/findings.h"
#include "model/analysis/naming/remedies.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/page_item.h"
#include "tests/support/planted_losses.h"
#include "tests/support/rank_profiles.h"
#include "tests/support/samples.h"
#include "viewer/core/commands/command.h"
#include "viewer/core/panel.h"
#include "viewer/core/state/settings.h"

namespace stepscope {
namespace {

constexpr const char* kFile = "STEPSCOPE_TEXTS";  // names the file to write

constexpr const char* kHead =
    "# Texts\n\n"
    "What people read of commands, settings, panels, analyses, rules, remedies, verdicts and "
    "findings, in one place to\n"
    "review. `./dev texts` writes this page.\n";

void AddCommands(std::string* out) {
  *out += "\n## Commands\n\n";
  for (const CommandDesc& c : Commands()) {
    const std::string menu = *c.category != 0 ? std::string(" (") + c.category + ")" : "";
    test::AddItem("`" + std::string(c.id.text()) + "` **" + c.title + "**" + menu + ": " + c.what,
                  out);
  }
}

void AddSettings(std::string* out) {
  *out += "\n## Settings\n\n";
  for (const SettingDesc& s : SettingRows()) {
    const std::string joined = JoinedChoices(s.member);
    const std::string choices = joined.empty() ? "" : " (" + joined + ")";
    test::AddItem("`" + std::string(s.key) + "` **" + s.label + "**: " + s.what + choices, out);
  }
}

void AddPages(std::string* out) {
  *out += "\n## Panels and analyses\n\n";
  for (const PanelDesc& p : Panels())
    test::AddItem("`" + std::string(p.id) + "` **" + p.title + "**: " + p.what, out);
  for (const AnalysisDesc& a : Analyses())
    test::AddItem("analysis `" + std::string(a.id) + "` **" + a.title + "**: " + a.what, out);
}

void AddRules(std::string* out) {
  *out += "\n## Rules\n\n";
  for (const FindingRule& r : FindingRules())
    test::AddItem("`" + std::string(r.id) + "` **" + r.what + "**: " + r.formula +
                      (r.remedy[0] != 0 ? std::string(". ") + r.remedy : ""),
                  out);
  for (const FindingParameter& p : FindingParameters())
    test::AddItem("`" + std::string(p.id) + "` **" + p.what + "**", out);
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
    test::AddItem("`" + std::string(row.id) + "`" + ForWhom(row) + ": " + std::string(row.text),
                  out);
}

// Numbers are no part of the words: "4.20 ms" becomes "# ms".
std::string WordsOf(std::string_view text) {
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
  for (const Finding& f : result.findings) all->insert(WordsOf(f.text));
}

// Lists the sentences and the advice of the pages of memory and of ranks.
void AddPages(AnalysisContext& context, std::set<std::string>* all) {
  for (const char* page : {"memory", "memory_snapshot", "ranks"}) {
    for (const Finding& f : context.Get(page)->findings) {
      all->insert(WordsOf(f.text));
      if (!f.next_step.empty()) all->insert(WordsOf(f.next_step));
    }
  }
}

std::shared_ptr<const Trace> Loaded(const std::string& path) {
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress, nullptr);
  REQUIRE(trace.ok());
  return *trace;
}

// Snapshots of a loop that keeps nothing, that leaks, and that runs out of memory.
void AddSnapshots(std::set<std::string>* all) {
  for (const bool fails : {false, true}) {
    for (const int64_t leak : {int64_t{0}, int64_t{3'000'320}}) {
      const std::string bytes = test::ToPickle(test::MakeTrainingSnapshot(6, 8, leak, fails).file);
      auto trace = LoadBytes("snapshot.pickle", bytes, {});
      REQUIRE(trace.ok());
      AnalysisContext context(*trace, Definitions::kStepscope);
      AddPages(context, all);
    }
  }
}

// Jobs of four ranks: none is late, one is for each reason, by little and by much.
void AddRankJobs(std::set<std::string>* all) {
  using test::LateBy;
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("stepscope_texts_" + std::to_string(getpid()));
  for (const LateBy by : {LateBy::kInput, LateBy::kHost, LateBy::kCompute, LateBy::kCopy}) {
    for (const double us : {0.0, 30.0, 3000.0}) {
      test::RankJobOptions options;
      options.late_rank = us > 0 ? 2 : -1;
      options.late_us = us;
      options.late_by = by;
      fs::create_directories(root);
      for (int r = 0; r < options.ranks; ++r)
        std::ofstream(root / test::RankFileName(r), std::ios::binary) << test::MakeRank(options, r);
      AnalysisContext context(Loaded(root.string()), Definitions::kStepscope);
      AddPages(context, all);
      std::error_code error;
      fs::remove_all(root, error);
    }
  }
}

void AddVerdicts(std::string* out) {
  std::set<std::string> all;
  for (const test::PlantedLoss& loss : test::PlantedLosses()) {
    test::GpuProfileOptions options = test::HealthyTraining();
    loss.with(&options);
    AddSentences(test::FindingsOf(options), &all);
  }
  for (const std::string& path : test::Samples()) {
    AnalysisContext context(Loaded(path), Definitions::kStepscope);
    AddSentences(FindAll(context, {}, {}), &all);
    AddPages(context, &all);
  }
  AddSnapshots(&all);
  AddRankJobs(&all);
  *out +=
      "\n## Verdicts and findings\n\nThey are those of generated programs, jobs of ranks and "
      "memory "
      "snapshots with a loss, and of the\nsamples; `#` is a number.\n\n";
  for (const std::string& text : all) test::AddItem(text, out);
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

// The number of items below each heading, in order.
std::vector<int> ItemsOf(const std::string& page) {
  std::vector<int> items;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) items.push_back(0);
    if (line.starts_with("- ")) ++items.back();
  }
  return items;
}

}  // namespace

TEST_CASE("The page of texts lists all tables, and many verdicts and findings") {
  const std::string texts = Texts();
  const std::vector<int> items = ItemsOf(texts);
  REQUIRE(items.size() == 6);
  CHECK(items[0] == static_cast<int>(std::size(Commands())));
  CHECK(items[1] == static_cast<int>(std::size(SettingRows())));
  CHECK(items[2] == static_cast<int>(std::size(Panels()) + std::size(Analyses())));
  CHECK(items[3] == static_cast<int>(std::size(FindingRules()) + std::size(FindingParameters())));
  CHECK(items[4] == static_cast<int>(std::size(RemedyRows())));
  CHECK(items[5] > 50);
  if (const char* path = std::getenv(kFile)) {
    std::ofstream file(path, std::ios::binary);
    file << texts;
    CHECK_MESSAGE(file.flush().good(), "cannot write " << path);
  }
}

TEST_CASE("What a command, a setting or a panel does is a sentence with a capital and a stop") {
  const auto check = [](const char* id, std::string_view what) {
    CAPTURE(id);
    CHECK(what.ends_with('.'));
    CHECK((what.front() >= 'A' && what.front() <= 'Z'));
  };
  for (const CommandDesc& c : Commands()) check(c.id.text(), c.what);
  for (const SettingDesc& s : SettingRows()) check(s.key, s.what);
  for (const PanelDesc& p : Panels()) check(p.id, p.what);
}

}  // namespace stepscope
