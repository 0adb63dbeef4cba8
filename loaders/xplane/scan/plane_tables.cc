#include "loaders/xplane/scan/plane_tables.h"

#include <algorithm>

namespace stepscope::xplane {

uint32_t IdMap::Set(int64_t id, uint32_t value) {
  // Dense while the array stays within a few times the number of entries.
  const bool dense = id >= 0 && static_cast<uint64_t>(id) < 4 * size_ + 4096;
  uint32_t* slot = nullptr;
  if (dense && (sparse_ == nullptr || !sparse_->contains(id))) {
    if (static_cast<size_t>(id) >= dense_.size()) {
      dense_.resize(std::max(static_cast<size_t>(id) + 1, dense_.size() * 2), kNone);
      // Ids that the array covers now may be in the map, because they were set before it grew.
      if (sparse_ != nullptr)
        std::erase_if(*sparse_, [&](const auto& entry) {
          const bool covered =
              entry.first >= 0 && static_cast<uint64_t>(entry.first) < dense_.size();
          if (covered) dense_[static_cast<size_t>(entry.first)] = entry.second;
          return covered;
        });
    }
    slot = &dense_[static_cast<size_t>(id)];
  } else if (static_cast<uint64_t>(id) < dense_.size()) {
    slot = &dense_[static_cast<size_t>(id)];
  } else {
    if (sparse_ == nullptr) sparse_ = std::make_unique<std::unordered_map<int64_t, uint32_t>>();
    slot = &sparse_->try_emplace(id, kNone).first->second;
  }
  const uint32_t before = *slot;
  *slot = value;
  if (before == kNone) ++size_;
  return before;
}

uint32_t IdMap::FindSparse(int64_t id) const {
  const auto it = sparse_->find(id);
  return it == sparse_->end() ? kNone : it->second;
}

std::optional<int64_t> IdMap::IdOf(uint32_t value) const {
  const auto dense = std::find(dense_.begin(), dense_.end(), value);
  if (dense != dense_.end()) return dense - dense_.begin();
  if (sparse_ == nullptr) return std::nullopt;
  for (const auto& [id, number] : *sparse_) {
    if (number == value) return id;
  }
  return std::nullopt;
}

const PlaneTables& TablesAt(std::span<const std::shared_ptr<const PlaneTables>> parts,
                            uint64_t offset) {
  const auto next = std::upper_bound(
      parts.begin() + 1, parts.end(), offset,
      [](uint64_t at, const std::shared_ptr<const PlaneTables>& t) { return at < t->begin; });
  return **(next - 1);
}

const PlaneTables* TablesOfMeta(std::span<const std::shared_ptr<const PlaneTables>> parts,
                                uint32_t meta) {
  const auto part = std::partition_point(
      parts.begin(), parts.end(),
      [&](const std::shared_ptr<const PlaneTables>& t) { return t->last_meta <= meta; });
  return part != parts.end() && (*part)->first_meta <= meta ? part->get() : nullptr;
}

using namespace proto;

namespace {

// Whether a field of an XStat is a value: nothing else has its number, and no value another type.
bool IsValue(const Field& f) {
  switch (f.number) {
    case kDoubleValue:
      return f.wire == kFixed64;
    case kUint64Value:
    case kInt64Value:
    case kReferenceValue:
      return f.wire == kVarint;
    case kTextValue:
    case kBytesValue:
    case kCompressedValue:
      return f.wire == kLen;
    default:
      return false;
  }
}

}  // namespace

XStat ReadXStat(std::string_view message) {
  XStat stat;
  FieldReader fields(message);
  Field f;
  while (fields.Next(&f)) {
    if (f.number == 1 && f.wire == kVarint) stat.id = f.Int();
    if (IsValue(f)) stat.value = f;
  }
  stat.whole = !fields.bad() && !fields.clamped();
  return stat;
}

std::optional<double> NumberOf(const XStat& stat) {
  switch (stat.value.number) {
    case kDoubleValue:
      return stat.value.Double();
    case kUint64Value:
      return static_cast<double>(stat.value.value);
    case kInt64Value:
      return static_cast<double>(stat.value.Int());
    default:
      return std::nullopt;
  }
}

std::optional<decltype(Stat::value)> PlainValue(const XStat& stat, const PlaneTables& tables) {
  switch (stat.value.number) {
    case kDoubleValue:
      return stat.value.Double();
    case kUint64Value:
      return stat.value.value;
    case kInt64Value:
      return stat.value.Int();
    case kTextValue:
      return std::string(stat.value.text());
    case kReferenceValue: {
      const std::string* text = tables.StatName(stat.value.Int());
      return text == nullptr ? std::string() : *text;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace stepscope::xplane
