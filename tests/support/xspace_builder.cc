#include "tests/support/xspace_builder.h"

#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

// proto3 leaves out what has the default value.
void PutIntIfSet(std::string* out, std::uint32_t field, std::int64_t value) {
  if (value != 0) PutInt(out, field, value);
}

void PutStringIfSet(std::string* out, std::uint32_t field, std::string_view value) {
  if (!value.empty()) PutBytes(out, field, value);
}

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;  // clang 14 cannot deduce it by itself

}  // namespace

EventBuilder::EventBuilder(LineBuilder* line, std::int64_t metadata_id, std::int64_t offset_ps,
                           std::int64_t dur_ps)
    : line_(line), metadata_id_(metadata_id), offset_ps_(offset_ps), dur_ps_(dur_ps) {}

EventBuilder& EventBuilder::Stat(std::string_view name, const StatValue& value) {
  return StatById(line_->Plane().StatId(name), value);
}

EventBuilder& EventBuilder::StatById(std::int64_t metadata_id, const StatValue& value) {
  stats_ += line_->Plane().EncodeStat(4, metadata_id, value);
  return *this;
}

EventBuilder& EventBuilder::Occurrences(std::int64_t count) {
  occurrences_ = count;
  return *this;
}

EventBuilder& EventBuilder::Raw(std::string_view bytes) {
  raw_ += bytes;
  return *this;
}

EventBuilder& EventBuilder::Event(std::string_view name, std::int64_t offset_ps,
                                  std::int64_t dur_ps) {
  return line_->Event(name, offset_ps, dur_ps);
}

std::string EventBuilder::Encode() const {
  std::string out;
  PutIntIfSet(&out, 1, metadata_id_);
  if (!occurrences_) PutInt(&out, 2, offset_ps_);
  PutIntIfSet(&out, 3, dur_ps_);
  out += stats_;
  if (occurrences_) PutInt(&out, 5, *occurrences_);
  return out + raw_;
}

LineBuilder::LineBuilder(PlaneBuilder* plane, std::int64_t id, std::string_view name)
    : plane_(plane), id_(id), name_(name) {}

LineBuilder& LineBuilder::TimestampNs(std::int64_t value) {
  timestamp_ns_ = value;
  return *this;
}

LineBuilder& LineBuilder::DurationPs(std::int64_t value) {
  duration_ps_ = value;
  return *this;
}

LineBuilder& LineBuilder::DisplayId(std::int64_t value) {
  display_id_ = value;
  return *this;
}

LineBuilder& LineBuilder::DisplayName(std::string_view value) {
  display_name_ = value;
  return *this;
}

LineBuilder& LineBuilder::Raw(std::string_view bytes) {
  raw_ += bytes;
  return *this;
}

EventBuilder& LineBuilder::Event(std::string_view name, std::int64_t offset_ps,
                                 std::int64_t dur_ps) {
  return EventById(plane_->EventMetadata(name).Id(), offset_ps, dur_ps);
}

EventBuilder& LineBuilder::EventById(std::int64_t metadata_id, std::int64_t offset_ps,
                                     std::int64_t dur_ps) {
  return events_.emplace_back(this, metadata_id, offset_ps, dur_ps);
}

LineBuilder& LineBuilder::Line(std::int64_t id, std::string_view name) {
  return plane_->Line(id, name);
}

std::string LineBuilder::Encode() const {
  std::string out;
  PutIntIfSet(&out, 1, id_);
  PutStringIfSet(&out, 2, name_);
  PutIntIfSet(&out, 3, timestamp_ns_);
  for (const EventBuilder& event : events_) PutBytes(&out, 4, event.Encode());
  PutIntIfSet(&out, 9, duration_ps_);
  PutIntIfSet(&out, 10, display_id_);
  PutStringIfSet(&out, 11, display_name_);
  return out + raw_;
}

EventMetadataBuilder::EventMetadataBuilder(PlaneBuilder* plane, std::int64_t id,
                                           std::string_view name)
    : plane_(plane), id_(id), name_(name) {}

EventMetadataBuilder& EventMetadataBuilder::DisplayName(std::string_view value) {
  display_name_ = value;
  return *this;
}

EventMetadataBuilder& EventMetadataBuilder::Metadata(std::string_view bytes) {
  metadata_ = bytes;
  return *this;
}

EventMetadataBuilder& EventMetadataBuilder::Stat(std::string_view name, const StatValue& value) {
  stats_ += plane_->EncodeStat(5, plane_->StatId(name), value);
  return *this;
}

EventMetadataBuilder& EventMetadataBuilder::ChildId(std::int64_t id) {
  child_ids_.push_back(id);
  return *this;
}

EventMetadataBuilder& EventMetadataBuilder::Raw(std::string_view bytes) {
  raw_ += bytes;
  return *this;
}

std::string EventMetadataBuilder::Encode() const {
  std::string out;
  PutIntIfSet(&out, 1, id_);
  PutStringIfSet(&out, 2, name_);
  PutStringIfSet(&out, 3, metadata_);
  PutStringIfSet(&out, 4, display_name_);
  out += stats_;
  std::string packed;
  for (const std::int64_t id : child_ids_) PutVarint(&packed, static_cast<std::uint64_t>(id));
  PutStringIfSet(&out, 6, packed);
  return out + raw_;
}

PlaneBuilder::PlaneBuilder(std::string_view name) : name_(name) {}

PlaneBuilder& PlaneBuilder::Id(std::int64_t value) {
  id_ = value;
  return *this;
}

PlaneBuilder& PlaneBuilder::Stat(std::string_view name, const StatValue& value) {
  stats_ += EncodeStat(6, StatId(name), value);
  return *this;
}

PlaneBuilder& PlaneBuilder::MetadataFirst() {
  metadata_first_ = true;
  return *this;
}

PlaneBuilder& PlaneBuilder::Raw(std::string_view bytes) {
  raw_ += bytes;
  return *this;
}

LineBuilder& PlaneBuilder::Line(std::int64_t id, std::string_view name) {
  return lines_.emplace_back(this, id, name);
}

EventMetadataBuilder& PlaneBuilder::EventMetadata(std::string_view name) {
  if (const auto it = events_by_name_.find(name); it != events_by_name_.end()) return *it->second;
  return EventMetadata(next_event_id_, name);
}

EventMetadataBuilder& PlaneBuilder::EventMetadata(std::int64_t id, std::string_view name) {
  if (id >= next_event_id_ && id < INT64_MAX) next_event_id_ = id + 1;
  EventMetadataBuilder& metadata = event_metadata_.emplace_back(this, id, name);
  events_by_name_.insert_or_assign(std::string(name), &metadata);
  return metadata;
}

PlaneBuilder& PlaneBuilder::StatMetadata(std::int64_t id, std::string_view name,
                                         std::string_view description) {
  if (id >= next_stat_id_ && id < INT64_MAX) next_stat_id_ = id + 1;
  stat_metadata_.push_back({id, std::string(name), std::string(description)});
  stats_by_name_.insert_or_assign(std::string(name), id);
  return *this;
}

std::int64_t PlaneBuilder::StatId(std::string_view name) {
  if (const auto it = stats_by_name_.find(name); it != stats_by_name_.end()) return it->second;
  const std::int64_t id = next_stat_id_;
  StatMetadata(id, name);
  return id;
}

std::string PlaneBuilder::EncodeStat(std::uint32_t field, std::int64_t metadata_id,
                                     const StatValue& value) {
  std::string body;
  PutIntIfSet(&body, 1, metadata_id);
  // Values are members of a oneof, so a zero is written too.
  std::visit(Overloaded{
                 [&](std::int64_t v) { PutInt(&body, 4, v); },
                 [&](std::uint64_t v) { PutUint(&body, 3, v); },
                 [&](double v) { PutDouble(&body, 2, v); },
                 [&](const std::string& v) { PutBytes(&body, 5, v); },
                 [&](const Bytes& v) { PutBytes(&body, 6, v.value); },
                 [&](const Ref& v) { PutInt(&body, 7, StatId(v.text)); },
                 [&](const RefId& v) { PutUint(&body, 7, v.id); },
             },
             value.value_);
  std::string out;
  PutBytes(&out, field, body);
  return out;
}

std::string PlaneBuilder::EncodeMetadata() const {
  std::string out;
  for (const EventMetadataBuilder& metadata : event_metadata_) {
    PutMapEntry(&out, 4, metadata.Id(), metadata.Encode());
  }
  for (const StatName& stat : stat_metadata_) {
    std::string body;
    PutIntIfSet(&body, 1, stat.id);
    PutStringIfSet(&body, 2, stat.name);
    PutStringIfSet(&body, 3, stat.description);
    PutMapEntry(&out, 5, stat.id, body);
  }
  return out;
}

std::string PlaneBuilder::Encode() const {
  std::string out, lines;
  PutIntIfSet(&out, 1, id_);
  PutStringIfSet(&out, 2, name_);
  for (const LineBuilder& line : lines_) PutBytes(&lines, 3, line.Encode());
  out += metadata_first_ ? EncodeMetadata() + lines : lines + EncodeMetadata();
  return out + stats_ + raw_;
}

PlaneBuilder& XSpaceBuilder::Plane(std::string_view name) { return planes_.emplace_back(name); }

XSpaceBuilder& XSpaceBuilder::Hostname(std::string_view value) {
  PutBytes(&hostnames_, 4, value);
  return *this;
}

XSpaceBuilder& XSpaceBuilder::Error(std::string_view text) {
  PutBytes(&errors_, 2, text);
  return *this;
}

XSpaceBuilder& XSpaceBuilder::Warning(std::string_view text) {
  PutBytes(&warnings_, 3, text);
  return *this;
}

XSpaceBuilder& XSpaceBuilder::Raw(std::string_view bytes) {
  raw_ += bytes;
  return *this;
}

std::string XSpaceBuilder::Bytes() const {
  std::string out;
  for (const PlaneBuilder& plane : planes_) PutBytes(&out, 1, plane.Encode());
  return out + errors_ + warnings_ + hostnames_ + raw_;
}

}  // namespace stepscope::test
