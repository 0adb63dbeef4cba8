// Whether a program trains: one rule for all formats (docs/rules.md#overview).
#include "model/analysis/steps/training.h"

#include "tests/support/kineto_text.h"
#include "tests/support/table_cells.h"
#include "tests/support/xspace_builder.h"

namespace stepscope {
namespace {

using namespace test;

// The overview and the op statistics must agree.
bool Trains(const std::string& file, const std::string& bytes) {
  const bool training = PropertyText(Analyse(file, bytes, "overview"), "is_training") == "true";
  const std::string task = PropertyText(Analyse(file, bytes, "op_stats"), "task_type");
  CHECK(task == (training ? "Training" : "Inference"));
  return training;
}

bool TorchTrains(const char* category, const char* name) {
  return Trains("t.json",
                KinetoText().Host(category, name, 0, 10).Host("cpu_op", "aten::mm", 20, 5).Text());
}

bool TensorFlowTrains(const char* op, const char* task = nullptr) {
  XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event(op, 0, 10);
  if (task != nullptr) b.Plane("Task Environment").Stat("task", task);
  return Trains("t.xplane.pb", b.Bytes());
}

}  // namespace

TEST_CASE("training: optimizers, backward passes and gradients, in all formats") {
  CHECK(TorchTrains("user_annotation", "Optimizer.step#SGD.step"));
  CHECK(TorchTrains("cpu_op", "autograd::engine::evaluate_function: MmBackward0"));
  CHECK(TorchTrains("cpu_op", "AddmmBackward0"));
  CHECK_FALSE(TorchTrains("cpu_op", "aten::relu"));
  CHECK_FALSE(TorchTrains("python_function", "nn/Backward.py(3): Backward"));
  CHECK(TensorFlowTrains("gradient_tape/model/dense/MatMul:MatMul"));
  CHECK(TensorFlowTrains("Adam/ResourceApplyAdam:ResourceApplyAdam"));
  CHECK_FALSE(TensorFlowTrains("model/dense/MatMul:MatMul"));
}

TEST_CASE("training: what the file says of its task comes first") {
  CHECK(TensorFlowTrains("model/dense/MatMul:MatMul", "Training"));
  CHECK_FALSE(TensorFlowTrains("gradient_tape/MatMul:MatMul", "Inference"));
}

TEST_CASE("training: JAX's transposed ops, and no kernel that transposes") {
  XSpaceBuilder b;
  b.Plane("/device:GPU:0")
      .Line(1, "Stream #1")
      .Event("void transpose(float*)", 0, 10)
      .Stat("correlation_id", uint64_t{1});
  CHECK_FALSE(Trains("t.xplane.pb", b.Bytes()));
  XSpaceBuilder jax;
  jax.Plane("/device:GPU:0")
      .Line(1, "Stream #1")
      .Event("k", 0, 10)
      .Stat("tf_op", "jit(step)/transpose(jvp(f))/dot_general:");
  CHECK(Trains("t.xplane.pb", jax.Bytes()));
}

}  // namespace stepscope
