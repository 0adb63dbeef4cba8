// make_gpu_xspace OUT.xplane.pb [options]: writes a TensorFlow-style GPU training profile of any
// size; see tests/support/gpu_profile.h for what is in it.
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/gpu_profile.h"

namespace stepscope::test {
namespace {

constexpr const char* kUsage =
    R"(make_gpu_xspace OUT.xplane.pb [options]   writes a GPU training profile (XSpace) of any size

  --gpus N              default 2; staggered needs two
  --steps N             default 10
  --layers N            default 50: 151 kernels a step and GPU
  --scenario NAME       healthy inputbound launchbound copies staggered fp32 fragmented
  --host NAME           default worker-0
  --seed N              default 0
  --no-memory           without allocator events
  --truth FILE.json     what was planted, per step and GPU, in picoseconds
For pairs to compare:
  --slower OP=FACTOR    kernels of ops whose path contains OP take FACTOR times as long
  --drop OP             leaves such ops out
  --input-wait US       of every step
  --outlier STEP        this step's kernels take twice as long
  --run-ahead           the host launches a step while the GPU works on the one before
  --marker after-input  the step's marker opens when its input was fetched (else: whole)
  --between US          the host writes metrics for so long after each step, outside the marker
Losses of findings:
  --stall NAME=US       half way through each step the launching thread is in NAME, nothing queued
  --collective US       of each step
  --sequential          each GPU begins when the one before is done
  --contention US       tf.data works in half of each step, and each op costs its thread so much
  --leak BYTES          of each step and GPU
)";

struct Arguments {
  std::string out, truth;
  GpuProfileOptions profile;
};

template <typename T>
bool ParseNumber(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseSlower(std::string_view text, GpuProfileOptions* profile) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  profile->slower_op = text.substr(0, equals);
  return ParseNumber(text.substr(equals + 1), &profile->slower_factor);
}

bool ParseStall(std::string_view text, GpuProfileOptions* profile) {
  const std::size_t equals = text.rfind('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  profile->stall = text.substr(0, equals);
  return ParseNumber(text.substr(equals + 1), &profile->stall_us);
}

bool ParseScenario(std::string_view text, GpuProfileOptions* profile) {
  const std::optional<GpuScenario> scenario = ParseGpuScenario(text);
  if (scenario) profile->scenario = *scenario;
  return scenario.has_value();
}

bool ParseValue(std::string_view name, std::string_view text, Arguments* args) {
  GpuProfileOptions& p = args->profile;
  if (name == "--gpus") return ParseNumber(text, &p.gpus) && p.gpus > 0;
  if (name == "--steps") return ParseNumber(text, &p.steps) && p.steps >= 0;
  if (name == "--layers") return ParseNumber(text, &p.layers) && p.layers >= 0;
  if (name == "--seed") return ParseNumber(text, &p.seed);
  if (name == "--outlier") return ParseNumber(text, &p.outlier_step);
  if (name == "--input-wait") return ParseNumber(text, &p.input_wait_us.emplace());
  if (name == "--between") return ParseNumber(text, &p.between_us) && p.between_us >= 0;
  if (name == "--marker") {
    p.marker_after_input = text == "after-input";
    return p.marker_after_input || text == "whole";
  }
  if (name == "--scenario") return ParseScenario(text, &p);
  if (name == "--stall") return ParseStall(text, &p);
  if (name == "--collective") return ParseNumber(text, &p.collective_us.emplace());
  if (name == "--contention") return ParseNumber(text, &p.contention_us) && p.contention_us >= 0;
  if (name == "--leak") return ParseNumber(text, &p.leak_bytes);
  if (name == "--slower") return ParseSlower(text, &p);
  if (name == "--drop") return !(p.drop_op = text).empty();
  if (name == "--host") return !(p.host = text).empty();
  if (name == "--truth") return !(args->truth = text).empty();
  return false;
}

// Returns false and prints what is wrong if the words are no valid arguments.
bool ParseArguments(const std::vector<std::string_view>& words, Arguments* args) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--no-memory") {
      args->profile.memory = false;
    } else if (word == "--sequential") {
      args->profile.sequential = true;
    } else if (word == "--run-ahead") {
      args->profile.run_ahead = true;
    } else if (!word.starts_with("--") && args->out.empty()) {
      args->out = word;
    } else if (!ParseValue(word, i + 1 < words.size() ? words[i + 1] : "", args)) {
      std::fprintf(stderr, "make_gpu_xspace: bad or incomplete option: %s\n",
                   std::string(word).c_str());
      return false;
    } else {
      ++i;
    }
  }
  if (args->profile.scenario == GpuScenario::kStaggered && args->profile.gpus < 2) {
    std::fprintf(stderr, "make_gpu_xspace: staggered needs at least two GPUs\n");
    return false;
  }
  return !args->out.empty();
}

// A file that remembers whether all writes succeeded.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {}
  ~OutputFile() { Close(); }
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void Write(std::string_view bytes) {
    size_ += bytes.size();
    ok_ = ok_ && file_ != nullptr &&
          std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  }
  bool Close() {
    if (file_ != nullptr && std::fclose(file_) != 0) ok_ = false;
    file_ = nullptr;
    return ok_;
  }
  std::uint64_t Size() const { return size_; }

 private:
  std::FILE* file_;
  std::uint64_t size_ = 0;
  bool ok_ = true;
};

bool Fail(const std::string& path) {
  std::fprintf(stderr, "make_gpu_xspace: cannot write %s: %s\n", path.c_str(),
               std::strerror(errno));
  return false;
}

bool Generate(const Arguments& args) {
  std::vector<StepTruth> truth;
  const auto start = std::chrono::steady_clock::now();
  OutputFile out(args.out);
  const std::uint64_t events = WriteGpuProfile(
      args.profile, [&](std::string_view bytes) { out.Write(bytes); },
      args.truth.empty() ? nullptr : &truth);
  if (!out.Close()) return Fail(args.out);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!args.truth.empty()) {
    OutputFile file(args.truth);
    file.Write(GpuTruthJson(args.profile.scenario, truth));
    if (!file.Close()) return Fail(args.truth);
  }
  const auto count = static_cast<double>(events);
  std::printf("%s: %llu events, %.1f MB, %.2f s, %.2f M events/s\n", args.out.c_str(),
              static_cast<unsigned long long>(events), static_cast<double>(out.Size()) / 1e6,
              seconds.count(), count / 1e6 / seconds.count());
  return true;
}

}  // namespace
}  // namespace stepscope::test

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  stepscope::test::Arguments args;
  if (!stepscope::test::ParseArguments(words, &args)) {
    std::fputs(stepscope::test::kUsage, stderr);
    return EXIT_FAILURE;
  }
  return stepscope::test::Generate(args) ? EXIT_SUCCESS : EXIT_FAILURE;
}
