#!/usr/bin/env python3
"""Adds a toy loader, rule, panel, analysis and two commands to a copy of the tree, and builds and runs them.

    check_adding.py SOURCE WORK CMAKE_ARGUMENT...
    check_adding.py SOURCE WORK --insert-only    # builds nothing: the registries have the places of the rows

Each toy is its source, a row in a registry and its test; MOST_FILES says how many files an addition may take. Parts of
docs/ that a test writes from the registries are not counted. A page gets a panel without further files. The copy lies
in WORK, which is kept, so that
a second run builds only what changed. CMake's arguments are those of the build that asks; with ccache its objects are
used again.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

LOADER = '''// A loader of files that begin with TOYTRACE. Each line behind it is the name of an event of 1 us.
#include "loaders/loader.h"

namespace stepscope {
namespace {

constexpr TraceFormat kToy{"Toy trace", {}};
constexpr FileEnding kEndings[] = {{".toytrace", FileEnding::Kind::kLoose}};
constexpr std::string_view kMagic = "TOYTRACE\\n";

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool Sniff(std::span<const std::byte> prefix) { return TextOf(prefix).starts_with(kMagic); }

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  const auto source = OpenInput(files[0], options, stop, &progress);
  if (!source.ok()) return source.status();
  Plane plane;
  plane.name = builder.strings().Intern("toys");
  plane.host = builder.AddHost({});
  TrackData track;
  track.track.plane = builder.AddPlane(plane);
  track.track.name = builder.strings().Intern("toy track");
  EventMeta meta;
  meta.name = builder.strings().Intern("toy event");
  track.slices.Add(0, kPsPerUs, builder.AddMeta(meta).value, 0);
  builder.AddTrack(std::move(track));
  builder.trace().format = &kToy;
  return {};
}

}  // namespace

extern const LoaderDesc kToyLoader;
const LoaderDesc kToyLoader = {&kToy, "Toy trace", kEndings, Sniff, Load};

}  // namespace stepscope
'''

LOADER_TEST = '''#include <doctest/doctest.h>

#include "loaders/loader.h"

namespace stepscope {

TEST_CASE("toy loader: a registered loader reads its files") {
  const auto trace = LoadBytes("a.toytrace", "TOYTRACE\\none\\n", {});
  REQUIRE(trace.ok());
  CHECK((*trace)->set.rows == 1);
  CHECK(std::string_view((*trace)->format->name) == "Toy trace");
}

}  // namespace stepscope
'''

ANALYSIS = '''// A page with one number: how many tracks the trace has.
#include "model/analysis/analysis.h"

namespace stepscope {

AnalysisResult RunToy(AnalysisContext& context, const AnalysisParams& params);

AnalysisResult RunToy(AnalysisContext& context, const AnalysisParams&) {
  AnalysisResult result;
  result.properties.push_back(
      {"toys", "Toys", static_cast<double>(context.trace().set.tracks.size()), Unit::kCount, ""});
  return result;
}

}  // namespace stepscope
'''

ANALYSIS_TEST = '''#include <doctest/doctest.h>

#include "model/analysis/analysis.h"

namespace stepscope {

TEST_CASE("toy analysis: a registered analysis is found by its id") {
  const AnalysisDesc* toy = FindAnalysis("toy");
  REQUIRE(toy != nullptr);
  AnalysisContext context(std::make_shared<const Trace>(), Definitions::kStepscope);
  CHECK(toy->run(context, {}).properties.size() == 1);
}

}  // namespace stepscope
'''

RULE = '''// A rule that finds nothing.
#include "model/analysis/findings/finding.h"

namespace stepscope {

FindFn FindToy;

void FindToy(const FindingContext&, double, std::vector<RuleFinding>*) {}

}  // namespace stepscope
'''

RULE_TEST = '''#include <doctest/doctest.h>

#include "model/analysis/findings/finding.h"

namespace stepscope {

TEST_CASE("toy rule: a registered rule has a threshold that can be set") {
  const FindingRule* toy = FindRule("toy");
  REQUIRE(toy != nullptr);
  FindingThresholds thresholds;
  CHECK(thresholds.Set("toy=7"));
  CHECK(thresholds.Of(*toy) == 7);
}

}  // namespace stepscope
'''

PANEL = '''// A panel with one line of text.
#include <imgui.h>

#include "viewer/core/panel.h"

namespace stepscope {
namespace {

class ToyPanel final : public Panel {
 public:
  void Draw(const PanelContext&) override { ImGui::TextUnformatted("A toy"); }
};

}  // namespace

MakePanel MakeToyPanel;
std::unique_ptr<Panel> MakeToyPanel() { return std::make_unique<ToyPanel>(); }

}  // namespace stepscope
'''

PANEL_TEST = '''#include <doctest/doctest.h>

#include "tests/viewer/panel_fixture.h"

namespace stepscope {

TEST_CASE("toy panel: a registered panel can be made and draws") {
  const PanelDesc* toy = FindPanel("toy_box");
  REQUIRE(toy != nullptr);
  PanelFixture f;
  const auto panel = toy->create();
  const int empty = f.Frame([](const PanelContext&) {});
  CHECK(f.Frame([&](const PanelContext& c) { panel->Draw(c); }) > empty);
}

}  // namespace stepscope
'''

COMMAND = '''// A command that says one word.
#include <CLI/CLI.hpp>

#include "app/command_line/command_line.h"
#include "app/system/output.h"

namespace stepscope {
namespace {

struct ToyOptions {
  std::string word = "toy";
};

void AddToyOptions(CLI::App& app, InputOptions*, ToyOptions* options) {
  app.add_option("--word", options->word, "the word that is said");
}

int RunToy(const InputOptions&, const ToyOptions& options, const Log&) {
  Output output({});
  output.sink()(options.word + "\\n");
  return output.Finish() ? kExitOk : kExitNoResource;
}

}  // namespace

extern const ProgramCommandDesc kToyCommand = {"toy", "Says a word",
                                               NewCommand<ToyOptions, AddToyOptions, CheckInput, RunToy>};

}  // namespace stepscope
'''

COMMAND_TEST = '''#include "tests/app/commands/parse.h"

namespace stepscope {

TEST_CASE("toy command: a registered command of the program is parsed") {
  CHECK(Parse({"toy", "--word", "x"}).command != nullptr);
  CheckUsageError({"toy", "--no"}, "--no");
}

}  // namespace stepscope
'''

WINDOW_COMMAND_TEST = '''#include <doctest/doctest.h>

#include "viewer/core/commands/command.h"

namespace stepscope {

TEST_CASE("toy command of the window: its row is in the table") {
  REQUIRE(FindCommand("view.toy") != nullptr);
}

}  // namespace stepscope
'''

# The files that an addition takes. `add_toys` refuses a number that is too low, and one that could be lower.
MOST_FILES = {
    'loader': 3,
    'page with its panel': 3,
    'rule': 3,
    'panel that draws more than tables': 3,
    'command of the program': 3,
    'command of the window': 3,
}
# Each toy has files that are written, and (anchor, text, place) for each insertion into its registries.
TOYS = {
    'loader': (
        {'loaders/toy/toy_loader.cc': LOADER, 'tests/loaders/toy/toy_test.cc': LOADER_TEST},
        {'loaders/load.cc': [
            ('std::span<const LoaderDesc* const> Loaders() {', 'extern const LoaderDesc kToyLoader;\n\n', 'before'),
            ('kLoaders[] = {', '\n      &kToyLoader,', 'behind')]}),
    'page with its panel': (
        {'model/analysis/pages/toy.cc': ANALYSIS, 'tests/model/analysis/pages/toy_test.cc': ANALYSIS_TEST},
        {'model/analysis/registry.cc': [
            ('std::span<const AnalysisDesc> Analyses() {',
             'AnalysisResult RunToy(AnalysisContext&, const AnalysisParams&);\n\n', 'before'),
            ('kAnalyses[] = {', '\n      {"toy", "Toy", "How many toys there are.", RunToy},', 'behind')]}),
    'rule': (
        {'model/analysis/findings/toy_rule.cc': RULE,
         'tests/model/analysis/findings/toy_rule_test.cc': RULE_TEST},
        {'model/analysis/findings/rules.cc': [
            ('namespace {', 'FindFn FindToy;\n\n', 'before'),
            ('kRules[] = {', '\n    {"toy", "Toys", 5, Unit::kPercent, "toys", "Toys", FindToy,'
             '\n     "Put the toys away."},', 'behind')]}),
    'panel that draws more than tables': (
        {'viewer/panels/toy_panel.cc': PANEL, 'tests/viewer/panels/toy_panel_test.cc': PANEL_TEST},
        {'viewer/panels/registry.cc': [
            ('namespace {', 'MakePanel MakeToyPanel;\n\n', 'before'),
            ('kPanels[] = {', '\n    {"toy_box", "Toy box", "A box of toys.", "", DockSlot::kBottomRight, false, &MakeToyPanel},',
             'behind')]}),
    'command of the program': (
        {'app/commands/toy_command.cc': COMMAND, 'tests/app/commands/toy_command_test.cc': COMMAND_TEST},
        {'app/commands/registry.cc': [
            ('ProgramCommandDescs ProgramCommands() {', 'extern const ProgramCommandDesc kToyCommand;\n\n', 'before'),
            ('&kReplayCommand,', ' &kToyCommand,', 'behind')]}),
    'command of the window': (
        {'tests/viewer/core/commands/toy_test.cc': WINDOW_COMMAND_TEST},
        {'viewer/core/commands/commands_view.cc': [
            ('kView[] = {', '\n    {"view.toy", "Toy", "View", "Does nothing.", "", "", HasProfile,'
                         ' [](C&, const A&) {}},', 'behind')],
         'viewer/core/commands/command.h': [('" view.align_clocks', '" view.toy"\n    ', 'before')]}),
}
TESTS = ('test_model', 'test_loaders', 'test_viewer', 'test_app')


def fail(text):
    print(text, file=sys.stderr)
    sys.exit(1)


def write(path, text):
    """Leaves a file that has this text already as it is, so that it is not built again."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def copy_tree(source, tree):
    listed = subprocess.run(['git', '-C', str(source), 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                            capture_output=True, check=True).stdout.decode()
    names = [name for name in listed.split('\0') if name and (source / name).is_file()]
    for name in names:
        to = tree / name
        to.parent.mkdir(parents=True, exist_ok=True)
        if not to.exists() or to.stat().st_mtime < (source / name).stat().st_mtime:
            shutil.copy2(source / name, to)
    wanted = set(names)
    for folder in ('app', 'capi', 'loaders', 'model', 'sql', 'tests', 'viewer'):
        for path in (tree / folder).rglob('*.*'):
            if path.is_file() and str(path.relative_to(tree)) not in wanted:
                path.unlink()


def insert(text, anchor, row, where):
    if text.count(anchor) < 1:
        fail(f'check_adding: {anchor!r} is not in the registry any more; the recipe needs an update')
    at = text.index(anchor)
    if where == 'behind':
        at += len(anchor)
    return text[:at] + row + text[at:]


def check_counts():
    counts = {}
    for name, (files, registries) in TOYS.items():
        counts[name] = {*files, *registries}
    for name, paths in counts.items():
        if len(paths) != MOST_FILES[name]:
            fail(f'check_adding: a {name} takes {len(paths)} files, not {MOST_FILES[name]}: {", ".join(sorted(paths))}')


def add_toys(source, tree):
    check_counts()
    for name, (files, registries) in TOYS.items():
        for path, text in files.items():
            write(tree / path, text)
        for registry, rows in registries.items():
            text = (source / registry).read_text()
            for anchor, row, where in rows:
                text = insert(text, anchor, row, where)
            write(tree / registry, text)


def run(arguments, **options):
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)
    if done.returncode != 0:
        fail(f'{" ".join(map(str, arguments))}\n{(done.stdout + done.stderr)[-6000:]}')
    return done.stdout


def check_program(build, work):
    program = build / 'stepscope'
    trace = work / 'a.toytrace'
    trace.write_text('TOYTRACE\none\n')
    if run([program, 'toy', '--word', 'hello']) != 'hello\n':
        fail('check_adding: the toy command did not say its word')
    if 'Toy trace' not in run([program, 'info', trace]):
        fail('check_adding: info does not name the toy format')
    if 'Toys' not in run([program, 'report', trace, '--panel', 'toy']):
        fail('check_adding: report does not print the toy page')
    commands = work / 'show_toy.txt'
    commands.write_text('panel.show text="toy"\nwait_idle\n')
    run([program, 'replay', commands, trace, '--no-pixels'])


def check_tests(build):
    total = 0
    for name in TESTS:
        out = run([build / 'tests' / name, '--test-case=toy*', '--no-colors'])
        total += int(re.search(r'test cases: *(\d+)', out).group(1))
    if total != len(TOYS):
        fail(f'check_adding: {total} tests of toys ran, {len(TOYS)} were written')


def main():
    source, work = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    tree = work / 'tree'
    build = tree / 'build' / 'release'
    if sys.argv[3:] == ['--insert-only']:
        return add_toys(source, tree)
    copy_tree(source, tree)
    add_toys(source, tree)
    # ccache finds the objects of the first build if both name their files relative to the tree.
    environment = dict(os.environ, CCACHE_NOHASHDIR='1')
    run(['cmake', '--preset', 'release', *sys.argv[3:]], cwd=tree, env=environment)
    run(['cmake', '--build', build, '--target', 'stepscope', *TESTS], env=environment)
    check_program(build, work)
    check_tests(build)
    print(f'{len(TOYS)} toys were added, built and run')


if __name__ == '__main__':
    main()
