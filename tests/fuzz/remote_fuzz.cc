// Takes any bytes as what the program on another machine sends over ssh, and as what an earlier
// load got of the same profile. Lengths of 8 bytes refuse most bytes, so they may also be a list of
// frames that is made first: the first byte says which. Then sends a store, and checks that the
// other side has all of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "loaders/remote/frames.h"
#include "loaders/remote/receiver.h"
#include "loaders/store/section.h"
#include "loaders/store/store_reader.h"
#include "tests/fuzz/loader_fuzz.h"

namespace stepscope::remote {
namespace {

std::shared_ptr<const ByteSource> SourceOf(std::string_view bytes) {
  Column<char> copy;
  copy.Resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  return MakeMemorySource("ssh://host/fuzz", bytes.size(), std::move(copy), true);
}

std::string_view TextOf(const ByteSource& source) {
  return {reinterpret_cast<const char*>(source.bytes().data()), source.bytes().size()};
}

// Frames: type (1 byte), length of the payload (2), payload.
std::string AsFrames(std::string_view rest) {
  std::string stream(kServeMagic);
  while (rest.size() >= 3) {
    const auto type = static_cast<FrameType>(rest[0]);
    const size_t size = static_cast<uint8_t>(rest[1]) | size_t{static_cast<uint8_t>(rest[2])} << 8;
    rest.remove_prefix(3);
    const std::string_view payload = rest.substr(0, std::min(size, rest.size()));
    rest.remove_prefix(payload.size());
    stream += Frame(type, payload);
  }
  return stream;
}

void Receive(std::string_view came, const std::string& stream, size_t piece) {
  LoadOptions options;
  options.max_inflated_bytes = test::kMaxInflated;
  options.part = std::make_shared<StreamPart>(came.empty() ? nullptr : SourceOf(came));
  options.preview = [](const std::shared_ptr<const Trace>& picture) {
    if (picture == nullptr) __builtin_trap();
  };
  Progress progress;
  const std::stop_token stop;
  std::vector<std::string> runs;
  Receiver receiver({"ssh://host/fuzz", "host"}, options, stop, &progress, &runs);
  bool more = true;
  for (size_t at = 0; more && at < stream.size(); at += piece)
    more = receiver.Add(std::string_view(stream).substr(at, piece));
  if (receiver.ended() != receiver.status().ok() && !more) __builtin_trap();
  if (!receiver.status().ok() && receiver.status().message().empty()) __builtin_trap();
  const std::shared_ptr<const ByteSource> store = receiver.TakeStore();
  if (store == nullptr) return;
  // The kept bytes begin with those that came before, or the profile is another one.
  const size_t reused = static_cast<size_t>(options.part->reused());
  if (reused > came.size() || TextOf(*store).substr(0, reused) != came.substr(0, reused))
    __builtin_trap();
  const auto trace = store::ReadStore(store, {test::kMaxInflated, false}, stop, &progress);
  if (trace.ok()) test::ReadAllArguments(**trace);
}

// `came` stands for bytes of which the sender gets a sum that may be right.
void SendStore(std::string_view came, std::string_view store, size_t piece) {
  std::string got;
  StreamSender sender(came.size(), store::BeginSum(0, came),
                      [&](FrameType type, std::string_view payload) {
                        if (type == FrameType::kData) {
                          got += payload;
                        } else if (got.empty()) {
                          got = came;
                        } else {
                          __builtin_trap();
                        }
                      });
  for (size_t at = 0; at < store.size(); at += piece) sender.Add(store.substr(at, piece));
  sender.Finish();
  if (got != store || sender.bytes() != store.size()) __builtin_trap();
}

}  // namespace
}  // namespace stepscope::remote

// Input: how the rest is read (1 byte), size of the pieces that come at once (1), bytes that came
// before (2), these bytes, the rest.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stepscope::remote;
  if (size < 4) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 4, size - 4);
  const size_t piece = size_t{1} + data[1];
  const size_t came_bytes = std::min(input.size(), data[2] | size_t{data[3]} << 8);
  const std::string_view came = input.substr(0, came_bytes), rest = input.substr(came_bytes);
  Receive(came, (data[0] & 1) != 0 ? AsFrames(rest) : std::string(rest), piece);
  SendStore(came, (data[0] & 2) != 0 ? input : rest, piece);
  return 0;
}
