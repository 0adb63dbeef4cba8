#include "model/analysis/ranks/collective_kind.h"

#include <array>
#include <string>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

struct KindRow {
  std::string_view part;  // part of a name in lower case, letters and digits only
  CollectiveKind kind;
};
// Longer names stand before the names that they contain.
constexpr std::array kKinds = {
    KindRow{"allreduce", CollectiveKind::kAllReduce},
    KindRow{"crossdevicereduce", CollectiveKind::kAllReduce},
    KindRow{"reducescatter", CollectiveKind::kReduceScatter},
    KindRow{"allgather", CollectiveKind::kAllGather},
    KindRow{"alltoall", CollectiveKind::kAllToAll},
    KindRow{"broadcast", CollectiveKind::kBroadcast},
    KindRow{"bcast", CollectiveKind::kBroadcast},
    KindRow{"sendrecv", CollectiveKind::kSendRecv},
    KindRow{"barrier", CollectiveKind::kBarrier},
    KindRow{"gather", CollectiveKind::kGather},
    KindRow{"scatter", CollectiveKind::kScatter},
    KindRow{"reduce", CollectiveKind::kReduce},
    KindRow{"send", CollectiveKind::kSendRecv},
    KindRow{"recv", CollectiveKind::kSendRecv},
};

struct TypeRow {
  std::string_view name;
  int64_t bytes;
};
constexpr std::array kTypes = {
    TypeRow{"Byte", 1},
    TypeRow{"Char", 1},
    TypeRow{"Bool", 1},
    TypeRow{"Short", 2},
    TypeRow{"Half", 2},
    TypeRow{"BFloat16", 2},
    TypeRow{"Int", 4},
    TypeRow{"Float", 4},
    TypeRow{"Long", 8},
    TypeRow{"Double", 8},
    TypeRow{"ComplexFloat", 8},
    TypeRow{"ComplexDouble", 16},
    TypeRow{"UInt16", 2},
    TypeRow{"UInt32", 4},
    TypeRow{"UInt64", 8},
    TypeRow{"Float8_e5m2", 1},
    TypeRow{"Float8_e4m3fn", 1},
    TypeRow{"Float8_e4m3fnuz", 1},
    TypeRow{"Float8_e5m2fnuz", 1},
};

}  // namespace

CollectiveKind KindOfCollective(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const char l = Lower(c);
    if ((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9')) plain += l;
  }
  for (const KindRow& row : kKinds) {
    if (plain.find(row.part) != std::string::npos) return row.kind;
  }
  return CollectiveKind::kOther;
}

const char* NameOf(CollectiveKind kind) {
  static constexpr std::array<const char*, 11> kNames = {
      "AllReduce", "ReduceScatter", "AllGather", "AllToAll", "Broadcast", "SendRecv",
      "Barrier",   "Gather",        "Scatter",   "Reduce",   ""};
  return kNames[static_cast<size_t>(kind)];
}

bool EndsTogether(CollectiveKind kind) {
  return kind == CollectiveKind::kAllReduce || kind == CollectiveKind::kReduceScatter ||
         kind == CollectiveKind::kAllGather || kind == CollectiveKind::kAllToAll ||
         kind == CollectiveKind::kBarrier;
}

double BusFactor(CollectiveKind kind, int64_t n) {
  const double others = n > 1 ? static_cast<double>(n - 1) / static_cast<double>(n) : 0;
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return others;
    default:
      return 1;
  }
}

int64_t ElementBytes(std::string_view dtype) {
  for (const TypeRow& row : kTypes) {
    if (row.name == dtype) return row.bytes;
  }
  return 0;
}

}  // namespace stepscope
