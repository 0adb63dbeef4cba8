#include "capture/answer.h"

#include <cstddef>
#include <cstdint>
#include <span>

#include "loaders/common/wire.h"

namespace stepscope::capture {
namespace {

constexpr uint32_t kToolDataField = 6, kEmptyTraceField = 7, kXSpaceField = 8;
constexpr uint32_t kToolNameField = 1, kToolBytesField = 2;
// XSpace.planes, XPlane.lines, XLine.events.
constexpr uint32_t kWayToEvents[] = {1, 3, 4};
constexpr std::string_view kXSpaceName = "xplane.pb";

std::string_view Whole(const proto::Field& field) { return field.text(static_cast<size_t>(-1)); }

// The profile in the data of a tool; empty where it is another tool's.
std::string_view XSpaceOfTool(std::string_view tool) {
  proto::FieldReader reader(tool);
  std::string_view name, bytes;
  for (proto::Field field; reader.Next(&field);) {
    if (field.wire != proto::kLen) continue;
    if (field.number == kToolNameField) name = Whole(field);
    if (field.number == kToolBytesField) bytes = Whole(field);
  }
  return name.ends_with(kXSpaceName) ? bytes : std::string_view();
}

// Looks for a message at the end of a way of fields.
XSpaceContent LookFor(std::string_view message, std::span<const uint32_t> way) {
  if (way.empty()) return XSpaceContent::kEvents;
  proto::FieldReader reader(message);
  for (proto::Field field; reader.Next(&field);) {
    if (field.clamped) return XSpaceContent::kGarbage;
    if (field.number != way.front() || field.wire != proto::kLen) continue;
    const XSpaceContent content = LookFor(Whole(field), way.subspan(1));
    if (content != XSpaceContent::kNothing) return content;
  }
  return reader.bad() ? XSpaceContent::kGarbage : XSpaceContent::kNothing;
}

}  // namespace

Result<ProfileAnswer> ReadProfileAnswer(std::string_view message) {
  ProfileAnswer answer;
  proto::FieldReader reader(message);
  for (proto::Field field; reader.Next(&field);) {
    if (field.clamped) return Status(ErrorCode::kFormat, "a field goes past the end");
    if (field.number == kEmptyTraceField && field.wire == proto::kVarint)
      answer.empty_trace = field.value != 0;
    if (field.wire != proto::kLen) continue;
    if (field.number == kXSpaceField) answer.xspace = Whole(field);
    if (field.number == kToolDataField && answer.xspace.empty())
      answer.xspace = XSpaceOfTool(Whole(field));
  }
  if (reader.bad()) return Status(ErrorCode::kFormat, "a field cannot be read");
  return answer;
}

XSpaceContent ContentOf(std::string_view xspace) { return LookFor(xspace, kWayToEvents); }

}  // namespace stepscope::capture
