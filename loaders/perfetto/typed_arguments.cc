#include "loaders/perfetto/typed_arguments.h"

#include <iterator>
#include <optional>

#include "loaders/perfetto/annotation_reader.h"
#include "model/base/key_table.h"

namespace stepscope::perfetto {
namespace {

constexpr size_t kMostRoles = 1 << 12;  // names with higher numbers are looked up each time

// Names of arguments that analyses know, as PyTorch and ROCm's profilers write them.
constexpr KeyRow<IntStat> kKnown[] = {
    {"External id", IntStat::kExternalId},
    {"block.x", IntStat::kBlockX},
    {"block.y", IntStat::kBlockY},
    {"block.z", IntStat::kBlockZ},
    {"block[0]", IntStat::kBlockX},
    {"block[1]", IntStat::kBlockY},
    {"block[2]", IntStat::kBlockZ},
    {"bytes", IntStat::kBytes},
    {"copy_bytes", IntStat::kBytes},
    {"corr_id", IntStat::kCorrelationId},
    {"correlation", IntStat::kCorrelationId},
    {"device", IntStat::kDeviceId},
    {"dynamic shared memory", IntStat::kDynamicShared},
    {"grid.x", IntStat::kGridX},
    {"grid.y", IntStat::kGridY},
    {"grid.z", IntStat::kGridZ},
    {"grid[0]", IntStat::kGridX},
    {"grid[1]", IntStat::kGridY},
    {"grid[2]", IntStat::kGridZ},
    {"registers per thread", IntStat::kRegisters},
    {"registers_per_thread", IntStat::kRegisters},
    {"shared memory", IntStat::kStaticShared},
    {"shared_mem_dynamic", IntStat::kDynamicShared},
    {"shared_mem_static", IntStat::kStaticShared},
    {"step_num", IntStat::kStepNum},
};
static_assert(IsSortedByKey(kKnown));

std::optional<int64_t> WholeOf(const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&value)) return static_cast<int64_t>(*u);
  return std::nullopt;
}

proto::Bytes EndOf(const Wire& text) { return text.begin + text.value; }

// Finds the track event of a packet that holds nothing else of interest. False: ReadArguments must
// read the packet.
bool FindEvent(std::string_view packet, uint32_t* sequence, Wire* event) {
  auto p = reinterpret_cast<proto::Bytes>(packet.data());
  const proto::Bytes end = p + packet.size();
  Wire wire;
  while (p < end) {
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    switch (wire.tag) {
      case Varint(10):
        *sequence = static_cast<uint32_t>(wire.value);
        break;
      case Text(11):
        *event = wire;
        break;
      case Varint(3):
      case Varint(8):
      case Varint(13):
      case Varint(58):
      case Varint(79):
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

uint8_t TypedArguments::RoleOf(std::string_view name) {
  if (const IntStat* stat = FindKey(kKnown, name)) return static_cast<uint8_t>(*stat);
  constexpr std::pair<std::string_view, Role> kParts[] = {
      {"grid", kGrid}, {"block", kBlock}, {"x", kX}, {"y", kY}, {"z", kZ}};
  for (const auto& [part, role] : kParts) {
    if (part == name) return role;
  }
  return kNone;
}

uint8_t TypedArguments::RoleOf(uint64_t iid) {
  if (interned_ == nullptr) return kNone;
  const auto ask = [&] {
    const StringId id = interned_->annotations.Find(iid);
    return id.valid() ? RoleOf(strings_.View(id)) : static_cast<uint8_t>(kNone);
  };
  if (iid >= kMostRoles) return ask();
  std::vector<uint8_t>& known = roles_->of_iid;
  if (iid >= known.size()) known.resize(iid + 1, kAsk);
  if (known[iid] == kAsk) known[iid] = ask();
  return known[iid];
}

void TypedArguments::Use(const Interned* interned) {
  if (interned == interned_ && roles_ != nullptr) return;
  interned_ = interned;
  roles_ = &all_[interned];
}

// Reads an argument's name, and its last value if that is a whole number. The members of an outer
// argument, a dictionary or a list, are kept in inner_.
bool TypedArguments::ReadFields(const Wire& message, Argument* argument, bool outer) {
  Wire wire;
  const proto::Bytes end = EndOf(message);
  for (proto::Bytes p = message.begin; p < end;) {
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    switch (wire.tag) {
      case Varint(1):
        argument->named = true;
        argument->role = RoleOf(wire.value);
        break;
      case Text(10):
        argument->named = true;
        argument->role =
            RoleOf(std::string_view(reinterpret_cast<const char*>(wire.begin), wire.value));
        break;
      case Varint(3):
      case Varint(4):
      case Varint(7):
        argument->value = static_cast<int64_t>(wire.value);
        argument->whole = true;
        break;
      case Varint(2):
      case Fixed(5):
      case Text(6):
      case Text(9):
      case Varint(17):
        argument->whole = false;
        break;
      case Text(11):
      case Text(12):
        if (outer) inner_.push_back(wire);
        break;
      default:
        if (wire.tag < 8 || wire.tag > UINT32_MAX || wire.tag >> 3 <= 17) return false;
    }
  }
  return true;
}

// Reads one argument. It leaves out dictionaries and lists other than grids and blocks.
bool TypedArguments::ReadAnnotation(const Wire& message) {
  inner_.clear();
  Argument argument;
  if (!ReadFields(message, &argument, true)) return false;
  if (argument.role < kAsk && argument.whole)
    Found(static_cast<IntStat>(argument.role), argument.value);
  if (argument.role != kGrid && argument.role != kBlock) return true;
  constexpr IntStat kGrids[] = {IntStat::kGridX, IntStat::kGridY, IntStat::kGridZ};
  constexpr IntStat kBlocks[] = {IntStat::kBlockX, IntStat::kBlockY, IntStat::kBlockZ};
  const IntStat* dims = argument.role == kGrid ? kGrids : kBlocks;
  for (size_t i = 0; i < inner_.size(); ++i) {
    Argument dim;
    if (!ReadFields(inner_[i], &dim, false)) return false;
    const bool list = inner_[i].tag == Text(12);
    if (list && dim.named) return false;
    const size_t at = list ? i : dim.role >= kX ? dim.role - kX : std::size(kGrids);
    if (dim.whole && at < std::size(kGrids)) Found(dims[at], dim.value);
  }
  return true;
}

// Reads a packet's arguments from its bytes. False: ReadArguments must read it.
bool TypedArguments::ReadPacket(std::string_view packet, uint64_t ref) {
  uint32_t sequence = 0;
  Wire event, wire;
  if (!FindEvent(packet, &sequence, &event)) return false;
  if (event.begin == nullptr) return true;
  Use(file_.history->At(sequence, ref, ref < file_.bytes->source->size()));
  const proto::Bytes end = EndOf(event);
  for (proto::Bytes p = event.begin; p < end;) {
    p = NextField(p, end, &wire);
    if (p == nullptr) return false;
    if (wire.tag == Text(4) && !ReadAnnotation(wire)) return false;
  }
  return true;
}

void TypedArguments::Read(std::string_view packet, uint64_t ref, uint32_t row, RowValues* values) {
  found_.clear();
  if (!ReadPacket(packet, ref)) {
    found_.clear();
    ReadArguments(packet, ref, file_, strings_, [&](std::string_view name, const Value& value) {
      const auto whole = WholeOf(value);
      const IntStat* known = whole ? FindKey(kKnown, name) : nullptr;
      if (known) Found(*known, *whole);
    });
  }
  for (const auto& [stat, value] : found_)
    (*values)[static_cast<size_t>(stat)].emplace_back(row, value);
}

}  // namespace stepscope::perfetto
