#include "loaders/files/foreign_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "loaders/common/json_cursor.h"

namespace stepscope {
namespace {

using namespace std::string_view_literals;
using Kind = ForeignFile::Kind;

constexpr const char* kUnpack = "unpack it and open what is in it";
constexpr const char* kNoProfile = "it is no profile";
constexpr const char* kRecordTorch =
    "torch.profiler's export_chrome_trace(\"trace.json\") writes a trace";
constexpr const char* kToolData =
    "what TensorFlow's profiler has computed from a profile (tool data)";
constexpr const char* kToolDataNext =
    "the profile itself is not there; open the .xplane.pb of the run, or record it again";
constexpr const char* kXprofCache = "a cache of XProf";
constexpr const char* kTensorBoard =
    "TensorBoard's summaries (events.out.tfevents) without a profile";
constexpr const char* kTensorBoardNext =
    "record one with tf.profiler.experimental.start, jax.profiler.trace or Keras' profile_batch, "
    "and "
    "open its folder plugins/profile";
constexpr const char* kNsysReport = "a report that Nsight Systems alone reads";
constexpr const char* kNsysNext = "`nsys export --type sqlite FILE` makes what is read";
constexpr const char* kRunMetadata = "RunMetadata of TensorFlow 1";
constexpr const char* kTimeline =
    "timeline.Timeline(run_metadata.step_stats).generate_chrome_trace_format() writes a trace";
constexpr const char* kNotebook = "a Jupyter notebook";
constexpr const char* kCheckpoint = "a checkpoint of PyTorch (torch.save)";
constexpr const char* kCheckpointNext =
    "it holds tensors, no profile; torch.cuda.memory._dump_snapshot writes a memory snapshot";
constexpr const char* kCpuProfile = "a CPU profile of JavaScript (.cpuprofile)";
constexpr const char* kDevTools = "open it in Chrome's developer tools";
constexpr const char* kPprof = "a profile of pprof";
constexpr const char* kPprofNext = "`go tool pprof -http=: FILE` shows it";
constexpr const char* kPerfNext =
    "it is not read; `perf script` lists its samples, and Firefox Profiler shows them";
constexpr const char* kNcu = "a report of Nsight Compute";
constexpr const char* kNcuNext =
    "Nsight Compute shows it; `nsys profile` with `nsys export --type sqlite` makes what is read";

struct Magic {
  size_t at;
  std::string_view bytes;
  const char *name, *next;
};
constexpr Magic kMagics[] = {
    {0, "NVIDIA Tegra Profiler Report "sv, kNsysReport, kNsysNext},
    {0, "NVR\0"sv, kNcu, kNcuNext},
    {0, "PERFILE2"sv, "a recording of Linux perf (perf.data)", kPerfNext},
    {0, "2ELIFREP"sv, "a recording of Linux perf (perf.data)", kPerfNext},
    {0, "\x17\x08\x44tracing"sv, "a recording of trace-cmd (trace.dat)", "KernelShark shows it"},
    {0, "\x89HDF\r\n\x1a\n"sv, "data in HDF5", kNoProfile},
    {0, "\x93NUMPY"sv, "an array of NumPy (.npy)", kNoProfile},
    {0, "PAR1"sv, "a table (Parquet)", "open the profile that it was made from"},
    {0, "ARROW1\0\0"sv, "a table (Arrow)", "open the profile that it was made from"},
    {0, "Obj\x01"sv, "data in Avro", kNoProfile},
    {0, "GGUF"sv, "a model (GGUF)", kNoProfile},
    {0,
     "\x7f"
     "ELF"sv,
     "a program or library (ELF)", "record a profile while it runs"},
    {0, "\xcf\xfa\xed\xfe"sv, "a program or library (Mach-O)", "record a profile while it runs"},
    {0, "\xca\xfe\xba\xbe"sv, "a program or library (Mach-O, Java)",
     "record a profile while it runs"},
    {0, "\x89PNG\r\n\x1a\n"sv, "a picture (PNG)", "open the profile that it shows"},
    {0, "\xff\xd8\xff"sv, "a picture (JPEG)", "open the profile that it shows"},
    {0, "GIF8"sv, "a picture (GIF)", "open the profile that it shows"},
    {8, "WEBP"sv, "a picture (WebP)", "open the profile that it shows"},
    {0, "%PDF-"sv, "a document (PDF)", "open the profile that it is about"},
    {4, "ftyp"sv, "a video", "open the profile that it shows"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "a 7z archive", kUnpack},
    {0, "Rar!\x1a\x07"sv, "a RAR archive", kUnpack},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     "an xz file", "unpack it with `unxz` and open what comes out"},
    {0, "BZh"sv, "a bzip2 file", "unpack it with `bunzip2` and open what comes out"},
    {0, "\x04\x22\x4d\x18"sv, "an lz4 file", "unpack it with `unlz4` and open what comes out"},
    {0, "!<arch>\n"sv, "an archive of objects (ar)", kNoProfile},
    {257, "ustar"sv, "a tar archive", kUnpack},
    {0, "FLR\0"sv, "a recording of Java Flight Recorder", "JDK Mission Control shows it"},
    {0, "memray"sv, "a recording of memray", "`memray flamegraph FILE` shows it"},
    {0, "go 1."sv, "a trace of a Go program", "`go tool trace FILE` shows it"},
    {0, "tracy\0"sv, "a recording of Tracy", "Tracy's viewer shows it"},
    {0, "tlZ\x04"sv, "a recording of Tracy", "Tracy's viewer shows it"},
    {0, "OTF2"sv, "a trace in OTF2",
     "record it as rocpd or Perfetto (rocprofv3 --output-format pftrace)"},
};

struct Ending {
  std::string_view text;  // the name ends with it; one that ends with a dot may stand anywhere
  const char *name, *next;
};
constexpr Ending kBesideProfiles[] = {
    {"perfetto_trace.json", "a copy of the trace for the Perfetto UI", ""},
    {"execution_details.json", "the list of the captured graphs beside it", ""},
    {".memory_profile.json", kToolData, kToolDataNext},
    {".op_profile.json", kToolData, kToolDataNext},
    {".input_pipeline.json", kToolData, kToolDataNext},
    {".overview_page.json", kToolData, kToolDataNext},
    {".tensorflow_stats.json", kToolData, kToolDataNext},
    {".framework_op_stats.json", kToolData, kToolDataNext},
    {".kernel_stats.json", kToolData, kToolDataNext},
    {".pod_viewer.json", kToolData, kToolDataNext},
    {".memory_viewer.json", kToolData, kToolDataNext},
    {".roofline_model.json", kToolData, kToolDataNext},
    {".input_pipeline.pb", kToolData, kToolDataNext},
    {".overview_page.pb", kToolData, kToolDataNext},
    {".tensorflow_stats.pb", kToolData, kToolDataNext},
    {".kernel_stats.pb", kToolData, kToolDataNext},
    {".pod_viewer.pb", kToolData, kToolDataNext},
    {".roofline_model.pb", kToolData, kToolDataNext},
    {".op_profile.pb", kToolData, kToolDataNext},
    {".op_stats.pb", kXprofCache, kToolDataNext},
    {".op_stats_v2.pb", kXprofCache, kToolDataNext},
    {".dcn_collective_stats.pb", kXprofCache, kToolDataNext},
    {".smart_suggestion.pb", kXprofCache, kToolDataNext},
    {".SSTABLE", kXprofCache, kToolDataNext},
    {"cache_version.txt", kXprofCache, kToolDataNext},
    {".hlo_proto.pb", "an HLO module that XProf unpacked", kToolDataNext},
    {".tfevents.", kTensorBoard, kTensorBoardNext},
    {".nsys-rep", kNsysReport, kNsysNext},
    {".qdrep", kNsysReport, kNsysNext},
};
constexpr Ending kEndings[] = {
    // Reports of other tools.
    {"profile.context", "a profile of tfprof", "record it again with tf.profiler.experimental"},
    {"run_metadata", kRunMetadata, kTimeline},
    {"run_metadata.pb", kRunMetadata, kTimeline},
    {".qdstrm", "a recording that Nsight Systems has not finished",
     "QdstrmImporter makes an .nsys-rep, and `nsys export --type sqlite` makes what is read"},
    {".ncu-rep", kNcu, kNcuNext},
    {".nvvp", "a recording of nvprof", kNsysNext},
    {".nvprof", "a recording of nvprof", kNsysNext},
    {".pprof", kPprof, kPprofNext},
    {".prof", "a profile of cProfile or pprof", "`python3 -m pstats FILE` or pprof shows it"},
    {".pstats", "a profile of cProfile", "`python3 -m pstats FILE` shows it"},
    {"perf.data", "a recording of Linux perf (perf.data)", kPerfNext},
    {".cpuprofile", kCpuProfile, kDevTools},
    {".heapsnapshot", "a heap snapshot of JavaScript", kDevTools},
    {".heapprofile", "a heap profile of JavaScript", kDevTools},
    {".otf2", "a trace in OTF2", "record it as rocpd or Perfetto"},
    {".tracy", "a recording of Tracy", "Tracy's viewer shows it"},
    {".ntff", "a profile of AWS Neuron", "neuron-profile shows it"},
    {".etl", "a recording of Windows (ETW)", "Windows Performance Analyzer shows it"},
    {".jfr", "a recording of Java Flight Recorder", "JDK Mission Control shows it"},
    {".folded", "folded stacks of a flame graph", kNoProfile},
    // Parts of downloads.
    {".crdownload", "an unfinished download", "wait for its end, or download it again"},
    {".part", "an unfinished download", "wait for its end, or download it again"},
    {".partial", "an unfinished download", "wait for its end, or download it again"},
    // Models and data.
    {".pt", kCheckpoint, kCheckpointNext},
    {".pth", kCheckpoint, kCheckpointNext},
    {".ckpt", "a checkpoint", kCheckpointNext},
    {".safetensors", "tensors (safetensors)", kNoProfile},
    {".onnx", "a model (ONNX)", "onnxruntime's enable_profiling writes a trace"},
    {".tflite", "a model (TensorFlow Lite)", kNoProfile},
    {".h5", "data in HDF5", kNoProfile},
    {".tfrecord", "records of TensorFlow", kNoProfile},
    {".ipynb", kNotebook, "open the trace that it reads"},
    {".pbtxt", "a message of Protocol Buffers as text", kNoProfile},
    {".csv", "a table (CSV), no trace", "open the trace or database that the tool wrote beside it"},
    {".tsv", "a table (TSV), no trace", "open the trace or database that the tool wrote beside it"},
    {".yaml", "a configuration (YAML), no trace", kNoProfile},
    {".yml", "a configuration (YAML), no trace", kNoProfile},
    {".toml", "a configuration (TOML), no trace", kNoProfile},
    {".xml", "XML, no trace", kNoProfile},
    {".html", "a web page (HTML), not a trace", "open the trace that it was made from"},
    {".svg", "a picture (SVG), such as a flame graph", "open the profile that it was made from"},
    {".py", "a Python program", "run it with a profiler and open what that writes"},
};

// JSON is known by keys of its first object. `text` stands somewhere in it, too.
struct Keys {
  std::array<std::string_view, 2> keys;  // an empty one: any
  std::string_view text;
  const char *name, *next;
  Kind kind = Kind::kOther;
};
constexpr Keys kKeys[] = {
    {{"$schema", ""},
     "speedscope",
     "a speedscope profile (py-spy), which is not read",
     "`py-spy record --format chrometrace` writes a trace"},
    {{"profiles", "shared"},
     "frames",
     "a speedscope profile (py-spy), which is not read",
     "`py-spy record --format chrometrace` writes a trace"},
    {{"nodes", ""}, "\"callFrame\"", kCpuProfile, kDevTools},
    {{"head", ""}, "\"callFrame\"", "a heap profile of JavaScript", kDevTools},
    {{"snapshot", ""}, "\"node_fields\"", "a heap snapshot of JavaScript", kDevTools},
    {{"meta", ""},
     "preprocessedProfileVersion",
     "a profile of Firefox Profiler",
     "profiler.firefox.com shows it"},
    {{"meta", ""},
     "\"processType\"",
     "a profile of Firefox Profiler",
     "profiler.firefox.com shows it"},
    {{"cells", ""}, "\"cell_type\"", kNotebook, "open the trace that it reads"},
    {{"nbformat", ""}, "", kNotebook, "open the trace that it reads"},
    {{"cols", ""}, "", kToolData, kToolDataNext},
    {{"byCategory", ""}, "", kToolData, kToolDataNext},
    {{"byProgram", ""}, "", kToolData, kToolDataNext},
    {{"byCategoryExcludeIdle", ""}, "", kToolData, kToolDataNext},
    {{"byProgramExcludeIdle", ""}, "", kToolData, kToolDataNext},
    {{"memoryProfilePerAllocator", ""}, "", kToolData, kToolDataNext},
    {{"memoryIds", ""}, "", kToolData, kToolDataNext},
    {{"rocprofiler-sdk-tool", ""},
     "",
     "JSON of rocprofv3, which is not read",
     "record with `rocprofv3 --output-format rocpd` or `pftrace`"},
    {{"schema", "nodes"},
     "",
     "an execution trace of PyTorch (Chakra), which has no times",
     kRecordTorch},
    {{"resourceSpans", ""}, "", "traces of OpenTelemetry", kNoProfile},
    {{"data", ""}, "\"traceID\"", "traces of Jaeger", kNoProfile},
    {{"log", ""}, "\"entries\"", "an HTTP archive (HAR)", kDevTools},
    {{"constants", "events"}, "", "a network log of Chrome (NetLog)", "netlog-viewer shows it"},
    {{"context", "benchmarks"}, "", "results of Google Benchmark", kNoProfile},
    {{"__metadata__", ""}, "", "tensors (safetensors)", kNoProfile},
    {{"message", "documentation_url"},
     "",
     "an error message of a server, not the file",
     "download the file again",
     Kind::kInstead},
};

// A file that begins with such text.
struct Opening {
  std::string_view text;
  const char *name, *next;
  Kind kind = Kind::kOther;
};
constexpr Opening kOpenings[] = {
    {"/annex/objects/", "a pointer of git-annex, not the file itself", "run `git annex get`",
     Kind::kInstead},
    {"../.git/annex/", "a pointer of git-annex, not the file itself", "run `git annex get`",
     Kind::kInstead},
    {"outs:\n- md5:", "a pointer of DVC, not the file itself", "run `dvc pull`", Kind::kInstead},
    {"# tracer:", "a trace of Linux' ftrace as text", "Perfetto's UI shows it"},
    {"HloModule ", "an HLO module as text", "record a profile while it runs"},
    {"module @", "a module of MLIR", "record a profile while it runs"},
    {"digraph", "a graph (Graphviz)", kNoProfile},
    {"step_stats {", kRunMetadata, kTimeline},
    {"node {", "a graph of TensorFlow as text", "record a profile while it runs"},
    {"#!", "a script", "run it with a profiler and open what that writes"},
    {"import ", "a Python program", "run it with a profiler and open what that writes"},
    {"from __future__", "a Python program", "run it with a profiler and open what that writes"},
    {"---\n", "a configuration (YAML), no trace", kNoProfile},
    {"%YAML", "a configuration (YAML), no trace", kNoProfile},
};

struct Tables {
  std::array<std::string_view, 3> tables;  // an empty one: any
  const char *name, *next;
};
constexpr Tables kDatabases[] = {
    {{"segments", "blocks", "device_traces"},
     "a memory snapshot as SQLite, not read",
     "use torch.cuda.memory._dump_snapshot"},
    {{"CUPTI_ACTIVITY_KIND_DRIVER", "StringTable", ""}, "a recording of nvprof", kNsysNext},
    {{"CUPTI_ACTIVITY_KIND_RUNTIME", "StringTable", ""}, "a recording of nvprof", kNsysNext},
    {{"selected_events", "comms", "samples"}, "samples of Linux perf as SQLite", kPerfNext},
    {{"thread_track", "slice", ""},
     "a database of Perfetto's trace_processor",
     "open the trace that it was made from"},
    {{"moz_places", "", ""}, "a browser's history", kNoProfile},
    {{"experiments", "runs", "metrics"}, "experiments of MLflow", kNoProfile},
    {{"studies", "trials", ""}, "studies of Optuna", kNoProfile},
};

template <typename Row>
ForeignFile FileOf(const Row& row, Kind kind = Kind::kOther) {
  return {row.name, row.next, kind};
}

bool IsText(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](unsigned char c) {
    return c >= ' ' ? c != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

std::string_view WithoutBlanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at == text.npos ? std::string_view() : text.substr(at);
}

bool BeginsLike(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

// The name of the first file in a zip archive.
std::string_view FirstInZip(std::string_view zip) {
  constexpr size_t kName = 30, kLength = 26;
  if (zip.size() < kName) return {};
  const auto byte = [&](size_t at) { return static_cast<unsigned char>(zip[at]); };
  return zip.substr(kName, byte(kLength) + 256u * byte(kLength + 1));
}

ForeignFile ZipFile(std::string_view zip) {
  const std::string_view first = FirstInZip(zip);
  const auto has = [&](std::string_view text) { return first.find(text) != first.npos; };
  if (has("/data.pkl") || has("/.format_version") || has("/byteorder") || has("/version"))
    return {kCheckpoint, kCheckpointNext};
  if (first.ends_with(".npy")) return {"arrays of NumPy (.npz)", kNoProfile};
  if (has("[Content_Types].xml")) return {"a document of an office program", kNoProfile};
  if (has("META-INF/")) return {"a Java archive", kNoProfile};
  return {"a zip archive", kUnpack};
}

ForeignFile LfsPointer(std::string_view text) {
  std::string size;
  const size_t at = text.find("\nsize ");
  if (at != text.npos) {
    for (size_t i = at + 6; i < text.size() && i < at + 26 && std::isdigit(text[i]) != 0; ++i)
      size += text[i];
  }
  if (!size.empty()) size = " (" + size + " bytes)";
  return {"a Git LFS pointer, not the file itself" + size, "run `git lfs pull`", Kind::kInstead};
}

std::optional<ForeignFile> MarkupFile(std::string_view text) {
  while (text.starts_with("<!--")) {
    const size_t end = text.find("-->");
    if (end == text.npos) break;
    text = WithoutBlanks(text.substr(end + 3));
  }
  for (const std::string_view tag : {"<!doctype html", "<html", "<head", "<body", "<script"}) {
    if (BeginsLike(text, tag))
      return ForeignFile{"a web page (HTML), not a trace", "download the file itself",
                         Kind::kInstead};
  }
  if (!text.starts_with("<?xml") && !BeginsLike(text, "<!doctype") && !text.starts_with("<svg") &&
      !text.starts_with("<Error>"))
    return std::nullopt;
  if (text.find("<svg") != text.npos)
    return ForeignFile{"a picture (SVG), such as a flame graph",
                       "open the profile that it was made from"};
  if (text.find("<Error>") != text.npos)
    return ForeignFile{"an error message of a server (XML), not the file",
                       "download the file again", Kind::kInstead};
  return ForeignFile{"XML, no trace", kNoProfile};
}

// Keys of the object, or of the first object of a list, as far as it is there.
std::vector<std::string_view> FirstKeys(std::string_view text) {
  json::Cursor at(text.data(), text.data() + text.size());
  while (at.peek() == '[') {
    at.Advance();
    at.SkipSpace();
  }
  std::vector<std::string_view> keys;
  constexpr size_t kMost = 64;
  json::PassMembers(&at, [&](std::string_view key, json::Cursor* value) {
    keys.push_back(key);
    std::string_view token;
    return keys.size() < kMost && value->Value(&token);
  });
  return keys;
}

std::optional<ForeignFile> JsonFile(std::string_view text) {
  const std::vector<std::string_view> keys = FirstKeys(text);
  const auto has = [&](std::string_view key) {
    return key.empty() || std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  if (has("traceEvents")) return std::nullopt;
  constexpr size_t kMostOfError = 3;
  if (!keys.empty() && keys.front() == "error" && keys.size() <= kMostOfError)
    return ForeignFile{"an error message of a server, not the file", "download the file again",
                       Kind::kInstead};
  for (const Keys& row : kKeys) {
    if (has(row.keys[0]) && has(row.keys[1]) && text.find(row.text) != text.npos)
      return FileOf(row, row.kind);
  }
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(3, keys.size()); ++i)
    names += (i > 0 ? ", " : "") + std::string(keys[i].substr(0, 40));
  if (names.empty()) return std::nullopt;
  return ForeignFile{
      "JSON without a list of trace events (\"traceEvents\" or an array); it begins "
      "with " +
          names,
      "", Kind::kGeneral};
}

// The separators of a line that stand outside of quotes.
size_t CountOutsideQuotes(std::string_view line, char separator) {
  bool quoted = false;
  size_t count = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    count += !quoted && c == separator;
  }
  return count;
}

std::vector<std::string_view> FirstLines(std::string_view text, size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "main;run;step 12"
bool IsFoldedStack(std::string_view line) {
  const size_t space = line.rfind(' ');
  return space != line.npos && space + 1 < line.size() &&
         line.substr(0, space).find(';') != line.npos &&
         std::all_of(line.begin() + static_cast<std::ptrdiff_t>(space) + 1, line.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::optional<ForeignFile> TableFile(std::string_view text) {
  const std::vector<std::string_view> lines = FirstLines(text, 4);
  if (lines.size() >= 2 && IsFoldedStack(lines[0]) && IsFoldedStack(lines[1]))
    return ForeignFile{"folded stacks of a flame graph",
                       "`py-spy record --format chrometrace` writes a trace"};
  for (const char separator : {',', '\t', ';'}) {
    const size_t columns = lines.empty() ? 0 : CountOutsideQuotes(lines[0], separator);
    const bool same = std::all_of(lines.begin(), lines.end(), [&](std::string_view line) {
      return CountOutsideQuotes(line, separator) == columns;
    });
    if (columns > 0 && same && lines.size() >= 2)
      return ForeignFile{"a table (CSV), no trace",
                         "open the trace or database that the tool wrote beside it"};
  }
  return std::nullopt;
}

std::optional<ForeignFile> TextFile(std::string_view text) {
  if (text.starts_with("version https://git-lfs") || text.starts_with("version https://hawser"))
    return LfsPointer(text);
  if (text.starts_with('<')) return MarkupFile(text);
  if (text.starts_with('{') || text.starts_with('[')) return JsonFile(text);
  for (const Opening& row : kOpenings) {
    if (text.starts_with(row.text)) return FileOf(row, row.kind);
  }
  if (text.find("Self CPU %") != text.npos)
    return ForeignFile{"a table of torch.profiler as text", kRecordTorch};
  if (text.find("NVPROF is profiling") != text.npos || text.starts_with("======== "))
    return ForeignFile{"what nvprof prints", kNsysNext};
  if (std::optional<ForeignFile> table = TableFile(text)) return table;
  return ForeignFile{"plain text", "", Kind::kGeneral};
}

// A record of TensorBoard: length, checksum, then an event that begins with its time.
bool IsEventFile(std::string_view bytes) {
  return bytes.size() > 12 && bytes.substr(2, 6) == "\0\0\0\0\0\0"sv && bytes[12] == '\x09' &&
         bytes.substr(0, 64).find("brain.Event:") != bytes.npos;
}

// A map of types to units is what a profile of pprof begins with.
bool IsPprof(std::string_view bytes) {
  return bytes.size() > 8 && bytes[0] == '\x0a' && bytes[1] == 4 && bytes[2] == 8 &&
         bytes[4] == 16 && bytes[6] == '\x0a';
}

std::optional<ForeignFile> BinaryFile(std::string_view bytes) {
  constexpr std::string_view kOldCheckpoint = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19."sv;
  if (bytes.starts_with(kOldCheckpoint)) return ForeignFile{kCheckpoint, kCheckpointNext};
  if (bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5)
    return ForeignFile{"a Python pickle that is no memory snapshot",
                       "torch.cuda.memory._dump_snapshot writes a memory snapshot", Kind::kGeneral};
  if (IsEventFile(bytes)) return ForeignFile{kTensorBoard, kTensorBoardNext};
  if (IsPprof(bytes)) return ForeignFile{kPprof, kPprofNext};
  if (bytes.size() > 10 && bytes.substr(3, 6) == "\0\0\0\0\0{"sv)
    return ForeignFile{"tensors (safetensors)", kNoProfile};
  if (bytes.size() >= 16 && bytes.find_first_not_of('\0') == bytes.npos)
    return ForeignFile{"a file of zero bytes only: its content was not written",
                       "copy or download it again", Kind::kInstead};
  return std::nullopt;
}

}  // namespace

std::optional<ForeignFile> ForeignByMagic(std::string_view prefix) {
  if (prefix.starts_with("PK\x03\x04") || prefix.starts_with("PK\x05\x06")) return ZipFile(prefix);
  for (const Magic& row : kMagics) {
    if (prefix.size() > row.at && prefix.substr(row.at).starts_with(row.bytes)) return FileOf(row);
  }
  return std::nullopt;
}

std::optional<ForeignFile> ForeignByContent(std::string_view prefix) {
  if (prefix.starts_with("\xff\xfe"sv) || prefix.starts_with("\xfe\xff"sv))
    return ForeignFile{"UTF-16 text", "save it as UTF-8"};
  if (std::optional<ForeignFile> found = ForeignByMagic(prefix)) return found;
  const std::string_view text = WithoutBlanks(prefix);
  if (!text.empty() && IsText(prefix)) return TextFile(text);
  return BinaryFile(prefix);
}

std::optional<ForeignFile> ForeignByName(std::string_view name) {
  const auto fits = [&](const Ending& row) {
    return row.text.ends_with('.') ? name.find(row.text) != name.npos : name.ends_with(row.text);
  };
  for (const Ending& row : kBesideProfiles) {
    if (fits(row)) return FileOf(row, Kind::kBeside);
  }
  for (const Ending& row : kEndings) {
    if (fits(row)) return FileOf(row);
  }
  return std::nullopt;
}

std::optional<ForeignFile> ForeignDatabase(std::span<const std::string> tables) {
  const auto has = [&](std::string_view table) {
    return table.empty() || std::find(tables.begin(), tables.end(), table) != tables.end();
  };
  for (const Tables& row : kDatabases) {
    if (std::all_of(row.tables.begin(), row.tables.end(), has)) return FileOf(row);
  }
  return std::nullopt;
}

}  // namespace stepscope
