// Damaged files load or fail cleanly: seeded prefixes and mutations of our samples, every prefix of
// a small sample, bombs, cancelling.
#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>

#include "model/jobs/job.h"
#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/loaders/compress.h"
#include "tests/support/sanitized.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr int kTextVariants = kSanitized ? 100 : 1000;  // damaged texts a sample
constexpr int kFileVariants = kTextVariants;
constexpr size_t kPrefixStep = kSanitized ? 11 : 1;

std::string ReadFile(const std::string& name) {
  std::ifstream in(test::SourcePath("tests/data/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Inflate(const std::string& name, const std::string& bytes) {
  const auto source = MakeByteSource(name, bytes, uint64_t{1} << 30);
  REQUIRE(source.ok());
  const auto inflated = (*source)->bytes();
  return {reinterpret_cast<const char*>(inflated.data()), inflated.size()};
}

// The text cut short, or with some bytes overwritten, removed or doubled, as the seed says.
std::string Damage(const std::string& text, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](size_t n) {
    return static_cast<size_t>(random() % std::max<size_t>(n, 1));
  };
  if (seed % 2 == 0) return text.substr(0, below(text.size()));
  std::string out = text;
  constexpr std::string_view kNasty =
      "\"\\{}[],:\0\n\xff"
      "0-eN";
  for (size_t i = 0, n = 1 + below(8); i < n && !out.empty(); ++i) {
    const size_t at = below(out.size());
    switch (below(4)) {
      case 0:
        out[at] = kNasty[below(kNasty.size())];
        break;
      case 1:
        out[at] = static_cast<char>(random());
        break;
      case 2:
        out.erase(at, 1 + below(40));
        break;
      default:
        out.insert(at, out.substr(below(out.size()), below(400)));
    }
  }
  return out;
}

// Whether it loaded; a failure must be a clean one.
bool LoadsOrFails(std::string text) {
  LoadOptions options;
  options.threads = 1;
  options.max_inflated_bytes = uint64_t{64} << 20;
  const Result<TracePtr> trace = LoadBytes("damaged.json", std::move(text), options);
  if (trace.ok()) return true;
  const bool clean =
      trace.status().code() == ErrorCode::kFormat || trace.status().code() == ErrorCode::kLimit;
  CHECK_MESSAGE(clean, trace.status().message());
  return false;
}

TEST_CASE(
    "chrome damage: 2,000 prefixes and mutations of each of our samples load or fail cleanly") {
  for (const char* name :
       {"torch_cpu.json.gz", "torch_cpu_stack.json.gz", "jax_cpu.trace.json.gz"}) {
    CAPTURE(name);
    const std::string file = ReadFile(name);
    REQUIRE(file.size() > 1000);
    const std::string text = Inflate(name, file);
    std::atomic<int> loaded{0};
    ParallelFor(kTextVariants + kFileVariants, [&](size_t i) {
      const bool whole_text = i < kTextVariants;
      if (LoadsOrFails(Damage(whole_text ? text : file, i))) ++loaded;
    });
    // Nearly all damaged texts still hold events.
    CHECK(loaded > kTextVariants * 9 / 10);
  }
}

TEST_CASE("chrome damage: every prefix of a small sample") {
  std::string text = Inflate("jax", ReadFile("jax_cpu.trace.json.gz"));
  text.resize(text.rfind('{', 32'000));
  text += "{}]}";
  REQUIRE(text.size() <= 32'768);
  std::atomic<int> loaded{0};
  ParallelFor(text.size() / kPrefixStep + 1, [&](size_t i) {
    if (LoadsOrFails(text.substr(0, i * kPrefixStep))) ++loaded;
  });
  // All prefixes with an event that is no metadata load.
  const size_t first = text.find('}', text.find("\"X\""));
  REQUIRE(first != std::string::npos);
  CHECK(loaded >= static_cast<int>((text.size() - first) / kPrefixStep) - 1);
}

TEST_CASE("chrome damage: one lost quote costs little") {
  const std::string whole = Inflate("torch", ReadFile("torch_cpu.json.gz"));
  const TracePtr before = Chrome(whole);
  std::string text = whole;
  text.erase(text.find("\"aten::", text.size() / 2), 1);
  const TracePtr after = Chrome(text);
  CHECK(after->counts.events() + 20 >= before->counts.events());
  CHECK(after->diagnostics.problems() > 0);
}

TEST_CASE("chrome limits: a gzip bomb stops at the limit") {
  const std::string member = Gzip(std::string(1 << 20, ' '));
  const fs::path path =
      fs::temp_directory_path() / ("bomb_" + std::to_string(getpid()) + ".json.gz");
  {
    std::ofstream file(path, std::ios::binary);
    for (int i = 0; i < 300; ++i) file << member;
  }
  InputFile input;
  input.path = path.string();
  LoadOptions options;
  options.max_inflated_bytes = uint64_t{100} << 20;
  TraceBuilder builder;
  Progress progress;
  const Status status = ChromeLoader().load(builder, std::span(&input, 1), options, {}, progress);
  fs::remove(path);
  CHECK(status.code() == ErrorCode::kLimit);
  CHECK(status.message().find("more than the limit of 100 MiB") != std::string::npos);
}

TEST_CASE("chrome limits: loading can be cancelled") {
  InputFile input;
  input.path = test::SourcePath("tests/data/torch_cpu.json.gz");
  std::stop_source stop;
  stop.request_stop();
  TraceBuilder builder;
  Progress progress;
  const Status status =
      ChromeLoader().load(builder, std::span(&input, 1), {}, stop.get_token(), progress);
  CHECK(status.code() == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace stepscope
