// XSpaceBuilder: builds an XSpace for a test and encodes it without protobuf, well formed or not.
//
//   XSpaceBuilder b;
//   b.Plane("/device:GPU:0").Id(0).Line(14, "Stream #14(Compute)").TimestampNs(0)
//       .Event("kern", offset_ps, dur_ps).Stat("correlation_id", std::uint64_t{5})
//       .Event("next", offset_ps, dur_ps);
//   const std::string bytes = b.Bytes();
//
// Names get metadata ids 1, 2, ... per plane in order of first use; to fix an id, declare the name
// before its first use with EventMetadata(id, name) or StatMetadata(id, name). Builders are owned
// by their parents and stay where they are, so references to them may be kept. Everything is
// encoded in the order of field numbers, as protobuf does, unless MetadataFirst() is set.
//
// Raw(bytes) appends bytes to the body of its message, after everything else: write them with
// wire.h. For profiles of many events use gpu_profile.h.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stepscope::test {

class PlaneBuilder;
class LineBuilder;

// A bytes_value.
struct Bytes {
  std::string value;
};

// A string stored once, as the name of a stat metadata, and referred to by its id.
struct Ref {
  std::string text;
};

// A ref_value with this id, whether or not such a metadata exists.
struct RefId {
  std::uint64_t id;
};

// The value of an XStat, of the type of the C++ value: signed, unsigned, double, string, or one of
// the three above.
class StatValue {
 public:
  StatValue(std::signed_integral auto value) : value_(std::int64_t{value}) {}
  StatValue(std::unsigned_integral auto value) : value_(std::uint64_t{value}) {}
  StatValue(double value) : value_(value) {}
  StatValue(const char* value) : value_(std::string(value)) {}
  StatValue(std::string_view value) : value_(std::string(value)) {}
  StatValue(std::string value) : value_(std::move(value)) {}
  StatValue(Bytes value) : value_(std::move(value)) {}
  StatValue(Ref value) : value_(std::move(value)) {}
  StatValue(RefId value) : value_(value) {}

 private:
  friend class PlaneBuilder;
  std::variant<std::int64_t, std::uint64_t, double, std::string, Bytes, Ref, RefId> value_;
};

// One XEvent.
class EventBuilder {
 public:
  EventBuilder(LineBuilder* line, std::int64_t metadata_id, std::int64_t offset_ps,
               std::int64_t dur_ps);

  EventBuilder& Stat(std::string_view name, const StatValue& value);
  EventBuilder& StatById(std::int64_t metadata_id, const StatValue& value);
  // Makes it an aggregated event: the count takes the place of the offset.
  EventBuilder& Occurrences(std::int64_t count);
  EventBuilder& Raw(std::string_view bytes);

  // Adds the next event of the same line.
  EventBuilder& Event(std::string_view name, std::int64_t offset_ps, std::int64_t dur_ps);
  LineBuilder& Line() { return *line_; }

  std::string Encode() const;

 private:
  LineBuilder* line_;
  std::int64_t metadata_id_, offset_ps_, dur_ps_;
  std::optional<std::int64_t> occurrences_;
  std::string stats_, raw_;
};

// One XLine.
class LineBuilder {
 public:
  LineBuilder(PlaneBuilder* plane, std::int64_t id, std::string_view name);

  LineBuilder& TimestampNs(std::int64_t value);
  LineBuilder& DurationPs(std::int64_t value);
  LineBuilder& DisplayId(std::int64_t value);
  LineBuilder& DisplayName(std::string_view value);
  LineBuilder& Raw(std::string_view bytes);

  EventBuilder& Event(std::string_view name, std::int64_t offset_ps, std::int64_t dur_ps);
  // Adds an event with this metadata id, whether or not such a metadata exists.
  EventBuilder& EventById(std::int64_t metadata_id, std::int64_t offset_ps, std::int64_t dur_ps);
  // Adds the next line of the same plane.
  LineBuilder& Line(std::int64_t id, std::string_view name);
  PlaneBuilder& Plane() { return *plane_; }

  std::string Encode() const;

 private:
  PlaneBuilder* plane_;
  std::int64_t id_;
  std::string name_, display_name_, raw_;
  std::int64_t timestamp_ns_ = 0, duration_ps_ = 0, display_id_ = 0;
  std::deque<EventBuilder> events_;
};

// One XEventMetadata.
class EventMetadataBuilder {
 public:
  EventMetadataBuilder(PlaneBuilder* plane, std::int64_t id, std::string_view name);

  EventMetadataBuilder& DisplayName(std::string_view value);
  EventMetadataBuilder& Metadata(std::string_view bytes);
  EventMetadataBuilder& Stat(std::string_view name, const StatValue& value);
  EventMetadataBuilder& ChildId(std::int64_t id);
  EventMetadataBuilder& Raw(std::string_view bytes);

  std::int64_t Id() const { return id_; }
  std::string Encode() const;

 private:
  PlaneBuilder* plane_;
  std::int64_t id_;
  std::string name_, display_name_, metadata_, stats_, raw_;
  std::vector<std::int64_t> child_ids_;
};

// One XPlane.
class PlaneBuilder {
 public:
  explicit PlaneBuilder(std::string_view name);
  PlaneBuilder(const PlaneBuilder&) = delete;  // its lines point to it
  PlaneBuilder& operator=(const PlaneBuilder&) = delete;

  PlaneBuilder& Id(std::int64_t value);
  PlaneBuilder& Stat(std::string_view name, const StatValue& value);
  // Writes the metadata maps before the lines, which protobuf allows.
  PlaneBuilder& MetadataFirst();
  PlaneBuilder& Raw(std::string_view bytes);

  // Adds a line on each call, also for an id that exists.
  LineBuilder& Line(std::int64_t id, std::string_view name);

  // Returns the metadata of that name and makes it if it does not exist.
  EventMetadataBuilder& EventMetadata(std::string_view name);
  // Makes a metadata with this id; later uses of the name mean it. Ids may be used twice.
  EventMetadataBuilder& EventMetadata(std::int64_t id, std::string_view name);
  PlaneBuilder& StatMetadata(std::int64_t id, std::string_view name,
                             std::string_view description = {});
  std::int64_t StatId(std::string_view name);

  // An XStat as one element of the repeated field `field`.
  std::string EncodeStat(std::uint32_t field, std::int64_t metadata_id, const StatValue& value);
  std::string Encode() const;

 private:
  struct StatName {
    std::int64_t id;
    std::string name, description;
  };

  std::string EncodeMetadata() const;

  std::int64_t id_ = 0;
  std::string name_, stats_, raw_;
  bool metadata_first_ = false;
  std::deque<LineBuilder> lines_;
  std::deque<EventMetadataBuilder> event_metadata_;
  std::vector<StatName> stat_metadata_;
  std::map<std::string, EventMetadataBuilder*, std::less<>> events_by_name_;
  std::map<std::string, std::int64_t, std::less<>> stats_by_name_;
  std::int64_t next_event_id_ = 1, next_stat_id_ = 1;
};

class XSpaceBuilder {
 public:
  // Adds a plane on each call, also for a name that exists.
  PlaneBuilder& Plane(std::string_view name);
  XSpaceBuilder& Hostname(std::string_view value);
  XSpaceBuilder& Error(std::string_view text);
  XSpaceBuilder& Warning(std::string_view text);
  XSpaceBuilder& Raw(std::string_view bytes);

  std::string Bytes() const;

 private:
  std::deque<PlaneBuilder> planes_;
  std::string errors_, warnings_, hostnames_, raw_;
};

}  // namespace stepscope::test
