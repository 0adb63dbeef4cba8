// Loads stores whose sections are changed before they are packed, so that no checksum refuses them:
// payloads, headers, doubled, exchanged and missing sections, indices of hosts, planes and tracks.
// Runs all that reads a trace: arguments, programs, analyses, a first picture, parts, a new store.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/store/byte_codec.h"
#include "loaders/store/store.pb.h"
#include "loaders/store/store_reader.h"
#include "loaders/store/store_writer.h"
#include "loaders/store/trace_part.h"
#include "model/analysis/analysis.h"
#include "model/graph_captures.h"
#include "model/xla/hlo_source.h"
#include "tests/fuzz/loader_fuzz.h"
#include "tests/support/store_parts.h"

// libFuzzer's; a replay has none and changes nothing.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

namespace {

using namespace stepscope;
using store::pb::Tracks;
using Random = std::minstd_rand;
using Parts = std::vector<test::StorePart>;

size_t Below(Random* random, size_t n) { return n == 0 ? 0 : (*random)() % n; }

// A number at a limit, such as 2^32 - 1, or a small one.
uint64_t Odd(Random* random) {
  constexpr uint64_t kOdd[] = {0,          1,          2,          0xffff,     0x1ffff,
                               0x20000,    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
                               1ull << 32, 1ull << 62, 1ull << 63, ~0ull - 1,  ~0ull};
  const size_t i = Below(random, 2 * std::size(kOdd));
  return i < std::size(kOdd) ? kOdd[i] : Below(random, 20);
}

void MutateBytes(std::string* bytes) {
  const size_t size = bytes->size(), most = 2 * size + 64;
  bytes->resize(most);
  bytes->resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(bytes->data()), size, most));
}

void MutatePlane(store::pb::Plane* plane, Random* random) {
  const auto value = static_cast<uint32_t>(Odd(random));
  switch (Below(random, 4)) {
    case 0:
      return plane->set_host(value);
    case 1:
      return plane->set_name(value);
    case 2:
      return plane->set_kind(static_cast<uint32_t>(Below(random, 12)));
    default:
      plane->add_tracks(value);
  }
}

void MutateTrack(store::pb::Track* track, Random* random) {
  const uint64_t value = Odd(random);
  store::pb::Lane* lane = nullptr;
  if (track->lanes_size() > 0)
    lane = track->mutable_lanes(static_cast<int>(Below(random, size_t(track->lanes_size()))));
  switch (Below(random, lane != nullptr ? 6 : 3)) {
    case 0:
      return track->set_plane(static_cast<uint32_t>(value));
    case 1:
      return track->set_kind(static_cast<uint32_t>(Below(random, 20)));
    case 2:
      return track->set_line_start(static_cast<int64_t>(value));
    case 3:
      return lane->set_begin(static_cast<int64_t>(value));
    case 4:
      return lane->set_kind(static_cast<uint32_t>(Below(random, 4)));
    default:
      return lane->set_rows(static_cast<uint32_t>(value));
  }
}

template <typename List>
auto* Any(List* list, Random* random) {
  return list->Mutable(static_cast<int>(Below(random, static_cast<size_t>(list->size()))));
}

void MutateTracks(std::string* payload, Random* random) {
  Tracks tracks;
  if (!tracks.ParseFromString(*payload)) return MutateBytes(payload);
  const size_t which = Below(random, 4);
  if (which == 0) {
    if (Below(random, 2) == 0 && tracks.hosts_size() > 0) tracks.mutable_hosts()->RemoveLast();
    if (tracks.hosts_size() > 0)
      Any(tracks.mutable_hosts(), random)->set_rank(static_cast<int32_t>(Odd(random)));
  } else if (which == 1 && tracks.planes_size() > 0) {
    MutatePlane(Any(tracks.mutable_planes(), random), random);
  } else if (tracks.tracks_size() > 0) {
    MutateTrack(Any(tracks.mutable_tracks(), random), random);
  }
  *payload = tracks.SerializeAsString();
}

void MutateHead(std::string* payload, Random* random) {
  constexpr const char* kCapabilities[] = {"read_by_xprof",  "event_categories",   "pytorch_events",
                                           "torch_profiler", "planes_tell_hosts",  "plane_metadata",
                                           "group_stats",    "kernel_annotations", "argument_names",
                                           "chrome_events",  "memory_snapshot"};
  store::pb::Head head;
  if (!head.ParseFromString(*payload)) return MutateBytes(payload);
  switch (Below(random, 5)) {
    case 0:
      head.add_capabilities(kCapabilities[Below(random, std::size(kCapabilities))]);
      break;
    case 1:
      if (head.capabilities_size() > 0) head.mutable_capabilities()->RemoveLast();
      break;
    case 2:
      head.set_origin_unix_ns(static_cast<int64_t>(Odd(random)));
      break;
    case 3:
      head.set_has_programs(!head.has_programs());
      break;
    default:
      head.set_has_arguments(!head.has_arguments());
  }
  *payload = head.SerializeAsString();
}

std::string Mutated(std::string_view bytes, Random* random);

void MutatePayload(test::StorePart* part, Random* random) {
  if (part->header.id == "HEAD" && Below(random, 4) != 0) return MutateHead(&part->payload, random);
  if (part->header.id == "TRCK" && Below(random, 4) != 0)
    return MutateTracks(&part->payload, random);
  if (part->header.id != "CAPT") return MutateBytes(&part->payload);
  store::ByteReader reader(part->payload);
  const std::string head(reader.Text());
  const std::string inner = Mutated(reader.Bytes(reader.left()), random);
  part->payload.clear();
  store::ByteWriter(&part->payload).Text(head);
  part->payload += inner;
}

void MutateHeader(store::SectionHeader* header, Random* random) {
  const uint64_t value = Odd(random);
  switch (Below(random, 4)) {
    case 0:
      header->count = static_cast<uint32_t>(value);
      return;
    case 1:
      header->count += static_cast<uint32_t>(value);
      return;
    case 2:
      header->key = value;
      return;
    default:
      header->key += value;
  }
}

void MutateParts(Parts* parts, Random* random) {
  if (parts->empty()) return;
  const size_t at = Below(random, parts->size()), other = Below(random, parts->size());
  test::StorePart& part = (*parts)[at];
  switch (Below(random, 12)) {
    case 0: {
      const test::StorePart copy = part;
      parts->insert(parts->begin() + static_cast<ptrdiff_t>(other), copy);
      return;
    }
    case 1:
      std::swap(part, (*parts)[other]);
      return;
    case 2:
      std::swap(part.payload, (*parts)[other].payload);
      return;
    case 3:
      parts->erase(parts->begin() + static_cast<ptrdiff_t>(at));
      return;
    case 4:
    case 5:
      return MutateHeader(&part.header, random);
    default:
      return MutatePayload(&part, random);
  }
}

// The store with one to four changes. Bytes that are no store are changed as they are.
std::string Mutated(std::string_view bytes, Random* random) {
  try {
    Parts parts = test::PartsOf(bytes);
    for (size_t n = 1 + Below(random, 4); n > 0; --n) MutateParts(&parts, random);
    return test::Join(parts);
  } catch (const std::exception&) {
    std::string changed(bytes);
    MutateBytes(&changed);
    return changed;
  }
}

// A part that cannot be read is refused with a reason.
template <typename T>
void ExpectReason(const Result<T>& part) {
  if (!part.ok() && part.status().message().empty()) __builtin_trap();
}

void ReadPrograms(const Trace& trace) {
  const xla::HloSource* programs = xla::HloSourceOf(trace);
  if (programs == nullptr) return;
  for (const xla::ProgramEntry& entry : programs->Programs())
    ExpectReason(programs->Read(entry, {}));
}

// Runs a quarter of the analyses: those whose number has the remainder `part` by 4.
void Analyse(const std::shared_ptr<const Trace>& trace, size_t part) {
  AnalysisContext context(trace, Definitions::kStepscope);
  for (size_t i = part % 4; i < Analyses().size(); i += 4) RunAnalysis(Analyses()[i], context, {});
}

void ReadPicture(std::string_view bytes) {
  size_t at = 0;
  const size_t end = store::PreviewBytes(bytes, &at);
  if (end == 0) return;
  ExpectReason(store::ReadPreview("fuzz", bytes.substr(0, end), test::kMaxInflated, {}));
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  Random random(seed);
  const std::string changed = Mutated({reinterpret_cast<const char*>(data), size}, &random);
  if (changed.size() > most) return size;
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  ReadPicture(bytes);
  const auto trace = test::LoadFuzzed("fuzz.stepscope", bytes);
  if (trace == nullptr) return 0;
  test::ReadAllArguments(*trace);
  ReadPrograms(*trace);
  const size_t part = std::hash<std::string>()(bytes);
  Analyse(trace, part);
  for (uint32_t h = 0; h < trace->hosts.size() && h < 2; ++h)
    if (PartOfTrace(trace, {}, HostId(h)) == nullptr) __builtin_trap();
  for (const GraphCapture& capture : CapturesOf(*trace)) Analyse(capture.trace, part);
  std::string again;
  const Status written =
      store::WriteStore(*trace, {}, [&again](std::string_view piece) { again += piece; });
  if (!written.ok() && written.message().empty()) __builtin_trap();
  test::LoadFuzzed("again.stepscope", again);
  return 0;
}
