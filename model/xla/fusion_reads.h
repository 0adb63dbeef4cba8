// FusionReads: the bytes that a fusion reads of a parameter, by XLA's base rule: users that take a
// part of it read that part, all others together read it once. Internal to the cost model.
#pragma once

#include <unordered_map>

#include "model/xla/cost_context.h"

namespace stepscope::xla {

class FusionReads {
 public:
  explicit FusionReads(const CostContext& context) : c_(context) {}
  // `parameter`: an instruction of a fused computation. Nested fusions are followed to a depth of
  // 64. O(users of the parameters that it meets), each once.
  double Of(uint32_t parameter, int depth = 0);

 private:
  // The bytes that the users of one parameter, or of one nested fusion, read so far.
  struct Sum {
    double bytes = 0;
    bool whole = false;
    void AddWhole(double size) {
      if (!whole) bytes += size;
      whole = true;
    }
  };
  void AddUser(const Instruction& user, uint32_t parameter, int depth, Sum* sum);
  double OfNested(const Instruction& fusion, uint32_t parameter, int depth);
  double OfInner(const Instruction& fusion, const Instruction& inner, bool direct, int depth);
  const std::vector<uint32_t>& UsersOf(uint32_t instruction);

  const CostContext& c_;
  std::unordered_map<uint32_t, double> known_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> users_;
  std::unordered_map<uint32_t, bool> listed_;  // computations whose users are in users_
};

}  // namespace stepscope::xla
