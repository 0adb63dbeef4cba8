// Recordings whose programs are given names that look like those of libraries: what is said of the
// program must stay the same (docs/rules.md#losses).
#include <doctest/doctest.h>

#include <filesystem>
#include <map>

#include "model/analysis/analysis.h"
#include "tests/support/report_figures.h"
#include "tests/support/samples.h"
#include "tests/support/wrapped_recording.h"

namespace stepscope {
namespace {

using test::WrappedRecording;

constexpr const char* kReplay =
    "traces/graphs/sglang_decode/sglang_Qwen3-8B_decode.json.gz";  // SharedRecordings has its
                                                                   // folder
constexpr const char* kPlain = "/home/me/model/run.py(1): main";
constexpr const char* kLookAlikes[] = {
    "/home/me/image_processing/train.py: main",
    "/x/tokenizers/serve.py",
    "/opt/autotuner/train.py",
    "checkpointing/data_loader/run.py(7): save",
    "torch/_inductor/output_code.py(7): __call__",
    "transformers/pipelines/pt_utils.py(124): __next__",
    "TorchDynamo Cache Lookup",
    "$train_dataloader.py:7 main",
};

// What a report says of a program: the verdict, its share, and what the step loses, by class. In
// picoseconds, as far as a sum of floating point numbers tells them.
struct Judged {
  std::string verdict;
  double percent = 0, steps = 0;
  std::map<std::string, double> losses, causes;
};

Judged JudgedOf(const WrappedRecording& recording) {
  AnalysisContext context(test::LoadRecording(recording), Definitions::kStepscope);
  const auto page = context.Get("overview");
  const auto property = [&](const char* id) {
    const Property* found = page->Find(id);
    REQUIRE(found != nullptr);
    return found->value;
  };
  Judged judged;
  judged.verdict = RawValue(property("verdict"));
  judged.percent = test::NumberOf(property("verdict_percent"));
  judged.steps = test::NumberOf(property("step_count"));
  const test::Rows losses(*page, "losses"), causes(*page, "idle_causes");
  for (size_t r = 0; r < losses.size(); ++r)
    judged.losses[losses.Text(r, "class")] += losses.Number(r, "timeMs");
  for (size_t r = 0; r < causes.size(); ++r)
    judged.causes[causes.Text(r, "class")] += causes.Number(r, "timeMs");
  return judged;
}

// What nothing was known of counts as work of the host, inside steps or between them.
Judged WithoutUnknown(Judged judged) {
  for (auto* times : {&judged.losses, &judged.causes}) {
    for (const char* id : {"unknown", "between_steps", "host"}) {
      (*times)["host or unknown"] += (*times)[id];
      times->erase(id);
    }
  }
  if (judged.verdict == "host") judged.percent = 0;
  return judged;
}

void CheckSame(const Judged& is, const Judged& was) {
  CHECK(is.verdict == was.verdict);
  CHECK(is.percent == doctest::Approx(was.percent));
  CHECK(is.steps == was.steps);
  for (const auto& [now, then] : {std::pair(&is.losses, &was.losses), {&is.causes, &was.causes}}) {
    for (const auto& [id, ms] : *then) {
      CAPTURE(id);
      CHECK(now->contains(id));
      CHECK((now->contains(id) ? now->at(id) : 0) == doctest::Approx(ms));
    }
    CHECK(now->size() == then->size());
  }
}

// Every recording of one file with work of a host.
std::vector<std::string> Recordings() {
  std::vector<std::string> all = test::Samples();
  for (std::string& path : test::SharedRecordings()) {
    const bool one = path.ends_with(".json.gz") || path.find("/profiles/") != std::string::npos;
    if (one) all.push_back(std::move(path));
  }
  const std::string replay = test::SharedPath(kReplay);
  if (std::filesystem::exists(replay)) all.push_back(replay);
  return all;
}

// A recording with functions of the program itself, and what their paths begin with.
struct Folders {
  std::string path;
  const char* folder;
};

std::vector<Folders> AllFolders() {
  return {{test::SourcePath("tests/data/torch_cpu_stack.json.gz"), "gen_torch.py"},
          {test::SharedPath("traces/bert_h100.json.gz"), "moca/"},
          {test::SharedPath("traces/qwen_h100.json.gz"), "moca/"},
          {test::SharedPath("traces/timesformer_mi300.json.gz"), "moca/"},
          {test::SharedPath(kReplay), "/sgl-workspace/sglang/python/sglang/"}};
}

}  // namespace

TEST_CASE("A function around a program explains idle time of which nothing was known, no other") {
  for (const std::string& path : Recordings()) {
    CAPTURE(path);
    const WrappedRecording recording = test::ReadRecording(path);
    const WrappedRecording plain = test::WrapMainThread(recording, kPlain);
    const Judged judged = JudgedOf(plain);
    CheckSame(WithoutUnknown(judged), WithoutUnknown(JudgedOf(recording)));
    // It changes nothing else, whatever its name looks like.
    for (const std::string frame : kLookAlikes) {
      CAPTURE(frame);
      size_t renamed = 0;
      const WrappedRecording wrapped = test::RenameEvents(plain, kPlain, frame, &renamed);
      if (renamed > 0) CheckSame(JudgedOf(wrapped), judged);
    }
  }
}

TEST_CASE("A program may lie in any folder: its verdict and losses stay the same") {
  for (const Folders& program : AllFolders()) {
    CAPTURE(program.path);
    if (!std::filesystem::exists(program.path)) {
      MESSAGE("SKIPPED: no ", program.path);
      continue;
    }
    const WrappedRecording recording = test::ReadRecording(program.path);
    const Judged judged = JudgedOf(recording);
    for (const std::string folder :
         {"/home/me/image_processing/", "/x/tokenizers/", "/opt/autotuner/", "checkpointing/",
          "/x/torch/utils/data/", "data_loader/"}) {
      CAPTURE(folder);
      size_t renamed = 0;
      const WrappedRecording moved =
          test::RenameEvents(recording, program.folder, folder + program.folder, &renamed);
      CHECK(renamed > 0);
      CheckSame(JudgedOf(moved), judged);
    }
  }
}

}  // namespace stepscope
