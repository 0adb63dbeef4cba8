// TablePages shows one of several tables at a time: the titles of all, and the chosen table below.
// UI thread only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "viewer/core/panel.h"
#include "viewer/widgets/result_table_view.h"

namespace stepscope {

// Draws the titles of tables in a line, or as a list where a line has no room for them and for
// `beside` pixels behind them. A click writes the table's id into `*shown`.
void DrawTableTitles(std::span<const ResultTable* const> tables, std::string* shown,
                     float beside = 0);

class TablePages {
 public:
  struct Page {
    const ResultTable* table = nullptr;  // lives through the frame
    uint64_t key = 0;                    // changes with its contents
    TableOptions options{};              // without id
    const char* sort = "";               // column that sorts it at first, the largest first
    // Its numbers are of an average step; else of all that the panel shows.
    bool of_step = false;
    std::optional<Ps> at = {};  // the moment, in the profile's time, that its numbers are of
  };
  // Leaves out tables without rows. Says beside the titles which part of the profile the shown
  // table is of. Shows the text `nothing` if no table is left.
  void Draw(const PanelContext& context, std::span<const Page> pages, const char* nothing);
  const std::string& shown() const { return shown_; }
  void Show(std::string table) { shown_ = std::move(table); }

 private:
  std::string shown_;  // id of the table; the first one is shown if it is missing
  std::map<std::string, ResultTableView> views_;
};

}  // namespace stepscope
