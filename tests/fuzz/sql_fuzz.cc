// The SQL layer's own code: plans (xBestIndex), conditions (xFilter) and scans. Bytes choose a
// query over a small trace, whose result must be the same where SQLite checks all conditions; or
// they are SQL, which must end with a result or an error.
#include <memory>
#include <string>

#include "tests/fuzz/loader_fuzz.h"
#include "tests/sql/random_sql.h"

namespace {

using stepscope::SqlDatabase;
using stepscope::SqlSource;

// Steps, launches, kernels on two streams, events that overlap, instants, a counter, odd names.
std::string TraceText() {
  std::string text = R"({"traceEvents": [)";
  const auto add = [&](const char* cat, const char* name, int tid, int ts, int dur, int id) {
    text += (text.back() == '[' ? "" : ",") + std::string(R"({"ph":"X","pid":)") +
            (tid < 10 ? "1" : "2") + R"(,"tid":)" + std::to_string(tid) + R"(,"cat":")" + cat +
            R"(","name":")" + name + R"(","ts":)" + std::to_string(ts) + R"(,"dur":)" +
            std::to_string(dur) + R"(,"args":{"correlation":)" + std::to_string(id) + "}}";
  };
  for (int step = 0; step < 4; ++step) {
    const int t = step * 1000;
    add("user_annotation", ("ProfilerStep#" + std::to_string(step)).c_str(), 1, t, 990, -1);
    for (int i = 0; i < 8; ++i) {
      add("cpu_op", i % 2 == 0 ? "aten::add" : "aten::MUL", 1, t + i * 100, 90, -1);
      add("cuda_runtime", "cudaLaunchKernel", 1, t + i * 100 + 10, 20, step * 100 + i);
      add("kernel", i % 3 == 0 ? "k'0" : "K%_\xc3\xa9", 10 + i % 2, t + i * 100 + 50, 60 + i,
          step * 100 + i);
      add("cpu_op", "overlaps", 2, t + i * 50, 80, -1);
    }
    text += R"(,{"ph":"i","pid":1,"tid":3,"name":"","ts":)" + std::to_string(t) + "}";
    text += R"(,{"ph":"C","pid":1,"tid":3,"name":"c","ts":)" + std::to_string(t) +
            R"(,"args":{"v":1}})";
  }
  return text + "]}";
}

struct Asked {
  std::shared_ptr<const stepscope::Trace> trace;
  SqlDatabase database;
};

Asked Make() {
  auto trace = stepscope::test::LoadFuzzed("fuzz.json", TraceText());
  if (trace == nullptr) __builtin_trap();
  const auto source = std::make_shared<SqlSource>(
      std::make_shared<stepscope::AnalysisContext>(trace, stepscope::Definitions::kStepscope));
  auto database = SqlDatabase::Open({source});
  if (!database.ok()) __builtin_trap();
  return {trace, std::move(database).value()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Asked asked = Make();
  if (size > 0 && data[0] == 'S') {  // SQL, "SELECT" among others
    const stepscope::SqlQuestion question{
        {reinterpret_cast<const char*>(data), size}, {}, {0.2, uint64_t{64} << 20, 100}};
    const auto result = stepscope::RunForTable(asked.database, question);
    if (!result.ok() && result.status().message().empty()) __builtin_trap();
    return 0;
  }
  size_t at = 0;
  stepscope::test::RandomSql queries(*asked.trace, [&](uint32_t n) {
    const uint32_t low = at < size ? data[at++] : 0, high = n > 256 && at < size ? data[at++] : 0;
    return (high << 8 | low) % n;
  });
  const auto query = queries.Make();
  if (!DifferenceOf(asked.database, query, 2).empty()) __builtin_trap();
  return 0;
}
