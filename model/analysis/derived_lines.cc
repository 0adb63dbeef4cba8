#include "model/analysis/derived_lines.h"

namespace stepscope {

std::vector<std::shared_ptr<const TrackSet>> BuildDerivedLines(AnalysisContext&, std::stop_token) {
  return {};
}

}  // namespace stepscope
