// Writes what was planted, as the reference generator's --truth does.
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "tests/support/gpu_profile.h"

namespace stepscope::test {
namespace {

// Fields of one JSON object, each on a line indented by `indent`, as json.dump(indent=1) does.
void AppendFields(std::string* out, std::size_t indent,
                  std::initializer_list<std::pair<std::string_view, std::int64_t>> fields) {
  std::string_view separator = "\n";
  for (const auto& [key, value] : fields) {
    out->append(separator).append(indent, ' ');
    out->append("\"").append(key).append("\": ").append(std::to_string(value));
    separator = ",\n";
  }
}

void AppendGpu(std::string* out, const GpuStepTruth& t) {
  *out += "\n    {";
  AppendFields(out, 5,
               {{"first_ps", t.first_ps},
                {"last_ps", t.last_ps},
                {"idle_ps", t.idle_ps},
                {"collective_wait_ps", t.collective_wait_ps},
                {"kernel_ps", t.kernel_ps},
                {"h2d_ps", t.h2d_ps},
                {"d2h_ps", t.d2h_ps},
                {"collective_ps", t.collective_ps}});
  *out += "\n    },";
}

}  // namespace

std::string GpuTruthJson(GpuScenario scenario, std::span<const StepTruth> steps) {
  std::string out = "{\n \"scenario\": \"" + std::string(GpuScenarioName(scenario)) + "\",\n";
  if (steps.empty()) return out + " \"steps\": []\n}";
  out += " \"steps\": [";
  for (const StepTruth& step : steps) {
    out += "\n  {";
    AppendFields(&out, 3,
                 {{"step", step.step},
                  {"begin_ps", step.begin_ps},
                  {"end_ps", step.end_ps},
                  {"period_ps", step.period_ps},
                  {"between_ps", step.between_ps},
                  {"input_wait_ps", step.input_wait_ps}});
    out += ",\n   \"gpus\": [";
    for (const GpuStepTruth& gpu : step.gpus) AppendGpu(&out, gpu);
    out.back() = '\n';  // the last comma
    out += "   ]\n  },";
  }
  out.back() = '\n';
  return out + " ]\n}";
}

}  // namespace stepscope::test
