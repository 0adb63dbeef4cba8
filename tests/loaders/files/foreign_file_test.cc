#include "loaders/files/foreign_file.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using namespace std::string_view_literals;

std::string ContentText(std::string_view prefix) {
  const auto found = ForeignByContent(prefix);
  return found ? found->Text() : std::string();
}

TEST_CASE("What people open by mistake is called by its name, with what to do next") {
  struct Case {
    std::string_view content, name, next;
  };
  const Case cases[] = {
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 77\n",
       "a Git LFS pointer, not the file itself (77 bytes)", "git lfs pull"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:0123\n",
       "a Git LFS pointer, not the file itself", "git lfs pull"},
      {"/annex/objects/SHA256E-s77--ab.json\n", "git-annex", "git annex get"},
      {"\n <!DOCTYPE html>\n<html></html>", "a web page (HTML), not a trace", "download"},
      {"<!-- saved -->\n<HTML>", "a web page", "download"},
      {"<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>", "an error message", "again"},
      {"<?xml version=\"1.0\"?><svg></svg>", "a picture (SVG)", "profile"},
      {"<?xml version=\"1.0\"?><a/>", "XML, no trace", ""},
      {R"({"$schema": "https://www.speedscope.app/file-format-schema.json", "profiles": []})",
       "a speedscope profile (py-spy)", "--format chrometrace"},
      {R"({"nodes":[{"id":1,"callFrame":{}}],"startTime":1})", "JavaScript (.cpuprofile)",
       "Chrome"},
      {R"({"snapshot":{"meta":{"node_fields":[]}}})", "a heap snapshot", "Chrome"},
      {R"({"meta":{"processType":0},"threads":[]})", "Firefox", "profiler.firefox.com"},
      {R"({"cells":[{"cell_type":"code"}]})", "notebook", ""},
      {R"([{"cols":[{"id":"a"}],"rows":[]}])", "(tool data)", "the profile itself is not there"},
      {R"({"byCategory":{},"deviceType":"TPU"})", "(tool data)", "xplane.pb"},
      {R"({"memoryProfilePerAllocator":{}})", "(tool data)", "xplane.pb"},
      {R"({"schema":"1.1.0-chakra.0.0.4","pid":7,"nodes":[]})", "execution trace", "trace.json"},
      {R"({"rocprofiler-sdk-tool":[{}]})", "rocprofv3", "rocpd"},
      {R"({"message":"Not Found","documentation_url":"https://x"})", "error message", "again"},
      {R"({"error":{"code":404}})", "error message", "again"},
      {R"({"step":1,"error":0.5})", "it begins with step, error", ""},
      {R"({"model":"resnet","lr":0.1})", "it begins with model, lr", ""},
      {"\"Name\",\"Calls\"\n\"gemm\",10\n", "a table (CSV), no trace", "trace or database"},
      {"a\tb\n1\t2\n", "a table (CSV), no trace", ""},
      {"main;run;step 12\nmain;run 3\n", "folded stacks", "chrometrace"},
      {"# tracer: nop\n", "ftrace", ""},
      {"import torch\n", "a Python program", "profiler"},
      {"hello\n", "plain text", ""},
      {"----  ----\n Name  Self CPU %\n", "a table of torch.profiler", "export_chrome_trace"},
      {"PK\x03\x04"sv, "a zip archive", "unpack"},
      {"\x89PNG\r\n\x1a\n\0\0"sv, "a picture (PNG)", ""},
      {"%PDF-1.7\n", "a document (PDF)", ""},
      {"\x7f"
       "ELF\x02\x01"sv,
       "ELF", ""},
      {"\x89HDF\r\n\x1a\n"sv, "HDF5", ""},
      {"\x93NUMPY\x01\0"sv, "NumPy", ""},
      {"PAR1\x15\x04"sv, "Parquet", ""},
      {"NVIDIA Tegra Profiler Report 1.\n\x0bLocal"sv, "Nsight Systems", "nsys export"},
      {"NVR\0\x01\0"sv, "Nsight Compute", ""},
      {"PERFILE2\x68\0\0"sv, "perf.data", "perf script"},
      {"\x80\x04\x95\x10\0\0\0\0\0\0\0}\x94.\0"sv, "pickle that is no memory snapshot",
       "_dump_snapshot"},
      {"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x05"sv, "pprof", "go tool pprof"},
      {"\x40\0\0\0\0\0\0\0{\"a\":{}}\0\0"sv, "safetensors", ""},
      {"\xff\xfe"
       "h\0i\0"sv,
       "UTF-16", "UTF-8"},
      {"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv, "zero bytes", "again"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string text = ContentText(c.content);
    CAPTURE(text);
    CHECK(text.find(c.name) != std::string::npos);
    CHECK(text.find(c.next) != std::string::npos);
  }
}

// A zip archive that begins with a file of this name.
std::string Zip(const std::string& first) {
  std::string zip = "PK\x03\x04" + std::string(26, '\0') + first + "bytes";
  zip[26] = static_cast<char>(first.size());
  return zip;
}

TEST_CASE("The first file of a zip archive tells a checkpoint from arrays and other archives") {
  CHECK(ContentText(Zip("archive/data.pkl")).find("torch.save") != std::string::npos);
  CHECK(ContentText(Zip("model/byteorder")).find("torch.save") != std::string::npos);
  CHECK(ContentText(Zip("arr_0.npy")).find(".npz") != std::string::npos);
  CHECK(ContentText(Zip("trace.json")).find("a zip archive: unpack") == 0);
  CHECK(ContentText("PK\x03\x04\x14").find("a zip archive") == 0);  // cut in its first header
}

TEST_CASE("A tar archive and an event file are known by what stands behind their begin") {
  std::string tar = "trace.json" + std::string(502, '\0');
  tar.replace(257, 5, "ustar");
  CHECK(ContentText(tar).find("a tar archive") == 0);
  const std::string event = std::string("\x18\0\0\0\0\0\0\0abcd\x09", 13) + std::string(8, '\1') +
                            "\x1a\x0d" + "brain.Event:2";
  CHECK(ContentText(event).find("TensorBoard's summaries") == 0);
}

TEST_CASE("Profiles are no foreign files") {
  test::XSpaceBuilder space;
  space.Plane("/host:CPU").Line(1, "main").Event("e", 0, 5);
  CHECK(ContentText(space.Bytes()).empty());
  CHECK(ContentText(R"({"schemaVersion":1,"traceEvents":[)").empty());
  CHECK(ContentText(R"([{"ph":"X","name":"a","ts":1)").find("begins with") != std::string::npos);
  CHECK(!ForeignByMagic(R"([{"ph":"X","name":"a","ts":1)"));
  CHECK(!ForeignByMagic("SQLite format 3\0"sv));
  CHECK(ContentText("").empty());
}

TEST_CASE("Names tell files beside profiles, reports of other tools and unfinished downloads") {
  const auto text = [](std::string_view name) {
    const auto found = ForeignByName(name);
    return found ? found->Text() : std::string();
  };
  CHECK(text("vm.overview_page.pb").find("(tool data)") != std::string::npos);
  CHECK(text("vm.op_profile.json").find("(tool data)") != std::string::npos);
  CHECK(text("events.out.tfevents.17.host.7.0.v2").find("without a profile") != std::string::npos);
  CHECK(text("run.ncu-rep").find("Nsight Compute") != std::string::npos);
  CHECK(text("trace.json.crdownload").find("unfinished") != std::string::npos);
  CHECK(text("model.pt").find("torch.save") != std::string::npos);
  for (const char* name : {"trace.json", "rank0.pt.trace.json", "vm.xplane.pb", "a.sqlite",
                           "a.pickle", "a.pftrace", "a.stepscope", "a.rpd", ""})
    CHECK_MESSAGE(text(name).empty(), name);
}

TEST_CASE("Databases of other programs are known by their tables") {
  const std::vector<std::string> snapshot = {"blocks", "device_traces", "segments"};
  const auto found = ForeignDatabase(snapshot);
  REQUIRE(found);
  CHECK(found->Text() ==
        "a memory snapshot as SQLite, not read: use torch.cuda.memory._dump_snapshot");
  const std::vector<std::string> nvprof = {"CUPTI_ACTIVITY_KIND_RUNTIME", "StringTable"};
  REQUIRE(ForeignDatabase(nvprof));
  CHECK(ForeignDatabase(nvprof)->name == "a recording of nvprof");
  const std::vector<std::string> other = {"bookmarks"};
  CHECK(!ForeignDatabase(other));
}

}  // namespace
}  // namespace stepscope
