// TablePages: several tables in one place, one at a time: their titles, and the chosen one below.
// UI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "viewer/core/panel.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {

// The titles of tables in a line, or in a list where a line has no room for them; the one that is
// clicked is shown.
void DrawTableTitles(std::span<const ResultTable* const> tables, std::string* shown);

class TablePages {
 public:
  struct Page {
    const ResultTable* table = nullptr;  // lives through the frame
    uint64_t key = 0;                    // changes with its contents
    TableOptions options{};              // without id
  };
  // Tables without rows are left out. Says `nothing` where none is left.
  void Draw(const PanelContext& context, std::span<const Page> pages, const char* nothing);
  const std::string& shown() const { return shown_; }
  void Show(std::string table) { shown_ = std::move(table); }

 private:
  std::string shown_;  // id of the table; of none that there is: the first
  std::map<std::string, ResultTableView> views_;
};

}  // namespace stepscope
