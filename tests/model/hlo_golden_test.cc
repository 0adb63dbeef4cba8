// Compares the pages of HLO programs with XProf 2.24.2's answers (golden/hlo_*.json of the shared
// recordings), value by value, by its definitions; and the base column of the cost model with XLA's
// own analysis of every instruction. Tolerances: sizes, names, texts and counts exactly, rates 1e-6
// (XProf adds them in float32), times 1e-9, texts of 6 digits 1e-5.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "loaders/loader.h"
#include "model/analysis/analysis.h"
#include "model/analysis/xla/hlo_programs.h"
#include "tests/support/golden_comparison.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using test::Comparison;
using test::Json;
using test::RowsOf;
using test::ToJson;
using test::Tolerance;

constexpr double kBytesPerMib = 1 << 20;
constexpr Tolerance kRate{1e-9, 1e-6}, kTime{1e-9, 1e-9}, kSixDigits{1e-9, 1e-5};

Json ReadGolden(const std::string& name) {
  std::ifstream in(test::SharedPath("golden/hlo_" + name + ".json"));
  return in.good() ? Json::parse(in) : Json();
}

// Null where the recording is not there.
std::shared_ptr<const Trace> LoadShared(const std::string& name) {
  const std::string path = test::SharedPath("profiles/" + name);
  if (!std::filesystem::exists(path)) return nullptr;
  Progress progress;
  auto trace = LoadPath(path, {}, {}, progress);
  REQUIRE(trace.ok());
  return *trace;
}

Json PropertyOf(const AnalysisResult& result, const char* id) {
  const Property* p = result.Find(id);
  return p == nullptr ? Json() : ToJson(p->value);
}

void CompareSource(Comparison& c, const std::string& where, const Json& mine, const Json& theirs) {
  const Json& source = theirs["source_info"];
  c.Equal(where + " source", mine["source_info"], source.is_null() ? Json("") : source["at"]);
  if (!source.is_null()) c.Equal(where + " stack", mine["source_stack"], source["stack"]);
}

void CompareStats(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("hlo_stats", compared);
  const Json mine = RowsOf(*context.Get("hlo_stats"), "hlo_stats");
  const Json& theirs = golden["hlo_stats"]["rows"];
  c.Equal("rows", mine.size(), theirs.size());
  for (size_t r = 0; r < std::min(mine.size(), theirs.size()); ++r) {
    const std::string where = theirs[r]["hlo_op_name"];
    for (const auto& [column, value] : theirs[r].items()) {
      if (column == "source_info") continue;
      const bool time = column.ends_with("_time");
      c.Equal(where + " " + column, mine[r].value(column, Json()), value, time ? kTime : kRate);
    }
    CompareSource(c, where, mine[r], theirs[r]);
  }
}

// A node and all that is below it, which our table has depth first.
void CompareNode(Comparison& c, const Json& rows, const Json& node, size_t depth, size_t* next,
                 const std::string& path) {
  const std::string where = path + "/" + node["name"].get<std::string>();
  if (*next >= rows.size()) return c.Equal(where, "no row", "a row");
  const Json& row = rows[(*next)++];
  c.Equal(where + " name", row["name"], node["name"]);
  c.Equal(where + " depth", row["depth"], depth);
  c.Equal(where + " children", row["children"], node["num_children"]);
  const Json& m = node["metrics"];
  const auto equal = [&](const char* ours, const Json& value) {
    c.Equal(where + " " + ours, row[ours], value, {1e-9, 2e-6});
  };
  c.Equal(where + " raw_time", row["raw_time_ps"], m["rawTime"], kTime);
  c.Equal(where + " occurrences", row["occurrences"], m["occurrences"]);
  equal("raw_flops", m["rawFlops"]);
  equal("bf16_flops", m["bf16Flops"]);
  equal("flops", m["flops"]);
  equal("uncapped_flops", m["uncappedFlops"]);
  equal("normalized_time", m["normalizedTimePs"]);
  equal("hbm_utilization", m["bandwidthUtils"][0]);
  equal("on_chip_read_use", m["bandwidthUtils"][1]);
  equal("on_chip_write_use", m["bandwidthUtils"][2]);
  equal("hbm_bytes", m["rawBytesAccessedArray"][0]);
  equal("on_chip_read_bytes", m["rawBytesAccessedArray"][1]);
  equal("on_chip_written_bytes", m["rawBytesAccessedArray"][2]);
  c.Equal(where + " average", row["avg_time"].get<double>() * 1e6, m["avgTimePs"], kTime);
  if (node.contains("xla")) {
    c.Equal(where + " category", row["category"], node["xla"]["category"]);
    c.Equal(where + " program", row["program_id"], node["xla"]["programId"]);
    c.Equal(where + " provenance", row["provenance"], node["xla"]["provenance"]);
  }
  for (const Json& child : node.value("children", Json::array()))
    CompareNode(c, rows, child, depth + 1, next, where);
}

void CompareProfile(AnalysisContext& context, const Json& golden, size_t* compared) {
  if (golden["hlo_stats"]["rows"].empty()) return;  // XProf has a root without children
  Comparison c("hlo_profile", compared);
  const auto ours = context.Get("hlo_profile");
  for (const auto& [grouping, trees] : golden["op_profile"].items()) {
    for (const auto& [name, root] : trees.items()) {
      if (!root.is_object()) continue;
      const bool busy = name.ends_with("ExcludeIdle");
      const Json rows = RowsOf(*ours, "by_" + grouping + (busy ? "_exclude_idle" : ""));
      size_t next = 0;
      CompareNode(c, rows, root, 0, &next, "");
      c.Equal(grouping + " rows", rows.size(), next);
    }
  }
}

void CompareRooflineRows(Comparison& c, const Json& mine, const Json& theirs) {
  c.Equal("rows", mine.size(), theirs.size());
  for (size_t r = 0; r < std::min(mine.size(), theirs.size()); ++r) {
    const std::string where = theirs[r]["operation"];
    for (const auto& [column, value] : theirs[r].items()) {
      if (column == "source_info") continue;
      c.Equal(where + " " + column, mine[r].value(column, Json()), value,
              column.find("time") != column.npos && column.find("percent") == column.npos ? kTime
                                                                                          : kRate);
    }
    CompareSource(c, where, mine[r], theirs[r]);
  }
}

void CompareRoofline(AnalysisContext& context, const Json& golden, size_t* compared) {
  Comparison c("roofline", compared);
  const auto ours = context.Get("roofline");
  const Json& page = golden["roofline_model"];
  CompareRooflineRows(c, RowsOf(*ours, "roofline"), page["rows"]);
  if (page["rows"].empty()) return;
  c.Equal("without feeds", ours->Table("roofline_without_infeed") == nullptr,
          page["rows_without_infeed_outfeed"] == "same");
  for (const auto& [name, text] : page["properties"].items()) {
    const Json mine = PropertyOf(*ours, name.c_str());
    if (mine.is_null()) continue;
    if (mine.is_string()) {
      c.Equal(name, mine, text);
    } else {
      c.Equal(name, mine, std::stod(text.get<std::string>()), kSixDigits);
    }
  }
}

int64_t FromMib(const Json& value) {
  return static_cast<int64_t>(std::llround(value.get<double>() * kBytesPerMib));
}
int64_t FromMib(const Json& object, const char* key) {
  return object.contains(key) ? FromMib(object[key]) : 0;
}
int64_t NumberIn(const Json& object, const char* key) {
  return object.contains(key) ? object[key].get<int64_t>() : 0;
}

void CompareHeap(Comparison& c, const std::string& where, const Json& rows, const Json& theirs) {
  const Json sizes = theirs.value("heapSizes", Json::array());
  c.Equal(where + " points", rows.size(), sizes.size());
  for (size_t i = 0; i < std::min(rows.size(), sizes.size()); ++i) {
    const std::string at = where + " point " + std::to_string(i);
    c.Equal(at, rows[i]["bytes"], FromMib(sizes[i]));
    c.Equal(at + " unpadded", rows[i]["unpadded_bytes"], FromMib(theirs["unpaddedHeapSizes"][i]));
    c.Equal(at + " name", rows[i]["instruction"], theirs["hloInstructionNames"][i]);
  }
}

void ComparePeak(Comparison& c, const std::string& where, const Json& rows, const Json& theirs) {
  std::map<int64_t, Json> mine;
  for (const Json& row : rows) mine[row["buffer"]] = row;
  const Json& buffers = theirs["max_heap_sorted"];
  c.Equal(where + " buffers at peak", mine.size(), buffers.size());
  for (const Json& b : buffers) {
    const int64_t id = NumberIn(b, "logicalBufferId");
    const std::string at = where + " buffer " + std::to_string(id);
    const bool there = mine.contains(id);
    c.Equal(at, there, true);
    if (!there) continue;
    const Json& row = mine[id];
    c.Equal(at + " size", row["bytes"], FromMib(b, "logicalBufferSizeMib"));
    if (id == -1) continue;
    c.Equal(at + " unpadded", row["unpadded_bytes"], FromMib(b, "unpaddedShapeMib"));
    c.Equal(at + " name", row["instruction"], b["instructionName"]);
    c.Equal(at + " group", row["group"], b["groupName"]);
    c.Equal(at + " shape", row["shape"], b["shapeString"]);
    c.Equal(at + " opcode", row["opcode"], b["opCode"]);
    c.Equal(at + " op", row["op_name"], b.value("tfOpName", ""));
    c.Equal(at + " source", row["source"], b["source"]);
  }
}

// Boxes as sorted lists of numbers: XProf's order is that of a hash map.
void CompareBlocks(Comparison& c, const std::string& where, const Json& rows, const Json& theirs) {
  std::vector<std::vector<int64_t>> mine, wanted;
  for (const Json& r : rows) {
    mine.push_back({r["buffer_id"], r["offset"], r["size"], r["first"], r["last"]});
  }
  for (const Json& b : theirs["buffer_blocks_sorted"]) {
    wanted.push_back({NumberIn(b, "logicalBufferId"), NumberIn(b, "offset"), NumberIn(b, "size"),
                      NumberIn(b, "startStep"), NumberIn(b, "endStep")});
  }
  std::sort(mine.begin(), mine.end());
  std::sort(wanted.begin(), wanted.end());
  c.Equal(where + " blocks", mine, wanted);
}

void CompareSpans(Comparison& c, const std::string& where, const Json& rows, const Json& theirs) {
  std::map<std::string, Json> mine;
  for (const Json& r : rows) {
    if (!r["begin_index"].is_null())
      mine[std::to_string(r["buffer"].get<int64_t>())] = Json{r["begin_index"], r["end_index"]};
  }
  c.Equal(where + " spans", Json(mine), theirs.value("logicalBufferSpans", Json::object()));
}

void CompareMemoryPage(Comparison& c, const std::string& where, const AnalysisResult& ours,
                       const Json& theirs) {
  const auto bytes = [&](const char* mine, const char* field) {
    c.Equal(where + " " + field, PropertyOf(ours, mine), FromMib(theirs, field));
  };
  bytes("peak", "peakHeapMib");
  bytes("unpadded_peak", "peakUnpaddedHeapMib");
  bytes("total", "totalBufferAllocationMib");
  bytes("indefinite", "indefiniteBufferAllocationMib");
  bytes("parameters", "entryComputationParametersMib");
  bytes("live_out", "maybeLiveOutMib");
  bytes("non_reusable", "nonReusableMib");
  c.Equal(where + " position", PropertyOf(ours, "peak_position"),
          NumberIn(theirs, "peakHeapSizePosition"));
  if (theirs.contains("maxScopedVmemAllocationMib")) {
    bytes("scoped_vmem", "maxScopedVmemAllocationMib");
    c.Equal(where + " scoped", PropertyOf(ours, "scoped_vmem_instruction"),
            theirs["maxScopedVmemInstructionName"]);
  }
  CompareHeap(c, where, RowsOf(ours, "heap"), theirs);
  ComparePeak(c, where, RowsOf(ours, "at_peak"), theirs);
  CompareBlocks(c, where, RowsOf(ours, "blocks"), theirs);
  CompareSpans(c, where, RowsOf(ours, "buffers"), theirs);
}

void CompareMemory(AnalysisContext& context, const Json& golden, size_t* compared) {
  if (golden["memory_viewer"].is_null()) return;
  Comparison c("hlo_memory", compared);
  for (const auto& [key, theirs] : golden["memory_viewer"].items()) {
    const size_t slash = key.rfind('/');
    AnalysisParams params;
    params.hlo.program = key.substr(0, slash);
    params.hlo.memory_space = std::stoll(key.substr(slash + 1));
    CompareMemoryPage(c, key, *context.Get("hlo_memory", params), theirs);
  }
}

// The line up to what XProf writes in another way. Its parser does not know the newest form of
// replica groups, and prints none.
std::string WithoutOthers(std::string line) {
  const auto cut = [&](const std::string& from) {
    if (const size_t at = line.find(from); at != line.npos) line.resize(at);
  };
  // The configuration of a library call is JSON, which XProf has parsed and written anew.
  if (line.find(" custom-call(") != line.npos) cut(", backend_config=");
  if (const size_t at = line.find(", replica_groups={},"); at != line.npos) line.resize(at);
  return line;
}

void CompareText(Comparison& c, const std::string& where, const Json& rows, const Json& theirs) {
  std::istringstream text(theirs.get<std::string>());
  std::string line;
  size_t i = 0;
  for (; std::getline(text, line); ++i) {
    const std::string wanted = WithoutOthers(line);
    std::string mine = i < rows.size() ? rows[i]["text"].get<std::string>() : "no line";
    mine.resize(std::min(mine.size(), line.size() == wanted.size() ? mine.size() : wanted.size()));
    c.Equal(where + " line " + std::to_string(i + 1), mine, wanted);
  }
  c.Equal(where + " lines", rows.size(), i);
}

std::multiset<std::string> NamesOf(const Json& rows, const char* role) {
  std::multiset<std::string> names;
  for (const Json& row : rows) {
    if (row["role"] == role) names.insert(row["instruction"]);
  }
  return names;
}

void CompareGraph(AnalysisContext& context, const Json& golden, size_t* compared) {
  if (golden["graph_viewer"].is_null()) return;
  Comparison c("hlo_graph", compared);
  for (const auto& [program, page] : golden["graph_viewer"].items()) {
    AnalysisParams params;
    params.hlo.program = program;
    CompareText(c, program, RowsOf(*context.Get("hlo_graph", params), "text"), page["short_txt"]);
    for (const auto& [name, theirs] : page["neighbours"].items()) {
      params.hlo.instruction = name;
      const Json rows = RowsOf(*context.Get("hlo_graph", params), "adjacent");
      const auto set = [&](const char* field) {
        std::multiset<std::string> names;
        for (const Json& n : theirs[field]) names.insert(n);
        return names;
      };
      c.Equal(program + " " + name + " operands", NamesOf(rows, "operand"), set("operand_names"));
      c.Equal(program + " " + name + " users", NamesOf(rows, "user"), set("consumer_names"));
    }
  }
}

// XLA counts in float32: beyond 2^24 the last digits are lost.
Tolerance CostTolerance(double value) {
  return value <= (1 << 24) ? Tolerance{0, 0} : Tolerance{0, 1e-6};
}

void CompareCosts(AnalysisContext& context, const Json& golden, size_t* compared) {
  if (!golden.contains("cost")) return;
  Comparison c("costs", compared);
  const HloPrograms& programs = context.Get<HloPrograms>();
  for (const auto& [name, theirs] : golden["cost"].items()) {
    const auto module = programs.Module(programs.FindByName(name));
    REQUIRE(module);
    const xla::CostModel costs(*module, xla::CostVariant::kBase, 4);
    for (const auto& [instruction, wanted] : theirs["instructions"].items()) {
      const xla::Cost& cost = costs.Of(module->Find(instruction));
      const double values[] = {cost.flops, cost.bytes, cost.transcendentals};
      const char* names[] = {"flops", "bytes", "transcendentals"};
      for (size_t k = 0; k < 3; ++k) {
        const double value = std::max(0.0, wanted[k].get<double>());
        c.Equal(name + " " + instruction + " " + names[k], values[k], value, CostTolerance(value));
      }
    }
    const xla::Cost& total = costs.OfComputation(module->entry);
    const Json& sum = theirs["total"];
    c.Equal(name + " flops", total.flops, sum.value("flops", 0.0), {0, 1e-6});
    c.Equal(name + " bytes", total.bytes, sum.value("bytes accessed", 0.0), {0, 1e-6});
  }
}

// Returns the number of values that were compared; 0 where the recording is not there.
size_t CompareAll(const std::string& name) {
  const auto trace = LoadShared(name);
  const Json golden = ReadGolden(name);
  if (!trace || golden.is_null()) {
    MESSAGE("SKIPPED: the shared recording of " << name << " is not there");
    return 0;
  }
  MESSAGE(name);
  AnalysisContext context(trace, Definitions::kXprof);
  size_t compared = 0;
  CompareStats(context, golden, &compared);
  CompareProfile(context, golden, &compared);
  CompareRoofline(context, golden, &compared);
  CompareMemory(context, golden, &compared);
  CompareGraph(context, golden, &compared);
  CompareCosts(context, golden, &compared);
  return compared;
}

}  // namespace

TEST_CASE("XProf's HLO pages of the shared recordings") {
  const std::pair<const char*, size_t> kValues[] = {
      {"jax_mi300x", 2'754}, {"jax_cpu", 4'551}, {"jax_transformer_cpu", 19'393},
      {"tpu_v6e", 6'072},    {"jax_riegeli", 2}, {"tf_graph", 2},
      {"tf_keras", 2}};
  for (const auto& [name, values] : kValues) {
    CAPTURE(name);
    const size_t compared = CompareAll(name);
    CHECK((compared == 0 || compared == values));
  }
}

}  // namespace stepscope
