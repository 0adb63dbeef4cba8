// Programs whose device is the CPU: what counts as their compute.
#include "model/analysis/steps/host_losses.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/has_text.h"
#include "tests/support/loaded.h"
#include "tests/support/table_cells.h"

namespace stepscope {
namespace {

using test::Has;

std::string Slice(const std::string& name, int tid, int ts, int dur, const std::string& args = "") {
  return R"(,{"ph":"X","name":")" + name + R"(","pid":701,"tid":)" + std::to_string(tid) +
         ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" +
         args + "}}";
}

std::string TraceJson(const std::string& events) {
  return R"({"displayTimeUnit":"ns","traceEvents":[)"
         R"({"ph":"M","name":"process_name","pid":701,"args":{"name":"/host:CPU"}})" +
         events + ",{}]}";
}

std::string FirstSentence(const std::string& events) {
  AnalysisContext context(test::Loaded("h.trace.json", TraceJson(events)), Definitions::kStepscope);
  const auto overview = context.Get("overview");
  REQUIRE(!overview->findings.empty());
  return overview->findings[0].text;
}

std::string Train(int step, int ts, int dur) {
  const std::string number = std::to_string(step);
  return Slice("train", 1, ts, dur,
               R"("group_id":")" + number + R"(","step_num":")" + number + R"(","_r":"1")");
}

}  // namespace

TEST_CASE("In a trace.json an op is known by its long name") {
  std::string events;
  for (int s = 0; s < 6; ++s) {
    const int t = 1000 + 2000 * s;
    const std::string group = R"("group_id":")" + std::to_string(s) + "\"";
    events += Train(s, t, 1900);
    for (int k = 0; k < 10; ++k) {
      events +=
          Slice("MatMul", 2, t + 110 + 150 * k, 145,
                group + R"(,"long_name":"net/dense_)" + std::to_string(k) + R"(/MatMul:MatMul")");
    }
  }
  // 1.45 of 2 ms: each step lasts until the next one begins, the last one 1.9 ms.
  CHECK(Has(FirstSentence(events), "ramework ops take 73 %"));
}

TEST_CASE("Ops that tf.data runs prepare input and are no compute") {
  std::string events;
  for (int s = 0; s < 6; ++s) {
    const int t = 1000 + 2000 * s;
    const std::string group = R"("group_id":")" + std::to_string(s) + "\"";
    events += Train(s, t, 1900) + Slice("Iterator::Model::Map", 1, t, 1500, group);
    events += Slice("map/DecodePng:DecodePng", 1, t + 10, 1400, group);
    events += Slice("net/MatMul:MatMul", 1, t + 1550, 300, group);
  }
  const std::string sentence = FirstSentence(events);
  CHECK(Has(sentence, "Input-bound"));
  CHECK(Has(sentence, "Framework ops take 15 %"));
}

TEST_CASE("JAX on the CPU before thunks: a program computes, and its ops are not recorded") {
  std::string events;
  for (int s = 0; s < 6; ++s) {
    const int t = 1000 + 60 * s;
    events += Train(s, t, 52) + Slice("PjitFunction(step)", 1, t + 2, 48);
    events += Slice("TfrtCpuExecutable::Execute", 1, t + 5, 44);
    events += Slice("TfrtCpuExecutable::ExecuteHelper", 1, t + 6, 42);
  }
  const std::string sentence = FirstSentence(events);
  CHECK(Has(sentence, "ompiled programs, whose ops were not recorded, take 7"));
  CHECK_FALSE(Has(sentence, "ramework ops"));
  // With thunks the ops themselves are there.
  CHECK(Has(FirstSentence(events + Slice("ThunkExecutor::Execute", 1, 1010, 5)),
            "ramework ops take"));
}

}  // namespace stepscope
