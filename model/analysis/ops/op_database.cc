#include "model/analysis/ops/op_database.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "model/analysis/naming/op_name.h"

namespace stepscope {
namespace {

// Adds up the sides of several hosts: ops of one name are one op; on devices they must also have
// one type.
class SumOfHosts {
 public:
  explicit SumOfHosts(bool device) : device_(device) {}

  void Add(const OpSide& from) {
    for (const OpRow& op : from.ops) {
      auto [it, added] =
          index_.try_emplace({op.name, device_ ? op.type : "", op.stage}, side_.ops.size());
      if (added) {
        side_.ops.push_back(op);
      } else {
        side_.ops[it->second].Add(op);
      }
    }
    side_.total += from.total;
    side_.busy += from.busy;
  }
  OpSide Take() {
    FinishSide(&side_);
    return std::move(side_);
  }

 private:
  const bool device_;
  std::map<std::tuple<std::string, std::string, bool>, size_t> index_;
  OpSide side_;
};

std::vector<const HostOps*> WantedHosts(const OpDatabase& database, const Trace& trace,
                                        const AnalysisParams& params) {
  std::vector<const HostOps*> wanted;
  for (const HostOps& h : database.hosts) {
    if (params.WantsHost(trace.HostName(h.host))) wanted.push_back(&h);
  }
  return wanted;
}

}  // namespace

RowLink LinkTo(const OpRow& op) {
  RowLink link = LinkTo(op.rows);
  link.total = op.occurrences;
  return link;
}

void FinishSide(OpSide* side) {
  for (const OpRow& op : side->ops) {
    side->occurrences += op.occurrences;
    if (op.eager) side->eager += op.self;
  }
  std::sort(side->ops.begin(), side->ops.end(), [](const OpRow& a, const OpRow& b) {
    return a.self != b.self ? a.self > b.self : a.name < b.name;
  });
}

std::shared_ptr<const HostOps> OpsOf(std::shared_ptr<const OpDatabase> database, const Trace& trace,
                                     const AnalysisParams& params) {
  const std::vector<const HostOps*> wanted = WantedHosts(*database, trace, params);
  if (wanted.size() == 1)
    return std::shared_ptr<const HostOps>(std::move(database), wanted.front());
  return std::make_shared<const HostOps>(database->Of(trace, params));
}

HostOps OpDatabase::Of(const Trace& trace, const AnalysisParams& params) const {
  const std::vector<const HostOps*> wanted = WantedHosts(*this, trace, params);
  if (wanted.size() == 1) return *wanted[0];
  HostOps all;
  SumOfHosts host_side(false), device_side(true);
  for (const HostOps* h : wanted) {
    host_side.Add(h->host_side);
    device_side.Add(h->device_side);
    all.enqueue.Add(h->enqueue);
  }
  all.host_side = host_side.Take();
  all.device_side = device_side.Take();
  return all;
}

std::vector<uint8_t> HostSideOps(const Trace& trace, const HostOps& ops) {
  std::set<std::string_view> without_kernels;
  bool any = false;
  for (const OpRow& op : ops.host_side.ops) {
    any = any || op.device_time > 0;
    if (op.name.starts_with("aten::") && op.device_time <= 0) without_kernels.insert(op.name);
  }
  if (!any) without_kernels.clear();  // no launch is known, so no op is known to have none
  const NameTable& names = trace.names();
  std::vector<uint8_t> on_host(names.metas.size());
  for (size_t m = 0; m < on_host.size(); ++m) {
    const std::string_view name = names.strings.View(names.metas[m].name);
    on_host[m] =
        without_kernels.contains(name) || ParseOpName(name).category == OpCategory::kTensorFlow;
  }
  return on_host;
}

}  // namespace stepscope
