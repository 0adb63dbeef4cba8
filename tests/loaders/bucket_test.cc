// Addresses of buckets, read by programs that stand for the user's tools.
#include "loaders/bucket.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/loaders/chrome_json/chrome_folder.h"
#include "tests/support/source_paths.h"
#include "tests/support/trace_difference.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

// Tools in PATH that read the folder `bucket` instead of a bucket of that name.
class Tools {
 public:
  Tools() : path_(::getenv("PATH")) {
    fs::create_directories(bin());
    fs::create_directories(bucket());
    Add("aws", R"sh(key=$(echo "$4" | cut -c6-)
case "$2" in
cp) cat "$ROOT/$key";;
ls) cd "$ROOT"; find bucket -type f | grep "^$key" | while read -r f; do
    echo "2026-11-25 10:00:00 $(wc -c <"$f") $(echo "$f" | cut -c8-)"; done;;
esac)sh");
    Add("gcloud", R"sh(case "$2" in
cat) cat "$ROOT/$(echo "$3" | cut -c6-)";;
ls) cd "$ROOT"; find "$(echo "$4" | cut -c6- | tr -d '*')" -type f | while read -r f; do
    echo "$(wc -c <"$f")  2026-11-25T10:00:00Z  gs://$f"; done
  echo "TOTAL: 3 objects, 10 bytes (10B)";;
esac)sh");
    Add("curl", R"sh(for url; do :; done; cat "$ROOT/$(echo "$url" | cut -c9-)")sh");
    ::setenv("PATH", (bin().string() + ":" + path_).c_str(), 1);
    ::setenv("ROOT", folder_.path().c_str(), 1);
  }
  ~Tools() { ::setenv("PATH", path_.c_str(), 1); }

  fs::path bucket() const { return fs::path(folder_.path()) / "bucket"; }
  fs::path bin() const { return fs::path(folder_.path()) / "bin"; }
  void Put(const char* sample, const std::string& key) const {
    fs::create_directories((bucket() / key).parent_path());
    fs::copy_file(test::SourcePath("tests/data/") + sample, bucket() / key);
  }
  void Add(const char* name, const std::string& script) const {
    std::ofstream(bin() / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(bin() / name, fs::perms::owner_all);
  }

 private:
  TempFolder folder_;
  std::string path_;
};

Result<std::shared_ptr<const Trace>> LoadAddress(const std::string& address,
                                                 const LoadOptions& options = {},
                                                 std::vector<std::string>* runs = nullptr) {
  Progress progress;
  return LoadPath(address, options, {}, progress, runs);
}

constexpr const char* kRun = "logs/plugins/profile/2026_11_25";

TEST_CASE("A file in a bucket is the same profile as on the disk") {
  const Tools tools;
  tools.Put("jax_cpu.xplane.pb.zst", "a b/jax.xplane.pb.zst");
  const auto near = LoadAddress(test::SourcePath("tests/data/jax_cpu.xplane.pb.zst"));
  REQUIRE(near.ok());
  for (const char* scheme : {"s3", "gs", "https"}) {
    const std::string address = std::string(scheme) + "://bucket/a b/jax.xplane.pb.zst";
    CAPTURE(address);
    std::vector<std::string> runs;
    const auto far = LoadAddress(address, {}, &runs);
    REQUIRE_MESSAGE(far.ok(), far.status().message());
    CHECK((*far)->path == address);
    CHECK((*far)->set.rows == (*near)->set.rows);
    CHECK((*far)->span == (*near)->span);
    CHECK(runs == std::vector<std::string>{"jax.xplane.pb.zst"});
  }
}

TEST_CASE("A log directory in a bucket lists its runs, and the newest or a named one is read") {
  const Tools tools;
  tools.Put("jax_cpu.xplane.pb.zst", std::string(kRun) + "/vm.xplane.pb.zst");
  tools.Put("tf_keras.xplane.pb.zst", "logs/plugins/profile/2026_11_24/vm.xplane.pb.zst");
  std::ofstream(tools.bucket() / kRun / "other.xplane.pb");  // empty: nothing was recorded
  std::ofstream(tools.bucket() / "logs/events.out.tfevents") << "x";
  for (const char* scheme : {"s3", "gs"}) {
    for (const char* folder : {"logs", "logs/"}) {
      const std::string address = std::string(scheme) + "://bucket/" + folder;
      CAPTURE(address);
      std::vector<std::string> runs;
      const auto newest = LoadAddress(address, {}, &runs);
      REQUIRE_MESSAGE(newest.ok(), newest.status().message());
      CHECK(runs == std::vector<std::string>{"2026_11_25", "2026_11_24"});
      CHECK((*newest)->run == "2026_11_25");
      CHECK((*newest)->hosts.size() == 1);
      const auto named = LoadAddress(address, {.run = "2026_11_24"});
      REQUIRE(named.ok());
      CHECK((*named)->run == "2026_11_24");
      CHECK((*named)->set.rows != (*newest)->set.rows);
      const auto unknown = LoadAddress(address, {.run = "2026"});
      CHECK(unknown.status().code() == ErrorCode::kUsage);
      CHECK(unknown.status().message().find("2026_11_24") != std::string::npos);
    }
  }
}

TEST_CASE("Only the files of the host that is asked for come") {
  const Tools tools;
  tools.Put("jax_cpu.xplane.pb.zst", std::string(kRun) + "/a.xplane.pb.zst");
  std::ofstream(tools.bucket() / kRun / "b.xplane.pb.zst") << "damaged";
  const auto a = LoadAddress("s3://bucket/logs", {.host = "a"});
  REQUIRE_MESSAGE(a.ok(), a.status().message());
  CHECK((*a)->hosts.size() == 1);
  const auto none = LoadAddress("s3://bucket/logs", {.host = "c"});
  CHECK(none.status().code() == ErrorCode::kUsage);
}

TEST_CASE("Without a host that is asked for, the files of all of them come") {
  const Tools tools;
  tools.Put("jax_cpu.xplane.pb.zst", std::string(kRun) + "/a.xplane.pb.zst");
  tools.Put("tf_graph.xplane.pb.zst", std::string(kRun) + "/.xplane.pb.zst");  // of no host
  const auto all = LoadAddress("s3://bucket/logs");
  REQUIRE_MESSAGE(all.ok(), all.status().message());
  CHECK((*all)->hosts.size() == 2);
}

TEST_CASE("What fails is one line that names the address") {
  const Tools tools;
  tools.Put("jax_cpu.xplane.pb.zst", "jax.xplane.pb.zst");
  const auto error = [](const std::string& address, const LoadOptions& options = {}) {
    const auto trace = LoadAddress(address, options);
    REQUIRE_FALSE(trace.ok());
    CHECK(trace.status().message().find(address) != std::string::npos);
    CHECK(trace.status().message().find('\n') == std::string::npos);
    return trace.status();
  };
  CHECK(error("s3://bucket/missing.xplane.pb").code() == ErrorCode::kIo);
  CHECK(error("gs://bucket/empty").code() == ErrorCode::kFormat);
  CHECK(error("s3://bucket/jax.xplane.pb.zst", {.max_inflated_bytes = 1000}).code() ==
        ErrorCode::kLimit);
  tools.Add("aws", "echo first >&2; echo 'Unable to locate credentials' >&2; exit 255");
  CHECK(error("s3://bucket/jax.xplane.pb.zst").message() ==
        "s3://bucket/jax.xplane.pb.zst: Unable to locate credentials");
  tools.Add("aws", "exit 7");
  CHECK(error("s3://bucket/x").message() == "s3://bucket/x: aws failed, with status 7");
  ::setenv("PATH", tools.bin().c_str(), 1);
  fs::remove(tools.bin() / "gcloud");
  CHECK(error("gs://bucket/x.xplane.pb").message().find("gcloud") != std::string::npos);
}

TEST_CASE("A read is stopped within a moment, and its tool ends") {
  const Tools tools;
  tools.Add("curl", "sleep 60");
  std::stop_source stop;
  stop.request_stop();
  Progress progress;
  const auto trace = LoadPath("https://host/x.xplane.pb", {}, stop.get_token(), progress);
  CHECK(trace.status().code() == ErrorCode::kCancelled);
}

TEST_CASE("Lists of files are read as the tools print them") {
  const auto aws =
      FilesOfListing("s3://bucket/logs",
                     "2026-11-25 10:00:00       1234 logs/plugins/profile/r/a b.xplane.pb\r\n"
                     "2026-11-25 10:00:00          0 logs/\n"
                     "2026-11-25 10:00:00         17 other/x.xplane.pb\nnonsense\n\n"
                     "2026-11-25 10:00:00          5 logs/y");
  REQUIRE(aws.size() == 2);
  CHECK(aws[0].path == "plugins/profile/r/a b.xplane.pb");
  CHECK(aws[0].bytes == 1234);
  CHECK(aws[1].path == "y");
  CHECK(aws[1].bytes == 5);
  const auto gcloud =
      FilesOfListing("gs://bucket/logs/",
                     "     99  2026-11-25T10:00:00Z  gs://bucket/logs/r/a.xplane.pb\n"
                     "         gs://bucket/logs/r/\n"
                     "TOTAL: 1 objects, 99 bytes (99B)\n");
  REQUIRE(gcloud.size() == 1);
  CHECK(gcloud[0].path == "r/a.xplane.pb");
  CHECK(gcloud[0].bytes == 99);
}

}  // namespace
}  // namespace stepscope
