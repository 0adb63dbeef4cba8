// The options of the commands; the tests of the commands read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_line.h"
#include "capture/record.h"
#include "model/query/stats_question.h"

namespace stepscope {

struct BenchOptions : PictureOptions {
  int frames = 300;                      // of the scripted zoom
  bool panels = false;                   // also frames with each panel open
  std::vector<std::string> only_panels;  // also frames with these open, in this order
  bool tools = false;                    // also frames of a search and of a box that selects
  bool show_window = false;              // a real window instead of an off-screen one
};

struct CaptureOptions {
  capture::RecordOptions record;
  bool monitor = false;                            // watch, do not record
  std::optional<std::chrono::milliseconds> watch;  // with `monitor`: how long; none: until Ctrl+C
  bool no_open = false;                            // print where the run is, and open no window
};

// By how much B may be larger than A: "3%" of A, or "0.5" in the unit of what is compared.
struct Allowance {
  double amount = 0;
  bool percent = false;
};
struct PropertyLimit {
  std::string panel, property;
  Allowance allowed;
};
// Reads "3%" or "0.5": finite and not negative. nullopt for anything else.
std::optional<Allowance> ParseAllowance(const std::string& text);
// Reads "overview.steptime_ms_average+5%". nullopt for anything else.
std::optional<PropertyLimit> ParseLimit(const std::string& text);

struct CheckOptions : PartOptions {
  std::optional<Allowance> max_step_regression;    // without percent: ms
  std::optional<Allowance> max_memory_regression;  // without percent: bytes
  std::vector<PropertyLimit> limits;
  std::vector<std::string> forbidden;  // ids of rules of findings
};

struct CompareOptions : PartOptions, ReportForm {};

// How stacks are merged: from callers to callees, or from callees to callers.
enum class StackOrder : uint8_t { kNone, kTopDown, kBottomUp };

struct EventsOptions : PartOptions {
  std::string query;  // empty: all
  bool stats = false;
  GroupBy group = GroupBy::kName;         // with `stats`
  StackOrder stacks = StackOrder::kNone;  // instead of a list
  bool args = false;                      // without `stats`: all arguments of each event
  bool wide = false;                      // text: all columns, however long the lines
  ReportFormat format = ReportFormat::kText;
  std::string output;  // empty: standard output
};

struct ExportOptions : PartOptions {
  std::string output;  // compressed if it ends with .gz; empty: standard output
};

struct InfoOptions {
  bool json = false;
  std::string host;  // reads only this host; empty: all
};

struct ReplayOptions : PictureOptions {
  std::string commands_file;
  std::string output;        // picture of the last frame; empty: none
  bool no_pixels = false;    // nothing is rasterised
  bool show_window = false;  // a real window instead of an off-screen one
};

struct ReportOptions : PartOptions, ReportForm {
  bool compat_xprof = false;            // definitions of XProf 2.24
  std::vector<std::string> thresholds;  // of findings, "RULE=VALUE", each known
};

struct ScreenshotOptions : PictureOptions {
  std::string output;
  std::vector<std::string> panels;  // to show beside the default ones; at most one
  TimeRange range;                  // empty: the first view
  std::string select;               // a part of an event's name, or =NAME
};

}  // namespace stepscope
