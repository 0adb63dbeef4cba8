#include "tests/support/hlo_program.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "loaders/xla/hlo_decoder.h"
#include "model/xla/shape.h"
#include "tests/support/wire.h"

namespace stepscope::test {
namespace {

uint64_t TypeNumber(std::string_view name) {
  for (uint64_t type = 1; type < 34; ++type) {
    if (NameOf(static_cast<xla::ElementType>(type)) == name) return type;
  }
  throw std::invalid_argument("no such element type: " + std::string(name));
}

int64_t NumberAt(std::string_view text) {
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string TupleShape(std::string_view members) {
  std::string out;
  PutUint(&out, 2, 13);
  while (!members.empty()) {
    size_t end = 0;
    int depth = 0;
    while (end < members.size() && (depth > 0 || members[end] != ' ')) {
      depth += (members[end] == '(') - (members[end] == ')');
      ++end;
    }
    std::string_view member = members.substr(0, end);
    if (member.ends_with(',')) member.remove_suffix(1);
    PutBytes(&out, 4, EncodeShape(member));
    members.remove_prefix(std::min(end + 1, members.size()));
  }
  return out;
}

}  // namespace

std::string EncodeShape(std::string_view text) {
  if (text.starts_with('(')) return TupleShape(text.substr(1, text.size() - 2));
  const size_t open = text.find('['), close = text.find(']');
  std::string out, layout;
  PutUint(&out, 2, TypeNumber(text.substr(0, open)));
  std::string_view sizes = text.substr(open + 1, close - open - 1);
  int64_t rank = 0;
  while (!sizes.empty()) {
    PutInt(&out, 3, NumberAt(sizes));
    const size_t comma = std::min(sizes.find(','), sizes.size());
    sizes.remove_prefix(std::min(comma + 1, sizes.size()));
    ++rank;
  }
  for (int64_t d = rank; d-- > 0;) PutInt(&layout, 1, d);
  if (const size_t space = text.find("S("); space != text.npos)
    PutInt(&layout, 8, NumberAt(text.substr(space + 2)));
  PutBytes(&out, 5, layout);
  return out;
}

int64_t HloProgram::Computation(std::string_view name) {
  const int64_t id = 100 + static_cast<int64_t>(computations_.size());
  computations_.push_back({std::string(name), "", id, 0});
  return id;
}

int64_t HloProgram::Add(std::string_view name, std::string_view opcode, std::string_view shape,
                        std::vector<int64_t> operands, std::vector<int64_t> called,
                        std::string_view more) {
  std::string i;
  PutBytes(&i, 1, name);
  PutBytes(&i, 2, opcode);
  PutBytes(&i, 3, EncodeShape(shape));
  PutInt(&i, 35, next_);
  for (const int64_t o : operands) PutInt(&i, 36, o);
  for (const int64_t c : called) PutInt(&i, 38, c);
  i += more;
  PutBytes(&computations_.back().instructions, 2, i);
  computations_.back().root = next_;
  return next_++;
}

HloProgram& HloProgram::Root(int64_t instruction) {
  computations_.back().root = instruction;
  return *this;
}

HloProgram& HloProgram::Schedule(int64_t computation, std::vector<int64_t> instructions) {
  std::string sequence, schedule;
  for (const int64_t i : instructions) PutInt(&sequence, 1, i);
  PutMapEntry(&schedule, 1, computation, sequence);
  PutBytes(&module_, 7, schedule);
  return *this;
}

HloProgram& HloProgram::Raw(std::string_view bytes) {
  module_ += bytes;
  return *this;
}

HloProgram& HloProgram::Buffers(std::string_view bytes) {
  buffers_ += bytes;
  return *this;
}

std::string HloProgram::Bytes() const {
  std::string module, proto;
  PutBytes(&module, 1, name_);
  for (const Part& c : computations_) {
    std::string computation;
    PutBytes(&computation, 1, c.name);
    computation += c.instructions;
    PutInt(&computation, 5, c.id);
    PutInt(&computation, 6, c.root);
    PutBytes(&module, 3, computation);
  }
  if (!computations_.empty()) PutInt(&module, 6, computations_.back().id);
  PutBytes(&proto, 1, module + module_);
  if (!buffers_.empty()) PutBytes(&proto, 3, buffers_);
  return proto;
}

std::shared_ptr<const xla::HloModule> HloProgram::Module() const {
  const auto module = DecodeHlo(Bytes(), {});
  if (!module.ok()) throw std::invalid_argument(module.status().message());
  return module.value();
}

std::string IntsField(uint32_t field, std::initializer_list<int64_t> values) {
  std::string out;
  for (const int64_t v : values) PutInt(&out, field, v);
  return out;
}

std::string TextField(uint32_t field, std::string_view text) {
  std::string out;
  PutBytes(&out, field, text);
  return out;
}

std::string WindowField(std::initializer_list<std::initializer_list<int64_t>> dimensions) {
  std::string window;
  for (const auto& dimension : dimensions) {
    std::string d;
    uint32_t field = 1;
    for (const int64_t v : dimension) PutInt(&d, field++, v);
    PutBytes(&window, 1, d);
  }
  return TextField(15, window);
}

}  // namespace stepscope::test
