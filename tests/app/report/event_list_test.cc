// Tests of the launch facts that `stepscope events --args` prints. Times are in us.
#include "app/report/event_list.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/grouping/flow_index.h"
#include "model/analysis/grouping/grouping.h"
#include "tests/support/kineto_text.h"

namespace stepscope {
namespace {

using Json = nlohmann::json;

class ListedTrace {
 public:
  explicit ListedTrace(const test::KinetoText& text) {
    const Result<std::shared_ptr<const Trace>> loaded = LoadBytes("t.json", text.Text(), {});
    REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
    trace_ = *loaded;
    AnalysisContext context(trace_, Definitions::kStepscope);
    flows_ = BuildFlowIndex(*trace_, &context.Get<Grouping>());
  }
  std::string Write(Status (*write)(const EventListInput&, const TextSink&), bool launches) const {
    AnalysisContext context(trace_, Definitions::kStepscope);
    const Scope scope = ScopeOf(context, {});
    EventListInput input{trace_.get(), nullptr, &scope, true, true};
    if (launches) input.flows = &flows_;
    std::string out;
    CHECK(write(input, [&](std::string_view text) { out += text; }).ok());
    return out;
  }
  Json Events(bool launches) const {
    return Json::parse(Write(&WriteEventsJson, launches))["events"];
  }

 private:
  std::shared_ptr<const Trace> trace_;
  FlowIndex flows_{{}};
};

ListedTrace Training() {
  test::KinetoText t;
  t.Host("user_annotation", "step", 0, 100).Host("cpu_op", "aten::mm", 10, 30);
  t.Launch(1, 20, 4).Launch(2, 26, 4).Kernel("first", 1, 40, 5).Kernel("second", 2, 45, 5);
  t.Kernel("unknown", 99, 80, 5);
  return ListedTrace(t);
}

TEST_CASE("events --args: a launched event has its launch in JSON, all others are as without") {
  const ListedTrace trace = Training();
  int launched = 0;
  Json with = trace.Events(true);
  for (Json& event : with) {
    const auto launch = event.find("launch");
    if (launch == event.end()) continue;
    ++launched;
    const bool second = event["name"] == "second";
    CHECK((second || event["name"] == "first"));
    CHECK((*launch)["call"] == "cudaLaunchKernel");
    CHECK((*launch)["delay_ps"] == (second ? 15 : 16) * kPsPerUs);
    CHECK((*launch)["queue_length"] == (second ? 1 : 0));
    CHECK((*launch)["stack"] == Json({"aten::mm", "step"}));
    event.erase("launch");
  }
  CHECK(launched == 2);
  CHECK(with == trace.Events(false));
}

TEST_CASE("events --args: CSV has the launch behind the arguments, text has a line of it") {
  const ListedTrace trace = Training();
  const std::string launch =
      "launch.call=cudaLaunchKernel launch.delay_ps=15000000 launch.queue_length=1 "
      "launch.stack=aten::mm < step";
  const std::string csv = trace.Write(&WriteEventsCsv, true);
  CHECK(csv.find(" " + launch) != csv.npos);
  const std::string text = trace.Write(&WriteEventsText, true);
  CHECK(text.find("\n    " + launch + "\n") != text.npos);
  CHECK(trace.Write(&WriteEventsCsv, false).find("launch.") == std::string::npos);
  CHECK(trace.Write(&WriteEventsText, false).find("launch.") == std::string::npos);
}

}  // namespace
}  // namespace stepscope
