// Devices: how busy each GPU is, why it is idle, and what its time goes into: work by kind and by
// annotation, copies, waits for streams, and communication that computation hides.
#include <imgui.h>

#include <vector>

#include "viewer/core/analysis_cache.h"
#include "viewer/panels/analysis_panel.h"
#include "viewer/panels/page_request.h"
#include "viewer/panels/table_pages.h"
#include "viewer/widgets/draw_text.h"

namespace stepscope {
namespace {

struct Source {
  const char *analysis, *table, *name_column;
};
constexpr Source kSources[] = {
    {"kernel_stats", "devices", "device"},       {"overview", "idle_by_cause", "cause"},
    {"kernel_stats", "by_category", "category"}, {"kernel_stats", "by_annotation", "annotation"},
    {"kernel_stats", "launch_delay", "stream"},  {"kernel_stats", "copies", ""},
    {"overview", "overlap", "device"},           {"input_pipeline", "loader_waits", ""}};

class DevicesPanel final : public Panel {
 public:
  void Draw(const PanelContext& context) override;
  bool animating() const override { return waiting_; }

 private:
  TablePages pages_;
  PageRequest page_;
  bool waiting_ = false;
};

void DevicesPanel::Draw(const PanelContext& context) {
  waiting_ = false;
  if (context.profile == nullptr || !context.profile->analysis) {
    TextIn(context, Role::kText2, "Open a profile to see what its devices do.");
    return;
  }
  if (const auto page = page_.Take(context, "devices")) pages_.Show(*page);
  const AnalysisParams params = ParamsOf(context);
  std::vector<TablePages::Page> pages;
  for (const Source& source : kSources) {
    const AnalysisResult* result = context.analyses.Get(*context.profile, source.analysis, params);
    waiting_ = waiting_ || result == nullptr;
    const ResultTable* table = result != nullptr ? result->Table(source.table) : nullptr;
    if (table == nullptr) continue;
    TablePages::Page page{table, result->serial};
    page.options.name_column = source.name_column;
    page.options.total_row = false;
    page.of_step = table->id == "idle_by_cause";
    pages.push_back(page);
  }
  if (pages.empty() && waiting_) {
    DrawSpinner(context, "Adding up the devices");
    return;
  }
  pages_.Draw(context, pages, "No device has events in this profile.");
}

}  // namespace

std::unique_ptr<Panel> MakeDevicesPanel() { return std::make_unique<DevicesPanel>(); }

}  // namespace stepscope
