// Files as people have them: compressed, several at once, with arguments of any shape; also how
// they are recognised, progress, and cancelling.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/loaders/compress.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

TracePtr Load(const std::string& path) {
  Progress progress;
  Result<TracePtr> trace = LoadPath(path, {}, {}, progress);
  REQUIRE_MESSAGE(trace.ok(), trace.status().message());
  return *trace;
}

TEST_CASE("chrome files: plain, gzip of one and of several members, zstd; names do not matter") {
  const TempFolder folder;
  const std::string text = ManyEvents(3 << 20), half = text.substr(0, text.size() / 2),
                    rest = text.substr(half.size());
  const TracePtr plain = Load(folder.Add("a.json", text));
  const std::string expected = Dump(*plain);
  CHECK(plain->counts.slices > 20'000);
  CHECK(plain->inflated_bytes == text.size());
  const std::pair<const char*, std::string> files[] = {
      {"b.json.gz", Gzip(text)},
      {"c.pt.trace.json.gz", Gzip(half) + Gzip(rest)},
      {"d.json.zst", Zstd(text)},
      {"e.json.zst", Zstd(half) + Zstd(rest)},
      {"gzip_by_content.json", Gzip(text)},
      {"no_extension", text}};
  for (const auto& [name, bytes] : files) {
    CAPTURE(name);
    const std::string path = folder.Add(name, bytes);
    const TracePtr trace = Load(path);
    CHECK(Dump(*trace) == expected);
    CHECK(trace->inflated_bytes == text.size());
    CHECK(trace->file_bytes == bytes.size());
    CHECK(trace->diagnostics.problems() == 0);
    // Arguments are read from the kept text, so the file may be removed.
    fs::remove(path);
    CHECK(Arg(*trace, FindEvent(*trace, "op7"), "External id").has_value());
  }
}

TEST_CASE("chrome files: a compressed file that was cut shows what came before") {
  const TempFolder folder;
  const std::string text = ManyEvents(1 << 20);
  for (const std::string& whole :
       {Gzip(text), Zstd(text.substr(0, text.size() / 2)) + Zstd(text.substr(text.size() / 2))}) {
    const TracePtr trace = Load(folder.Add("cut.json", whole.substr(0, whole.size() * 3 / 4)));
    CHECK(trace->counts.slices > 1'000);
    CHECK(DiagnosticCount(*trace, "chrome.truncated_stream") == 1);
    CHECK(trace->diagnostics.problems() > 0);
  }
}

TEST_CASE("chrome files: several files or a folder of ranks open together, one host each") {
  const TempFolder folder;
  std::vector<std::string> paths;
  for (const int rank : {2, 0, 1}) {
    const std::string text = R"({"distributedInfo":{"rank":)" + std::to_string(rank) +
                             R"(},"baseTimeNanoseconds":1751410836000000000,"traceEvents":[)"
                             R"({"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":)" +
                             std::to_string(rank * 10) + R"(,"dur":1,"name":"op"}]})";
    const std::string name = "rank" + std::to_string(rank) + ".json";
    paths.push_back(folder.Add(rank == 1 ? name + ".gz" : name, rank == 1 ? Gzip(text) : text));
  }
  const std::string expected =
      "Host threads / Thread 1 | 0 | 0+1000000 op\n"
      "Host threads / Thread 1 | 0 | 10000000+1000000 op\n"
      "Host threads / Thread 1 | 0 | 20000000+1000000 op\n";
  Progress progress;
  const Result<TracePtr> several = LoadPaths(paths, {}, {}, progress);
  REQUIRE(several.ok());
  const TracePtr all = Load(folder.path());
  for (const TracePtr& trace : {*several, all}) {
    REQUIRE(trace->hosts.size() == 3);
    for (int rank = 0; rank < 3; ++rank)
      CHECK(trace->hosts[static_cast<size_t>(rank)].rank == rank);
    CHECK(Dump(*trace) == expected);
  }
  // A file that cannot be read does not hide the others; one without a base time is reported.
  paths.push_back(folder.Add("broken.json", "{\"traceEvents\": 5}"));
  paths.push_back(folder.Add("old.json", R"([{"ph":"X","pid":1,"tid":1,"ts":5,"name":"x"}])"));
  const Result<TracePtr> mixed = LoadPaths(paths, {}, {}, progress);
  REQUIRE(mixed.ok());
  CHECK((*mixed)->hosts.size() == 4);
  CHECK(DiagnosticCount(**mixed, "chrome.no_common_clock") == 1);
  REQUIRE(!(*mixed)->skipped_files.empty());
  CHECK((*mixed)->skipped_files.front().find("broken.json") != std::string::npos);
}

// The file without Unix time keeps the others from being recordings to choose from.
TEST_CASE("chrome files: files recorded a year from the others begin at 0, nothing is clipped") {
  const TempFolder folder;
  const auto add = [&](const char* name, int64_t unix_s, int64_t us) {
    folder.Add(name, R"({"baseTimeNanoseconds":)" + std::to_string(unix_s) +
                         R"(000000000,"traceEvents":[{"ph":"X","cat":"cpu_op","pid":1,"tid":1,)"
                         R"("ts":)" +
                         std::to_string(us) + R"(,"dur":1,"name":"op"}]})");
  };
  constexpr int64_t kDay = 86'400, kThen = 1'751'410'836;
  add("a.json", kThen - 365 * kDay, 7);
  add("b.json", kThen, 0);
  add("c.json", kThen, 30);
  add("d.json", kThen + 365 * kDay, 9);
  folder.Add("e.json", R"([{"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":9,"dur":1,"name":"op"}])");
  const TracePtr trace = Load(folder.path());
  CHECK(Dump(*trace) ==
        "Host threads / Thread 1 | 0 | 0+1000000 op\n"
        "Host threads / Thread 1 | 0 | 0+1000000 op\n"
        "Host threads / Thread 1 | 0 | 30000000+1000000 op\n"
        "Host threads / Thread 1 | 0 | 0+1000000 op\n"
        "Host threads / Thread 1 | 0 | 9000000+1000000 op\n");
  CHECK(DiagnosticCount(*trace, "chrome.far_away") == 2);
  CHECK(DiagnosticCount(*trace, "time.clipped") == 0);
  CHECK(trace->origin_unix_ns == kThen * 1'000'000'000);
}

TEST_CASE("chrome files: recognised by content") {
  const auto is_chrome = [](std::string_view text) {
    return ChromeLoader().sniff(std::as_bytes(std::span(text.data(), text.size())));
  };
  for (const char* text : {"{\"traceEvents\":[]}", " [\n {\"ph\"", "[]", "{}", "\xef\xbb\xbf[{",
                           "\n\t{ \"schemaVersion\"", "["})
    CHECK_MESSAGE(is_chrome(text), text);
  for (const char* text : {"", "hello", "[1, 2]", "\x0a\x05", "{a", "<html>", "\"x\""})
    CHECK_MESSAGE(!is_chrome(text), text);
}

TEST_CASE("chrome files: arguments of any shape") {
  const auto args = [](const char* value) {
    const TracePtr trace =
        Chrome(R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":1,"name":"a","args":)" +
               std::string(value) + "}]");
    const Result<std::vector<Stat>> stats = trace->source->Decode(*trace, FindEvent(*trace, "a"));
    REQUIRE(stats.ok());
    REQUIRE(trace->source->LoadTyped(*trace, {}).ok());
    std::string text;
    for (const Stat& stat : *stats) {
      if (stat.name != "ph") text += stat.name + "=" + ToText(stat) + ";";
    }
    return text;
  };
  CHECK(args("{}") == "");
  CHECK(args("null") == "args=null;");
  CHECK(args("5") == "args=5;");
  CHECK(args("\"text\"") == "args=text;");
  CHECK(args("[1, {\"a\": [ ] }]") == "args=[1,{\"a\":[]}];");
  CHECK(args(R"({"a":{"b":{"c":1}},"d":[],"e":null,"f":true,"":"x","g":NaN})") ==
        "a.b.c=1;d=[];e=null;f=true;=x;g=nan;");
  CHECK(args(R"({"big":18446744073709551615,"neg":-9223372036854775808,"real":1.0})") ==
        "big=18446744073709551615;neg=-9223372036854775808;real=1;");
  CHECK(args(R"({"a":1,"a":2})") == "a=1;a=2;");
  // Members are shown down to a depth, and below it as compact JSON, without recursion on the
  // input.
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"k\":";
  deep += "1" + std::string(100'000, '}');
  CHECK(args(deep.c_str()).starts_with("k.k.k.k.k.k.k.k.k.k.k.k.k.k.k.k={\"k\":"));
}

TEST_CASE("chrome files: loading tells how far it is and stops when asked") {
  const TempFolder folder;
  const std::string text = ManyEvents(64 << 20), path = folder.Add("large.json.gz", Gzip(text));
  std::stop_source stop;
  Progress progress;
  uint64_t asked = 0;
  bool grew = true;
  std::jthread user([&] {
    uint64_t events = 0, bytes = 0;
    while (progress.events < 20'000) {
      grew = grew && progress.events >= events && progress.bytes_done >= bytes;
      events = progress.events;
      bytes = progress.bytes_done;
      std::this_thread::yield();
    }
    grew = grew && progress.bytes_done > 0 && progress.bytes_done < progress.bytes_total;
    asked = progress.bytes_done;
    stop.request_stop();
  });
  const Result<TracePtr> trace = LoadPath(path, {}, stop.get_token(), progress);
  user.join();
  CHECK(!trace.ok());
  CHECK(trace.status().code() == ErrorCode::kCancelled);
  CHECK(grew);
  CHECK(progress.bytes_done - asked < progress.bytes_total / 4);
  CHECK(progress.bytes_total == fs::file_size(path));
}

}  // namespace
}  // namespace stepscope
