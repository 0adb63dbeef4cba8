
#include "app/commands/command_options.h"
#include "tests/app/commands/parse.h"

namespace stepscope {
namespace {

TEST_CASE("events: reads the options of a list") {
  const ParsedCommandLine parsed = Parse({"events", "a.pb", "--query", "dur>1ms -x", "--args"});
  const EventsOptions& list = OptionsOf<EventsOptions>(parsed);
  CHECK(list.query == "dur>1ms -x");
  CHECK(list.args);
  CHECK(list.group == GroupBy::kName);
}

TEST_CASE("events: reads the options of statistics") {
  const ParsedCommandLine parsed = Parse({"events", "a.pb", "--stats", "--group", "step", "--range",
                                          "1ms..2ms", "--steps", "3..7", "--format", "csv"});
  const EventsOptions& stats = OptionsOf<EventsOptions>(parsed);
  CHECK(stats.stats);
  CHECK(stats.group == GroupBy::kStep);
  CHECK(stats.range == TimeRange{kPsPerMs, 2 * kPsPerMs});
  CHECK(stats.steps == StepInterval{3, 7});
  CHECK(stats.format == ReportFormat::kCsv);
}

TEST_CASE("events: takes one path, known formats and groups") {
  CheckUsageError({"events"}, "PATH");
  CheckUsageError({"events", "a", "b"}, "one PATH");
  CheckUsageError({"events", "a", "--format", "html"}, "write text, json or csv");
  CheckUsageError({"events", "x", "--stats", "--group", "foo"}, "--group: 'foo'");
  CheckUsageError({"events", "x", "--stats", "--group", "2"}, "write name, track or step");
}

TEST_CASE("events: statistics have no arguments of events") {
  CHECK(Parse({"events", "a", "--stats", "--args"}).text ==
        "--args cannot be combined with --stats.");
  CheckUsageError({"events", "a", "--stats", "--args"}, "--args");
}

TEST_CASE("events: stacks are merged in one of two orders, and are no statistics") {
  const ParsedCommandLine parsed = Parse({"events", "a.pb", "--stacks", "bottom-up"});
  CHECK(OptionsOf<EventsOptions>(parsed).stacks == StackOrder::kBottomUp);
  CHECK(OptionsOf<EventsOptions>(Parse({"events", "a.pb"})).stacks == StackOrder::kNone);
  CheckUsageError({"events", "a", "--stacks", "up"}, "--stacks: 'up'");
  CheckUsageError({"events", "a", "--stacks", "top-down", "--stats"}, "--stats cannot");
  CheckUsageError({"events", "a", "--stacks", "top-down", "--args"}, "--args cannot");
}

TEST_CASE("events: words of an option are taken in any case, and help lists them") {
  const ParsedCommandLine parsed = Parse({"events", "x", "--stats", "--group", "Track"});
  CHECK(OptionsOf<EventsOptions>(parsed).group == GroupBy::kTrack);
  const std::string help = Parse({"events", "--help"}).text;
  CHECK(help.find("{name,step,track}") != std::string::npos);
  CHECK(help.find('\x01') == std::string::npos);
  CHECK(help.find("->") == std::string::npos);
}

}  // namespace
}  // namespace stepscope
