#include "loaders/xla/replica_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "loaders/xla/packed_ints.h"
#include "model/xla/shape.h"

namespace stepscope::xla {

using namespace proto;

namespace {

// One more list of replicas: "{{0,1},{2,3}}".
void AddList(const Field& group, Communication* details) {
  std::vector<int64_t> replicas;
  ForFields(group.begin, group.end, [&](const Field& f) {
    if (f.number == 1) AppendInts(f, &replicas);
  });
  std::string& text = details->replica_groups;
  if (!text.empty()) text.pop_back();
  fmt::format_to(std::back_inserter(text), "{}{{{}}}}}", text.empty() ? "{" : ",",
                 fmt::join(replicas, ","));
  details->largest_group = std::max(details->largest_group, static_cast<int64_t>(replicas.size()));
}

void AddRange(const Field& list, Communication* details) {
  int64_t groups = 0, size = 0;
  std::vector<int64_t> reshape, transpose;
  ForFields(list.begin, list.end, [&](const Field& f) {
    if (f.number == 1 && f.wire == kVarint) groups = f.Int();
    if (f.number == 2 && f.wire == kVarint) size = f.Int();
    if (f.number == 3) AppendInts(f, &reshape);
    if (f.number == 4) AppendInts(f, &transpose);
  });
  details->largest_group = size;
  details->replica_groups = fmt::format("[{},{}]<=[{}]", groups, size, fmt::join(reshape, ","));
  if (transpose.size() > 1)
    details->replica_groups += fmt::format("T({})", fmt::join(transpose, ","));
}

struct MeshAxis {
  std::string name;
  int64_t size = 0;
};

std::vector<MeshAxis> AxesOf(const Field& mesh) {
  std::vector<MeshAxis> axes;
  ForFields(mesh.begin, mesh.end, [&](const Field& f) {
    if (f.number != 1 || f.wire != kLen) return;
    MeshAxis& axis = axes.emplace_back();
    ForFields(f.begin, f.end, [&](const Field& part) {
      if (part.number == 1 && part.wire == kLen) axis.name = part.text();
      if (part.number == 2 && part.wire == kVarint) axis.size = part.Int();
    });
  });
  return axes;
}

void AddMesh(const Field& list, Communication* details) {
  std::vector<MeshAxis> axes;
  std::vector<uint64_t> chosen;
  ForFields(list.begin, list.end, [&](const Field& f) {
    if (f.wire != kLen) return;
    if (f.number == 1) axes = AxesOf(f);
    if (f.number != 2) return;
    uint64_t& axis = chosen.emplace_back(0);
    ForFields(f.begin, f.end, [&](const Field& part) {
      if (part.number == 1 && part.wire == kVarint) axis = part.value;
    });
  });
  std::vector<std::string> all, names;
  for (const MeshAxis& a : axes) all.push_back(fmt::format("'{}'={}", a.name, a.size));
  details->largest_group = 1;
  for (const uint64_t c : chosen) {
    if (c >= axes.size()) continue;
    names.push_back(fmt::format("'{}'", axes[c].name));
    details->largest_group = SaturatingProduct(details->largest_group, axes[c].size);
  }
  details->replica_groups =
      fmt::format("mesh[{}] {{{}}}", fmt::join(all, ","), fmt::join(names, ","));
}

}  // namespace

bool HasReplicaGroups(const Field& f) {
  return f.wire == kLen && (f.number == 49 || f.number == 87 || f.number == 92 || f.number == 93);
}

void AddReplicaGroups(const Field& f, Communication* details) {
  if (f.number == 49) AddList(f, details);
  if (f.number == 92) AddRange(f, details);
  if (f.number == 93) AddMesh(f, details);
  if (f.number != 87) return;
  ForFields(f.begin, f.end, [&](const Field& form) {
    if (form.wire != kLen) return;
    if (form.number == 1) AddList(form, details);
    if (form.number == 2) AddRange(form, details);
  });
}

}  // namespace stepscope::xla
