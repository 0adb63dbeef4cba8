// The page `recording`: the facts of Recording as one table.
#include <fmt/format.h>

#include "model/analysis/recording/recording.h"
#include "model/analysis/tables/schema.h"

namespace stepscope {
namespace {

struct FactRow {
  std::string id, label, state, value, remedy;
};

const Schema<FactRow>& FactSchema() {
  using F = FactRow;
  static const Schema<F> schema(
      "recording", "Recording",
      {{"fact", "Fact", Unit::kNone, &F::label},
       {"state", "State", Unit::kNone, &F::state,
        "recorded, absent, incomplete, or a fact's value"},
       {"value", "Evidence", Unit::kNone, &F::value, "what in the file shows it"},
       {"remedy", "How to record it", Unit::kNone, &F::remedy, "with the tool that recorded this"},
       {"id", "Id", Unit::kNone, &F::id}});
  return schema;
}

std::vector<FactRow> FactRows(const Trace& trace, const Recording& recording) {
  std::vector<FactRow> rows;
  rows.push_back(
      {"recorder", "Recorded by", recording.RecorderText(), recording.header.evidence, ""});
  rows.push_back({"devices", "Devices", recording.DevicesText(),
                  recording.At(Layer::kDeviceWork).evidence, ""});
  for (size_t i = 0; i < static_cast<size_t>(Layer::kCount); ++i) {
    const auto layer = static_cast<Layer>(i);
    if (!recording.Lists(layer)) continue;
    const RecordedLayer& of = recording.At(layer);
    rows.push_back({IdOf(layer), LabelOf(layer), of.recorded ? "recorded" : "absent", of.evidence,
                    of.recorded ? std::string() : recording.HowToRecord(layer)});
  }
  for (uint32_t h = 0; h < recording.windows.size(); ++h) {
    const TimeRange& window = recording.windows[h];
    if (window.empty()) continue;
    std::string label = "Program's time";
    if (recording.windows.size() > 1) label += ", " + std::string(trace.HostName(HostId(h)));
    const bool cut = window.length() < trace.span.length() && recording.windows.size() == 1;
    rows.push_back(
        {"window", label, FormatDuration(window.length()),
         fmt::format("from {} to {}{}", FormatDuration(window.begin), FormatDuration(window.end),
                     cut ? "; the rest is the profiler's start and stop" : ""),
         ""});
  }
  for (const LossFact& loss : recording.losses)
    rows.push_back(
        {loss.id, "Loss", "incomplete", fmt::format("{} ({})", loss.text, loss.count), ""});
  return rows;
}

}  // namespace

AnalysisResult RunRecording(AnalysisContext& context, const AnalysisParams&) {
  const auto recording = context.Share<Recording>();
  AnalysisResult result;
  result.panel = "recording";
  const RecordedDevices& devices = recording->devices;
  result.properties = {
      {"recorder", "Recorded by", std::string(NameOf(recording->header.recorder)), Unit::kNone,
       "by the format, processes and names"},
      {"devices_used", "Devices with events", static_cast<int64_t>(devices.used), Unit::kCount, ""},
      {"devices_named", "Devices without events", static_cast<int64_t>(devices.named), Unit::kCount,
       "named in the file"},
      {"device_part_missing", "Device part missing", devices.part_missing, Unit::kNone,
       "calls start work on a device, and no device has an event"}};
  result.tables.push_back(FactSchema().Make(FactRows(context.trace(), *recording)));
  result.SetSource(recording);
  return result;
}

}  // namespace stepscope
