#include "tests/support/wrapped_recording.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <tuple>
#include <utility>

#include "loaders/common/wire.h"
#include "loaders/files/byte_source.h"
#include "loaders/riegeli/record_file.h"
#include "tests/support/loaded.h"
#include "tests/support/riegeli_writer.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

using nlohmann::json;
using proto::Field;
using proto::FieldReader;

constexpr std::string_view kPython = "python";
constexpr uint64_t kMostBytes = uint64_t{1} << 32;

// A Chrome trace, event by event.

struct Thread {
  std::string pid, tid;  // as JSON
  size_t functions = 0, ops = 0;
  bool python = false;
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  auto rank() const { return std::tuple(functions, python, ops); }
};

bool IsOp(std::string_view category) {
  return category == "cpu_op" || category == "user_annotation" || category == "cuda_runtime";
}

void Read(const json& event, std::map<std::string, Thread>* threads) {
  if (!event.contains("pid") || !event.contains("tid")) return;
  Thread read;
  read.pid = event["pid"].dump();
  read.tid = event["tid"].dump();
  Thread& thread = threads->try_emplace(read.pid + " " + read.tid, read).first->second;
  const std::string name = event.value("name", ""), phase = event.value("ph", "");
  if (phase == "M" && name == "thread_name")
    thread.python = event["args"].value("name", "").starts_with(kPython);
  if (phase != "X") return;
  const std::string category = event.value("cat", "");
  thread.functions += category == "python_function";
  thread.ops += IsOp(category);
  const double begin = event.value("ts", 0.0);
  thread.begin = std::min(thread.begin, begin);
  thread.end = std::max(thread.end, begin + event.value("dur", 0.0));
}

std::string WrapJson(const std::string& text, std::string_view frame) {
  std::map<std::string, Thread> threads;
  json trace = json::parse(text);  // the list is made where the text has none
  for (const json& event : trace["traceEvents"]) Read(event, &threads);
  const Thread* main = nullptr;
  for (const auto& [key, thread] : threads) {
    if (thread.begin < thread.end && (main == nullptr || main->rank() < thread.rank()))
      main = &thread;
  }
  if (main == nullptr || main->rank() == Thread().rank()) return text;
  // The category is PyTorch's: it would make a trace of another framework one of PyTorch.
  const bool torch = main->functions + main->ops > 0;
  const std::string event = fmt::format(
      R"({{"ph":"X",{}"name":{},"pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},"args":{{}}}},)",
      torch ? R"("cat":"python_function",)" : "", json(frame).dump(), main->pid, main->tid,
      std::floor(main->begin) - 1, std::ceil(main->end - main->begin) + 3);
  const size_t list = text.find('[', text.find("\"traceEvents\""));
  return text.substr(0, list + 1) + event + text.substr(list + 1);
}

// An XSpace: fields are copied as they are, but for those that change.

// Copies a message; `change` gives the new body of the fields of that number, which have bytes.
template <typename Change>
std::string Changed(std::string_view message, uint32_t number, const Change& change) {
  std::string out;
  FieldReader reader(message);
  for (Field field; reader.Next(&field);) {
    if (field.wire == proto::kVarint) PutUint(&out, field.number, field.value);
    if (field.wire == proto::kFixed64) PutFixed64(&out, field.number, field.value);
    if (field.wire != proto::kLen) continue;
    const std::string_view body = field.text(std::string_view::npos);
    PutBytes(&out, field.number, field.number == number ? change(body) : std::string(body));
  }
  return out;
}

// The field of a message; a field that is not there is 0 and empty.
Field Get(std::string_view message, uint32_t number) {
  FieldReader reader(message);
  Field found;
  for (Field field; reader.Next(&field);) {
    if (field.number == number) found = field;
  }
  return found;
}

constexpr uint32_t kPlanes = 1, kLines = 3, kEventMetadata = 4;      // of XSpace and XPlane
constexpr uint32_t kLineName = 2, kEvents = 4;                       // of XLine
constexpr uint32_t kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3;  // of XEvent
constexpr uint32_t kKey = 1, kValue = 2, kName = 2;                  // of an entry and its metadata

std::string WrapLine(std::string_view line, int64_t metadata) {
  int64_t begin = std::numeric_limits<int64_t>::max(), end = 0;
  FieldReader reader(line);
  for (Field field; reader.Next(&field);) {
    if (field.number != kEvents) continue;
    const std::string_view event = field.text(std::string_view::npos);
    const int64_t offset = Get(event, kOffsetPs).Int();
    begin = std::min(begin, offset);
    end = std::max(end, offset + Get(event, kDurationPs).Int());
  }
  std::string out(line), event;
  if (begin >= end) return out;
  PutInt(&event, kMetadataId, metadata);
  PutInt(&event, kOffsetPs, begin);
  PutInt(&event, kDurationPs, end - begin);
  PutBytes(&out, kEvents, event);
  return out;
}

std::string WrapPlane(std::string_view plane, std::string_view frame) {
  constexpr int64_t kNew = int64_t{1} << 40;  // ids of metadata are small
  bool wrapped = false;
  std::string out = Changed(plane, kLines, [&](std::string_view line) {
    if (!Get(line, kLineName).text().starts_with(kPython)) return std::string(line);
    wrapped = true;
    return WrapLine(line, kNew);
  });
  std::string metadata;
  PutInt(&metadata, kKey, kNew);
  PutBytes(&metadata, kName, frame);
  if (wrapped) PutMapEntry(&out, kEventMetadata, kNew, metadata);
  return out;
}

std::string RenameJson(std::string text, std::string_view from, std::string_view to,
                       size_t* renamed) {
  const std::string old = "\"" + std::string(from), renaming = "\"" + std::string(to);
  for (size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + renaming.size())) {
    text.replace(at, old.size(), renaming);
    ++*renamed;
  }
  return text;
}

std::string RenameMetadata(std::string_view entry, std::string_view from, std::string_view to,
                           size_t* renamed) {
  return Changed(entry, kValue, [&](std::string_view metadata) {
    return Changed(metadata, kName, [&](std::string_view name) {
      if (!name.starts_with(from)) return std::string(name);
      ++*renamed;
      return std::string(to) + std::string(name.substr(from.size()));
    });
  });
}

}  // namespace

WrappedRecording ReadRecording(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path file = path;
  if (fs::is_directory(file)) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().filename().string().find(".xplane.") != std::string::npos) file = entry;
    }
  }
  Progress progress;
  auto source = OpenByteSource(file.string(), kMostBytes, {}, &progress);
  REQUIRE_MESSAGE(source.ok(), path);
  std::vector<std::pair<uint64_t, uint64_t>> ranges = {{0, (*source)->size()}};
  if (file.extension() == ".riegeli") {
    auto records = riegeli::ReadRecordFile(**source, kMostBytes, 1, {}, &progress);
    REQUIRE_MESSAGE(records.ok(), path);
    source = std::move(records->source);
    ranges = std::move(records->records);
  }
  WrappedRecording recording;
  recording.json = file.string().find(".json") != std::string::npos;
  for (const auto& [begin, end] : ranges) {
    std::string& record = recording.records.emplace_back(end - begin, '\0');
    const auto read = (*source)->Read(begin, std::as_writable_bytes(std::span(record)));
    REQUIRE(read.ok());
    REQUIRE(*read == record.size());
  }
  return recording;
}

std::shared_ptr<const Trace> LoadRecording(const WrappedRecording& recording) {
  std::string name = "t.xplane.pb", bytes;
  if (recording.json) name = "t.json";
  if (recording.records.size() == 1) bytes = recording.records.front();
  if (recording.records.size() > 1) {
    name = "t.xplane.riegeli";
    bytes = RiegeliWriter().Records(recording.records).Bytes();
  }
  return test::Loaded(name, std::move(bytes));
}

WrappedRecording WrapMainThread(const WrappedRecording& recording, std::string_view frame) {
  WrappedRecording out = recording;
  for (std::string& record : out.records) {
    const auto wrap = [&](std::string_view plane) { return WrapPlane(plane, frame); };
    record = out.json ? WrapJson(record, frame) : Changed(record, kPlanes, wrap);
  }
  return out;
}

WrappedRecording RenameEvents(const WrappedRecording& recording, std::string_view from,
                              std::string_view to, size_t* renamed) {
  WrappedRecording out = recording;
  *renamed = 0;
  const auto entry = [&](std::string_view e) { return RenameMetadata(e, from, to, renamed); };
  const auto plane = [&](std::string_view p) { return Changed(p, kEventMetadata, entry); };
  for (std::string& record : out.records)
    record = out.json ? RenameJson(record, from, to, renamed) : Changed(record, kPlanes, plane);
  return out;
}

}  // namespace stepscope::test
