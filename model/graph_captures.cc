#include "model/graph_captures.h"

namespace stepscope {

Result<std::vector<Stat>> SourceWithCaptures::Decode(const Trace& trace, EventRow row) const {
  if (!own_) return std::vector<Stat>();
  return own_->Decode(trace, row);
}

Result<std::shared_ptr<const StatTable>> SourceWithCaptures::LoadTyped(const Trace& trace,
                                                                       std::stop_token stop) const {
  if (!own_) return std::make_shared<const StatTable>();
  return own_->LoadTyped(trace, std::move(stop));
}

bool SourceWithCaptures::reads_allocations_apart() const {
  return own_ && own_->reads_allocations_apart();
}

Result<std::shared_ptr<const StatTable>> SourceWithCaptures::LoadTypedOf(
    const Trace& trace, StatRows rows, std::stop_token stop) const {
  if (!own_) return std::make_shared<const StatTable>();
  return own_->LoadTypedOf(trace, rows, std::move(stop));
}

size_t SourceWithCaptures::resident_bytes() const {
  size_t bytes = own_ ? own_->resident_bytes() : 0;
  for (const GraphCapture& capture : captures_) {
    bytes += capture.trace->store_bytes();
    if (capture.trace->source) bytes += capture.trace->source->resident_bytes();
  }
  return bytes;
}

std::span<const GraphCapture> CapturesOf(const Trace& trace) {
  const auto* source = dynamic_cast<const SourceWithCaptures*>(trace.source.get());
  return source != nullptr ? source->captures() : std::span<const GraphCapture>();
}

}  // namespace stepscope
