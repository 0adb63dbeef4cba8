// TorchRoofline: how near PyTorch's ops are to the limits of their device, as a chart above the
// table that it is of. The roofline panel shows it where no program of XLA ran. UI thread only;
// O(visible rows) a frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "viewer/core/panel.h"
#include "viewer/panels/xla/peaks_editor.h"
#include "viewer/widgets/result_table_view.h"
#include "viewer/widgets/roofline_chart.h"

namespace stepscope {

class TorchRoofline {
 public:
  // `table` is `torch_ops` of the result. `key` changes with the result.
  void Draw(const PanelContext& context, const AnalysisResult& result, const ResultTable& table,
            uint64_t key);

 private:
  void Update(const ResultTable& table, uint64_t key);

  RooflineData data_;
  RooflineChart chart_;
  ResultTableView table_;
  PeaksEditor peaks_;
  std::vector<bool> shown_;  // rows that the filter leaves; empty: all
  uint64_t key_ = 0;
};

// The limits that rows of `torch_ops` name: each type's arithmetic, and the memory below the
// fastest of them. Empty where the device's peaks are not known. O(rows).
std::vector<Roof> TorchRoofs(const ResultTable& table);

}  // namespace stepscope
