// The row of XSpace files in the list of loaders: how they are known by content and by name.
#include "loaders/riegeli/chunk_list.h"
#include "loaders/xplane/several_spaces.h"
#include "loaders/xplane/wire.h"
#include "loaders/xplane/xplane_loader.h"

namespace stepscope {
namespace {

using namespace xplane;

// An XSpace begins with a plane (or an error, a warning or a host name), and a plane with one of
// its six fields.
bool SniffXSpace(std::span<const std::byte> prefix) {
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
  // Packets of a Perfetto trace, which may begin alike, say their sequence.
  while (plane.Next(&inner)) {
    if (inner.number == 10 && inner.wire == kVarint) return false;
  }
  return true;
}

using Kind = FileEnding::Kind;
constexpr FileEnding kEndings[] = {
    {".xplane.pb", Kind::kOwn},
    {kRiegeliEnding, Kind::kOwn},
    // What lies beside XSpaces in a run directory.
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

extern const LoaderDesc kXSpaceLoader;
const LoaderDesc kXSpaceLoader = {TraceFormat::kXSpace, "XSpace of TensorFlow, JAX or XLA",
                                  kEndings, SniffXSpace, LoadXSpace};

}  // namespace stepscope
