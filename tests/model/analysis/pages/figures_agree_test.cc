// No two figures of a report contradict each other: a table of checks, each of which compares
// figures of one or several pages, on every sample, on real recordings and on generated programs.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/table_rows.h"

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "tests/support/gpu_profile.h"
#include "tests/support/memory_snapshot.h"
#include "tests/support/report_figures.h"
#include "tests/support/samples.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using test::Counted;
using test::MeanOf;
using test::Report;
using test::Rows;

doctest::Approx About(double value) { return doctest::Approx(value).epsilon(1e-6); }

constexpr const char* kColumns[] = {
    "deviceComputeTimeMs", "deviceToDeviceTimeMs", "deviceCollectivesTimeMs",
    "hostComputeTimeMs",   "kernelLaunchTimeMs",   "infeedTimeMs",
    "outfeedTimeMs",       "compileTimeMs",        "otherTimeMs"};
constexpr const char* kWaits[] = {"input",         "host",   "launch",  "sync",           "compile",
                                  "between_steps", "queued", "unknown", "collective_wait"};

void Averages(const Report& r) {
  const Rows steps = r.Table("overview", "steps");
  const std::vector<size_t> counted = Counted(steps);
  CHECK(r.Number("overview", "step_count") == static_cast<double>(steps.size()));
  CHECK(r.Number("overview", "steps_counted") == static_cast<double>(counted.size()));
  CHECK(r.Number("overview", "steptime_ms_average") == About(MeanOf(steps, counted, "stepTimeMs")));
  if (counted.empty()) return;
  std::vector<double> times;
  for (const size_t row : counted) times.push_back(steps.Number(row, "stepTimeMs"));
  std::sort(times.begin(), times.end());
  CHECK(r.Number("overview", "steptime_ms_minimum") == About(times.front()));
  CHECK(r.Number("overview", "steptime_ms_maximum") == About(times.back()));
  const double middle = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  CHECK(r.Number("overview", "step_ms_median") == About(middle));
}

void ColumnsSum(const Report& r) {
  const Rows steps = r.Table("overview", "steps");
  for (size_t row = 0; row < steps.size(); ++row) {
    double sum = 0;
    for (const char* column : kColumns) sum += steps.Number(row, column);
    CHECK(sum == About(steps.Number(row, "stepTimeMs")));
  }
}

void LossesOfSteps(const Report& r) {
  const Rows steps = r.Table("overview", "steps"), losses = r.Table("overview", "step_losses");
  REQUIRE(steps.size() == losses.size());
  for (size_t row = 0; row < steps.size(); ++row) {
    const auto loss = [&](const char* id) { return losses.Number(row, id); };
    CHECK(loss("stepTimeMs") == About(steps.Number(row, "stepTimeMs")));
    CHECK(steps.Number(row, "kernelLaunchTimeMs") == About(loss("launch")));
    CHECK(steps.Number(row, "compileTimeMs") == About(loss("compile")));
    CHECK(steps.Number(row, "infeedTimeMs") + steps.Number(row, "outfeedTimeMs") ==
          About(loss("input") + loss("copies")));
    CHECK(steps.Number(row, "deviceCollectivesTimeMs") ==
          About(loss("collectives") + loss("collective_wait")));
    CHECK(steps.Number(row, "otherTimeMs") == About(loss("sync") + loss("queued") + loss("host") +
                                                    loss("between_steps") + loss("unknown")));
  }
}

// The table of losses is the mean of the steps' losses, and so are the shares.
void LossesOfAll(const Report& r) {
  const Rows steps = r.Table("overview", "steps"), of_steps = r.Table("overview", "step_losses");
  const Rows losses = r.Table("overview", "losses");
  const std::vector<size_t> counted = Counted(steps);
  if (counted.empty()) return;
  const double step = r.Number("overview", "steptime_ms_average");
  for (size_t row = 0; row < losses.size(); ++row) {
    const std::string id = losses.Text(row, "class");
    CAPTURE(id);
    CHECK(losses.Number(row, "timeMs") == About(MeanOf(of_steps, counted, id.c_str())));
    CHECK(losses.Number(row, "percent") == About(100 * losses.Number(row, "timeMs") / step));
  }
}

void Shares(const Report& r) {
  const auto share = [&](const char* id) { return r.Number("overview", id); };
  CHECK(share("input_percent") == About(r.Loss("input")));
  CHECK(share("kernel_launch_percent") == About(r.Loss("launch")));
  CHECK(share("copies_percent") == About(r.Loss("copies")));
  CHECK(share("collectives_percent") == About(r.Loss("collectives") + r.Loss("collective_wait")));
  CHECK(share("other_percent") == About(r.Loss("sync") + r.Loss("queued") + r.Loss("host") +
                                        r.Loss("between_steps") + r.Loss("unknown")));
  CHECK(share("output_percent") <= share("copies_percent") + 1e-9);
}

// A device works, waits, or does what else is a loss: together that is all of the time.
void Busy(const Report& r) {
  if (r.Text("overview", "device_busy_percent").empty()) return;
  double waits = 0;
  for (const char* id : kWaits) waits += r.Loss(id);
  if (r.OnCpu()) waits += r.Loss("collectives") + r.Loss("copies");
  CHECK(r.Number("overview", "device_busy_percent") + waits == About(100));
}

std::string Rounded(double percent) {
  return fmt::format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

// The first sentence says the share that the properties and the table have.
void Sentence(const Report& r) {
  const std::string verdict = r.Text("overview", "verdict");
  const Rows losses = r.Table("overview", "losses");
  const double percent = r.Number("overview", "verdict_percent");
  if (verdict == "too_little") return;
  REQUIRE_FALSE(r.Page("overview").findings.empty());
  if (r.Page("overview").findings.front().text.starts_with("No trace of TensorFlow")) {
    CHECK(losses.size() == 0);
    return;
  }
  const std::string text = r.Page("overview").findings.front().text;
  CAPTURE(text);
  if (verdict == "device") {
    CHECK(percent == About(100 - losses.Sum("percent")));
    return;
  }
  REQUIRE(losses.size() > 0);
  CHECK(losses.Text(0, "class") == verdict);
  CHECK(text.find(Rounded(percent)) != std::string::npos);
  if (text.find("the other GPUs") == std::string::npos)
    CHECK(percent == About(losses.Number(0, "percent")));
  else
    CHECK(percent > losses.Number(0, "percent"));
}

void InputPage(const Report& r) {
  const auto& findings = r.Page("input_pipeline").findings;
  if (findings.empty() || !r.HasSteps()) return;
  const std::string& text = findings.front().text;
  CAPTURE(text);
  const bool same = text == r.Page("overview").findings.front().text;
  const std::string share = fmt::format("{:.1f} %", r.Number("overview", "input_percent"));
  CHECK((same || text.find(share) != std::string::npos));
}

void FindingsPage(const Report& r) {
  if (r.Text("findings", "verdict").empty()) return;  // a trace of another kind has no findings
  CHECK(r.Text("findings", "verdict") == r.Text("overview", "verdict"));
  if (r.HasSteps())
    CHECK(r.Number("findings", "step_ms") == About(r.Number("overview", "steptime_ms_average")));
  const Rows rows = r.Table("findings", "findings");
  std::map<std::string, double> counts;
  for (size_t row = 0; row < rows.size(); ++row) {
    ++counts[rows.Text(row, "severity")];
    CHECK(rows.Number(row, "saving_ms_per_step") <= r.Number("findings", "step_ms") + 1e-9);
  }
  CHECK(r.Number("findings", "problems") == counts["problem"]);
  CHECK(r.Number("findings", "warnings") == counts["warning"]);
  CHECK(r.Number("findings", "notes") == counts["note"]);
}

void WhatIf(const Report& r) {
  const Rows rows = r.Table("findings", "what_if"), losses = r.Table("overview", "losses");
  const std::set<std::string> same = {"input",   "host",   "launch",        "sync",
                                      "compile", "queued", "between_steps", "unknown"};
  for (size_t row = 0; row < rows.size(); ++row) {
    const std::string id = rows.Text(row, "class");
    CAPTURE(id);
    const double saving = rows.Number(row, "saving_ms_per_step");
    CHECK(saving + rows.Number(row, "step_ms") == About(r.Number("findings", "step_ms")));
    if (same.contains(id)) CHECK(saving == About(losses.Of("class", id, "timeMs")));
  }
}

void Kernels(const Report& r) {
  const double ms = r.Number("kernel_stats", "kernel_time_ms");
  const double count = r.Number("kernel_stats", "kernel_count");
  if (count == 0) return;
  for (const char* table : {"kernels", "by_kernel", "by_op", "by_stream"}) {
    CAPTURE(table);
    CHECK(r.Table("kernel_stats", table).Sum("total_duration_us") == About(1000 * ms));
    CHECK(r.Table("kernel_stats", table).Sum("occurrences") == count);
  }
  CHECK(r.Table("kernel_stats", "by_category").Sum("timeMs") == About(ms));
  CHECK(r.Table("kernel_stats", "by_category").Sum("count") == count);
  const Rows devices = r.Table("kernel_stats", "devices");
  CHECK(devices.Sum("kernels") == count);
  for (size_t row = 0; row < devices.size(); ++row) {
    const double busy = devices.Number(row, "busyMs"), span = devices.Number(row, "spanMs");
    CHECK(busy <= span + 1e-9);
    CHECK(devices.Number(row, "busy_percent") == About(100 * busy / span));
  }
}

void Precision(const Report& r) {
  if (r.Page("overview").Find("device_compute_16bit_percent") == nullptr) return;
  const double narrow = r.Number("overview", "device_compute_16bit_percent");
  const double wide = r.Number("overview", "device_compute_32bit_percent");
  CHECK((narrow + wide == About(100) || (narrow == 0 && wide == 0)));
}

void Copies(const Report& r) {
  const Rows kernels = r.Table("kernel_stats", "copies"),
             input = r.Table("input_pipeline", "copies");
  if (input.size() == 0) return;
  CHECK(kernels.Sum("bytes") == input.Sum("bytes"));
  CHECK(kernels.Sum("timeMs") == About(input.Sum("timeMs")));
  double to_device = 0;
  for (size_t row = 0; row < input.size(); ++row) {
    if (input.Text(row, "direction") == "Host to device") to_device += input.Number(row, "count");
  }
  CHECK(r.Number("input_pipeline", "h2d_copies") == to_device);
}

// The mean over devices of each step's columns is the step's.
void Devices(const Report& r) {
  const Rows steps = r.Table("overview", "steps"), devices = r.Table("overview", "device_steps");
  if (devices.size() == 0 || r.Text("overview", "device_type").find("TPU") == 0) return;
  for (const char* column : kColumns) {
    CAPTURE(column);
    std::map<std::string, std::pair<double, double>> sums;
    for (size_t row = 0; row < devices.size(); ++row) {
      auto& [sum, n] = sums[devices.Text(row, "host") + "|" + devices.Text(row, "stepnum")];
      sum += devices.Number(row, column), ++n;
    }
    if (sums.size() != steps.size()) return;  // several steps of one name
    double all = 0;
    for (const auto& [key, sum] : sums) all += sum.first / sum.second;
    CHECK(all == About(steps.Sum(column)));
  }
  for (size_t row = 0; row < devices.size(); ++row) {
    const auto number = [&](const char* column) { return devices.Number(row, column); };
    CHECK(number("inputWaitTimeMs") <= number("hostInputWaitTimeMs") + 1e-9);
    CHECK(number("inputWaitTimeMs") <= number("idleTimeMs") + 1e-9);
    CHECK(number("idleTimeMs") == About(number("inputWaitTimeMs") + number("kernelLaunchTimeMs") +
                                        number("compileTimeMs") + number("otherTimeMs")));
  }
}

// The overlap is of the steps that count: its computation, and the collectives that nothing hides,
// are those of the steps' classes.
void Overlaps(const Report& r) {
  const Rows overlap = r.Table("overview", "overlap"),
             devices = r.Table("overview", "device_steps");
  if (devices.size() == 0 || overlap.size() == 0) return;
  const Rows steps = r.Table("overview", "steps");
  // The table of steps has no column for a single host.
  const bool hosts = !steps.Text(0, "host").empty();
  const auto step = [hosts](const Rows& of, size_t row) {
    return (hosts ? of.Text(row, "host") : "") + "|" + of.Text(row, "stepnum");
  };
  std::set<std::string> counted;
  for (const size_t row : Counted(steps)) counted.insert(step(steps, row));
  std::map<std::string, std::pair<double, double>> sums;  // compute, collectives
  for (size_t row = 0; row < devices.size(); ++row) {
    if (!counted.contains(step(devices, row))) continue;
    auto& [compute, collectives] =
        sums[devices.Text(row, "host") + "|" + devices.Text(row, "device")];
    compute += devices.Number(row, "deviceComputeTimeMs");
    collectives += devices.Number(row, "deviceCollectivesTimeMs");
  }
  for (size_t row = 0; row < overlap.size(); ++row) {
    const auto& [compute, collectives] =
        sums[overlap.Text(row, "host") + "|" + overlap.Text(row, "device")];
    const double exposed = overlap.Number(row, "exposedMs");
    CHECK(overlap.Number(row, "computeMs") == About(compute));
    // A copy to the host or on the device comes before a collective.
    CHECK(exposed >= collectives * (1 - 1e-9));
    CHECK(exposed + overlap.Number(row, "hiddenMs") == About(overlap.Number(row, "collectiveMs")));
  }
}

// The overview names a late rank with the share that the page of ranks has.
void LateRank(const Report& r) {
  const auto& findings = r.Page("overview").findings;
  if (findings.empty() || !findings.front().text.starts_with("Waiting for rank ")) return;
  const std::string share = fmt::format("{:.1f} % of", r.Number("ranks", "slowest_wait_percent"));
  CHECK(findings.front().text.find(share) != std::string::npos);
  CHECK(r.Page("ranks").findings.front().text.find(share) != std::string::npos);
}

// Sentences have no kernel's template and no other name that fills lines.
void Names(const Report& r) {
  std::set<std::string> templates;
  const Rows kernels = r.Table("kernel_stats", "kernels");
  for (size_t row = 0; row < kernels.size(); ++row) {
    const std::string name = kernels.Text(row, "kernel_name");
    if (name.size() > 80) templates.insert(name.substr(0, 81));
  }
  for (const auto& [id, page] : r.pages) {
    for (const Finding& finding : page->findings) {
      CAPTURE(id);
      CAPTURE(finding.text);
      for (const std::string& name : templates) CHECK(finding.text.find(name) == std::string::npos);
      for (size_t at = 0; at < finding.text.size();) {
        const size_t blank = std::min(finding.text.find(' ', at), finding.text.size());
        CHECK(blank - at <= 100);
        at = blank + 1;
      }
    }
  }
}

// The causes of a class sum to the loss; copies and collectives are no idle time of a device.
void CausesOfLosses(const Report& r) {
  const Rows losses = r.Table("overview", "losses"), causes = r.Table("overview", "idle_by_cause");
  // Steps of TPUs are not divided by causes.
  for (size_t row = 0; row < losses.size() && causes.size() > 0; ++row) {
    const std::string id = losses.Text(row, "class");
    if (id == "copies" || id == "collectives" || id == "collective_wait") continue;
    CAPTURE(id);
    double ms = 0, percent = 0;
    for (size_t c = 0; c < causes.size(); ++c) {
      if (causes.Text(c, "class") != id) continue;
      ms += causes.Number(c, "timeMs"), percent += causes.Number(c, "percent");
    }
    CHECK(ms == About(losses.Number(row, "timeMs")));
    CHECK(percent == About(losses.Number(row, "percent")));
  }
  for (size_t c = 1; c < causes.size(); ++c)
    CHECK(causes.Number(c, "timeMs") <= causes.Number(c - 1, "timeMs"));
}

// No cause is longer than what it is a cause of.
void Causes(const Report& r) {
  CausesOfLosses(r);
  const Rows devices = r.Table("overview", "device_steps");
  const Rows causes = r.Table("overview", "idle_causes"), gaps = r.Table("findings", "gaps");
  if (devices.size() == 0) return;
  const double idle = devices.Sum("idleTimeMs");
  CHECK(causes.Sum("timeMs") <= idle + 1e-6 * idle);
  CHECK(gaps.Sum("durationMs") <= idle + 1e-6 * idle);
  CHECK(r.Table("findings", "gap_causes").Sum("timeMs") <= idle + 1e-6 * idle);
  for (size_t row = 0; row < causes.size(); ++row)
    CHECK(causes.Number(row, "percent") <= 100 + 1e-6);
}

void TopOps(const Report& r) {
  const Rows top = r.Table("overview", "top_ops"), ops = r.Table("op_stats", "ops");
  for (size_t row = 0; row < top.size(); ++row) {
    REQUIRE(row < ops.size());  // device ops come first, by self time
    CHECK(top.Text(row, "operation") == ops.Text(row, "operation"));
    CHECK(top.Number(row, "selfTimePercent") ==
          About(ops.Number(row, "device_total_self_time_percent")));
  }
}

// The types of ops have what their ops have on the page of ops.
void TopOpTypes(const Report& r) {
  const Rows types = r.Table("overview", "top_op_types"), ops = r.Table("op_stats", "ops");
  double last = 1, sum = 0;
  for (size_t row = 0; row < types.size(); ++row) {
    double share = 0;
    int64_t count = 0;
    for (size_t op = 0; op < ops.size(); ++op) {
      if (ops.Text(op, "host_or_device") != "Device") continue;
      if (ops.Text(op, "type") != types.Text(row, "type")) continue;
      share += ops.Number(op, "device_total_self_time_percent");
      ++count;
    }
    CAPTURE(types.Text(row, "type"));
    CHECK(types.Number(row, "selfTimePercent") == About(share));
    CHECK(types.Number(row, "ops") == static_cast<double>(count));
    CHECK(types.Number(row, "selfTimePercent") <= last);
    CHECK(types.Number(row, "largestPercent") <= types.Number(row, "selfTimePercent") + 1e-9);
    last = types.Number(row, "selfTimePercent");
    sum += last;
    CHECK(types.Number(row, "cumulativeTimePercent") == About(sum));
  }
}

// Reserved, allocated and the device's memory, on the page and in what findings say of them.
void Memory(const Report& r) {
  const Rows summary = r.Table("memory", "summary");
  const Rows findings = r.Table("findings", "findings");
  for (size_t row = 0; row < summary.size(); ++row) {
    const double peak = summary.Number(row, "peak_bytes_in_use");
    const double reserved = summary.Number(row, "peak_reserved_bytes");
    const double capacity = summary.Number(row, "memory_capacity_bytes");
    CHECK((capacity == 0 || peak <= capacity));
    CHECK((capacity == 0 || reserved <= capacity));
    CHECK(peak <= summary.Number(row, "peak_bytes_usage_lifetime") + 0.5);
    const std::string id = summary.Text(row, "memory_id");
    for (size_t f = 0; f < findings.size(); ++f) {
      const std::string title = findings.Text(f, "title");
      if (title.rfind(id + " allocates", 0) != 0 && title.rfind(id + " reserves", 0) != 0) continue;
      CAPTURE(title);
      const std::string gib = fmt::format("{:.1f}", peak / (1 << 30));
      CHECK((title.find(" " + gib + " of ") != std::string::npos ||
             title.find(" " + gib + " GiB are allocated") != std::string::npos));
    }
  }
}

// A sentence about kernels has the share that a property has.
void KernelSentences(const Report& r) {
  for (const Finding& finding : r.Page("kernel_stats").findings) {
    CAPTURE(finding.text);
    const auto says = [&](const char* id) {
      const std::string share = fmt::format("{:.0f} %", r.Number("kernel_stats", id));
      return finding.text.rfind(share, 0) == 0;
    };
    CHECK((says("short_kernel_time_percent") || says("eligible_unused_percent")));
  }
}

// A comparison has the numbers of the reports that it compares.
void Compared(const Report& r) {
  if (!r.HasSteps()) return;
  for (const char* step : {"step_ms_a", "step_ms_b"})
    CHECK(r.Number("compare", step) == About(r.Number("overview", "step_ms_median")));
  for (const char* steps : {"steps_a", "steps_b"})
    CHECK(r.Number("compare", steps) == r.Number("overview", "steps_counted"));
  const Rows summary = r.Table("memory", "summary");
  double peak = 0;
  for (size_t row = 0; row < summary.size(); ++row)
    peak = std::max(peak, summary.Number(row, "peak_bytes_in_use"));
  CHECK(r.Number("compare", "memory_peak_bytes_a") == About(peak));
  CHECK((r.Page("compare").Find("memory_peak_bytes_a") != nullptr) == (peak > 0));
}

struct FigureCheck {
  const char* what;
  void (*check)(const Report& report);
};
constexpr FigureCheck kChecks[] = {
    {"averages are of the steps that count", Averages},
    {"the columns of a step sum to its time", ColumnsSum},
    {"the columns of a step are its losses", LossesOfSteps},
    {"losses are the mean of the steps' losses", LossesOfAll},
    {"shares are the losses", Shares},
    {"what is not waiting is busy", Busy},
    {"the first sentence has the share of the losses", Sentence},
    {"the input page has the overview's share", InputPage},
    {"findings are of the same steps and verdict", FindingsPage},
    {"what a loss costs is what its end saves", WhatIf},
    {"the tables of kernels are of the same kernels", Kernels},
    {"sentences about kernels have the shares of the page", KernelSentences},
    {"precisions sum to all", Precision},
    {"copies are the same on each page", Copies},
    {"steps are the mean over devices", Devices},
    {"the overlap is of the steps that count", Overlaps},
    {"the overview and the ranks name one late rank", LateRank},
    {"sentences have no names that fill lines", Names},
    {"causes are within what they explain", Causes},
    {"the largest ops are those of the table of ops", TopOps},
    {"types of ops have what their ops have", TopOpTypes},
    {"memory is allocated, reserved and the device's", Memory},
    {"a comparison has the numbers of its reports", Compared},
};

// A window shows a part of a page first. In the end the page says the same.
void CheckFirst(AnalysisContext& context, const Report& report) {
  for (const AnalysisDesc& analysis : Analyses()) {
    if (analysis.first == nullptr) continue;
    const AnalysisResult first = analysis.first(context, {});
    const AnalysisResult& page = report.Page(analysis.id);
    REQUIRE_FALSE(first.findings.empty());
    REQUIRE_FALSE(page.findings.empty());
    CHECK(page.findings.front().text.starts_with(first.findings.front().text));
    CHECK(page.findings.front().grade == first.findings.front().grade);
    for (const Property& property : first.properties) {
      CAPTURE(property.id);
      const Property* same = page.Find(property.id.c_str());
      REQUIRE(same != nullptr);
      CHECK((same->value == property.value));
    }
    for (const ResultTable& table : first.tables) {
      CAPTURE(table.id);
      const ResultTable* same = page.Table(table.id.c_str());
      REQUIRE(same != nullptr);
      CHECK((test::RowsOf(*same) == test::RowsOf(table)));
    }
  }
}

void CheckFigures(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const Report report(context);
  CheckFirst(context, report);
  for (const FigureCheck& check : kChecks) {
    const std::string what = check.what;
    CAPTURE(what);
    check.check(report);
  }
}

void CheckFiles(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    CAPTURE(path);
    Progress progress;
    auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    CheckFigures(*trace);
  }
}

// The tables of a snapshot sum to what its properties say, and other pages say the same.
void CheckSnapshot(const std::shared_ptr<const Trace>& trace) {
  AnalysisContext context(trace, Definitions::kStepscope);
  const Report r(context);
  const auto number = [&](const char* id) { return r.Number("memory_snapshot", id); };
  CHECK(r.Table("memory_snapshot", "at_peak").Sum("bytes") == number("peak_bytes"));
  CHECK(r.Table("memory_snapshot", "at_end").Sum("bytes") == number("at_end_bytes"));
  CHECK(number("peak_bytes") >= number("at_end_bytes"));
  CHECK(number("reserved_bytes") >= number("at_end_bytes"));
  for (const char* side : {"memory_peak_bytes_a", "memory_peak_bytes_b"})
    CHECK(r.Number("compare", side) == number("peak_bytes"));
  const Rows leaks = r.Table("memory_snapshot", "leaks");
  const Rows at_end = r.Table("memory_snapshot", "at_end");
  CHECK(leaks.Sum("bytes") <= at_end.Sum("bytes"));
  const Rows findings = r.Table("findings", "findings");
  for (size_t row = 0; row < findings.size(); ++row) {
    const std::string title = findings.Text(row, "title");
    CAPTURE(title);
    const auto& own = r.Page("memory_snapshot").findings;
    CHECK(std::any_of(own.begin(), own.end(), [&](const Finding& f) { return f.text == title; }));
  }
}

}  // namespace

TEST_CASE("No two figures of a memory snapshot's report contradict each other") {
  for (const bool out_of_memory : {false, true}) {
    const test::TrainingSnapshot made = test::MakeTrainingSnapshot(6, 8, 3'000'320, out_of_memory);
    const auto trace = LoadBytes("a.pickle", test::ToPickle(made.file), {});
    REQUIRE(trace.ok());
    CheckSnapshot(*trace);
  }
  for (const char* name : {"snapshots/mosaic.pickle", "snapshots/train_leak_oom.pickle"}) {
    const std::string path = test::SharedPath(name);
    if (!std::filesystem::exists(path)) continue;
    CAPTURE(path);
    Progress progress;
    const auto trace = LoadPath(path, {}, {}, progress);
    REQUIRE_MESSAGE(trace.ok(), trace.status().message());
    CheckSnapshot(*trace);
  }
}

TEST_CASE("No two figures of a sample's report contradict each other") {
  std::vector<std::string> paths = test::Samples();
  for (const char* name : {"torch_gloo", "chromium.pftrace.zst"})
    paths.push_back(test::SourcePath("tests/data/") + name);
  CheckFiles(paths);
}

TEST_CASE("No two figures of a real recording's report contradict each other") {
  const std::vector<std::string> paths = test::SharedRecordings();
  if (paths.empty()) MESSAGE("skipped: the recordings beside the repository are not there");
  CheckFiles(paths);
}

TEST_CASE("No two figures of a generated program's report contradict each other") {
  using test::GpuScenario;
  for (const GpuScenario scenario :
       {GpuScenario::kHealthy, GpuScenario::kInputBound, GpuScenario::kLaunchBound,
        GpuScenario::kCopies, GpuScenario::kStaggered, GpuScenario::kFp32,
        GpuScenario::kFragmented}) {
    CAPTURE(static_cast<int>(scenario));
    test::GpuProfileOptions options;
    options.scenario = scenario;
    options.steps = 6;
    options.layers = 8;
    const auto trace = LoadBytes("h.xplane.pb", test::MakeGpuProfile(options), {});
    REQUIRE(trace.ok());
    CheckFigures(*trace);
  }
}

}  // namespace stepscope
