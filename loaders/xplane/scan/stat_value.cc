#include "loaders/xplane/scan/stat_value.h"

#include "loaders/xplane/xplane.pb.h"

namespace stepscope::xplane {

std::optional<decltype(Stat::value)> PlainValue(const pb::XStat& stat, const PlaneTables& tables) {
  switch (stat.value_case()) {
    case pb::XStat::kDoubleValue:
      return stat.double_value();
    case pb::XStat::kUint64Value:
      return uint64_t{stat.uint64_value()};
    case pb::XStat::kInt64Value:
      return int64_t{stat.int64_value()};
    case pb::XStat::kStrValue:
      return stat.str_value();
    case pb::XStat::kRefValue: {
      const std::string* text = tables.StatName(static_cast<int64_t>(stat.ref_value()));
      return text == nullptr ? std::string() : *text;
    }
    default:
      return std::nullopt;
  }
}

}  // namespace stepscope::xplane
