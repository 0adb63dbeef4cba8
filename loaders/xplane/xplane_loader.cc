// The loader of XSpace files (docs/xspace.md): how they are known by content and by name, and what
// they tell. xspace_load.h reads them.
#include "loaders/common/wire.h"
#include "loaders/riegeli/chunk_list.h"
#include "loaders/xplane/scan/concatenated_xspaces.h"
#include "loaders/xplane/xspace_load.h"

namespace stepscope {
namespace xplane {

using namespace proto;

namespace {

constexpr TraceFormat kXSpace = {"XSpace",
                                 {.read_by_xprof = true,
                                  .planes_tell_hosts = true,
                                  .plane_metadata = true,
                                  .group_stats = true,
                                  .kernel_annotations = true,
                                  .argument_names = true}};

Status Load(TraceBuilder& builder, std::span<const InputFile> files, const LoadOptions& options,
            const std::stop_token& stop, Progress& progress) {
  builder.trace().format = &kXSpace;
  return LoadXSpace(builder, files, options, stop, progress);
}

// Whether it begins like an XSpace: with a plane (or an error, a warning or a host name), which
// begins with one of its six fields.
bool Sniff(std::span<const std::byte> prefix) {
  if (riegeli::IsRiegeli(prefix)) return true;
  FieldReader space(reinterpret_cast<Bytes>(prefix.data()),
                    reinterpret_cast<Bytes>(prefix.data() + prefix.size()));
  Field f;
  if (!space.Next(&f) || f.wire != kLen || f.number < 1 || f.number > 4) return false;
  if (f.number != 1) return true;
  FieldReader plane(f.begin, f.end);
  Field inner;
  if (!plane.Next(&inner)) return f.begin == f.end && !f.clamped;
  if (inner.number < 1 || inner.number > 6 || inner.wire != (inner.number == 1 ? kVarint : kLen))
    return false;
  // Packets of a Perfetto trace may begin alike, but have a sequence (field 10).
  while (plane.Next(&inner)) {
    if (inner.number == 10 && inner.wire == kVarint) return false;
  }
  return true;
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {
    {".xplane.pb", Kind::kOwn},
    {kRiegeliEnding, Kind::kOwn},
    // Files that lie beside XSpaces in a run directory.
    {".memory_profile.json", Kind::kSkipped, "an old summary by TensorFlow"},
    {".input_pipeline.pb", Kind::kSkipped, "an old summary by TensorFlow"},
    {".overview_page.pb", Kind::kSkipped, "an old summary by TensorFlow"},
    {".tensorflow_stats.pb", Kind::kSkipped, "an old summary by TensorFlow"},
    {".kernel_stats.pb", Kind::kSkipped, "an old summary by TensorFlow"},
    {".op_stats.pb", Kind::kSkipped, "a cache of XProf"},
    {".op_stats_v2.pb", Kind::kSkipped, "a cache of XProf"},
    {".dcn_collective_stats.pb", Kind::kSkipped, "a cache of XProf"},
    {".smart_suggestion.pb", Kind::kSkipped, "a cache of XProf"},
    {".hlo_proto.pb", Kind::kSkipped, "an HLO module that XProf unpacked"},
    {".SSTABLE", Kind::kSkipped, "a cache of XProf"},
    {"cache_version.txt", Kind::kSkipped, "a cache of XProf"},
};

}  // namespace
}  // namespace xplane

extern const LoaderDesc kXSpaceLoader;
const LoaderDesc kXSpaceLoader = {&xplane::kXSpace, "XSpace of TensorFlow, JAX or XLA",
                                  xplane::kEndings, xplane::Sniff, xplane::Load};

}  // namespace stepscope
