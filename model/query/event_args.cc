#include "model/query/event_args.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stepscope {
namespace {

void DropRepeated(std::vector<Stat>* args) {
  std::vector<size_t> order(args->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return (*args)[a].name < (*args)[b].name; });
  std::vector<bool> drop(args->size());
  bool any = false;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    if ((*args)[order[i]].name == (*args)[order[i + 1]].name) any = drop[order[i]] = true;
  }
  if (!any) return;
  std::vector<Stat> kept;
  for (size_t i = 0; i < args->size(); ++i) {
    if (!drop[i]) kept.push_back(std::move((*args)[i]));
  }
  *args = std::move(kept);
}

}  // namespace

ArgsReader::ArgsReader(const Trace& trace) : reader_(trace.source ? ReaderOf(trace) : nullptr) {}

Result<std::vector<Stat>> ArgsReader::Read(EventRow row) {
  if (reader_ == nullptr) return std::vector<Stat>();
  Result<std::vector<Stat>> args = reader_->Read(row);
  if (args.ok()) DropRepeated(&args.value());
  return args;
}

}  // namespace stepscope
