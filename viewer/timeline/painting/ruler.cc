#include "viewer/timeline/painting/ruler.h"

#include <fmt/format.h>

#include <cmath>

#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

constexpr double kSameLength = 0.01;  // a bar that is off by less is as long as its step

struct UnitRow {
  Ps ps;
  const char* name;
};
constexpr UnitRow kUnits[] = {
    {kPsPerS, "s"}, {kPsPerMs, "ms"}, {kPsPerUs, "\xC2\xB5s"}, {kPsPerNs, "ns"}, {1, "ps"}};

const UnitRow& UnitFor(Ps t) {
  for (const UnitRow& unit : kUnits) {
    if (t >= unit.ps) return unit;
  }
  return kUnits[4];
}

Ps FloorTo(Ps t, Ps step) {
  const Ps rest = t % step;
  return rest < 0 ? SaturatingSub(t, rest + step) : t - rest;
}

}  // namespace

Ps NiceStep(double ps) {
  Ps decade = 1;
  while (decade < kMaxPs / 100 && static_cast<double>(decade) * 10 <= ps) decade *= 10;
  for (Ps factor : {1, 2, 5}) {
    if (static_cast<double>(decade * factor) >= ps) return decade * factor;
  }
  return decade * 10;
}

Ticks MakeTicks(const TimeAxis& axis, double min_label_px) {
  Ticks ticks;
  ticks.step = NiceStep(axis.ps_per_px() * min_label_px);
  ticks.minor = std::max<Ps>(1, ticks.step / 5);
  // An absolute label would need more digits than fit at this zoom, so labels count from the left
  // edge.
  const Ps begin = axis.view().begin;
  ticks.relative = std::llabs(begin) / 10'000 > ticks.step && axis.view().length() < 10 * kPsPerMs;
  ticks.base = ticks.relative ? FloorTo(begin, ticks.step) : 0;
  ticks.first = SaturatingAdd(ticks.base, FloorTo(SaturatingSub(begin, ticks.base), ticks.minor));
  const Ps far = std::max<Ps>(std::llabs(SaturatingSub(begin, ticks.base)),
                              std::llabs(SaturatingSub(axis.view().end, ticks.base)));
  ticks.unit = UnitFor(std::max(far, ticks.step)).ps;
  return ticks;
}

std::string TickLabel(const Ticks& ticks, Ps t) {
  const Ps value = SaturatingSub(t, ticks.base);
  const UnitRow& unit = UnitFor(ticks.unit);
  int digits = 0;
  for (Ps s = unit.ps; s > ticks.step && digits < 12; s /= 10) ++digits;
  const double shown = static_cast<double>(value) / static_cast<double>(unit.ps);
  const char* sign = ticks.relative && value >= 0 ? "+" : "";
  return value == 0 ? fmt::format("{}0 {}", sign, unit.name)
                    : fmt::format("{}{:.{}f} {}", sign, shown, digits, unit.name);
}

std::string CornerLabel(const Ticks& ticks, const TimeAxis& axis) {
  const Ps t = ticks.relative ? ticks.base : axis.view().begin;
  const UnitRow& unit = UnitFor(std::llabs(t));
  int digits = 0;
  for (Ps s = unit.ps; s > ticks.minor && s > 1; s /= 10) ++digits;
  // Twelve decimals of seconds are picoseconds; long double has digits for days of them.
  std::string out = fmt::format(
      "{:.{}f}", static_cast<long double>(t) / static_cast<long double>(unit.ps), digits);
  if (digits > 0) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  if (out == "-0") out = "0";
  return out + " " + (t == 0 ? kUnits[1].name : unit.name);
}

std::string BarText(const StepMarker& step, TimeRange bar) {
  const auto text = [](Ps time) { return WithoutZeros(FormatDuration(time, 4)); };
  const double off = std::abs(static_cast<double>(bar.length() - step.length()));
  if (off <= kSameLength * static_cast<double>(step.length())) return text(step.length());
  return text(step.length()) + ", mean of devices";
}

}  // namespace stepscope
