#include "loaders/xplane/lines/line_pieces.h"

#include <doctest/doctest.h>

#include <random>
#include <span>
#include <string>
#include <string_view>

#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::xplane {
namespace {

std::span<const uint8_t> BytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// The events 0, 1, 2, ... of a line, each as a field of it, with two stats.
std::string Events(int count) {
  test::XSpaceBuilder space;
  auto& line = space.Plane("p").Line(1, "l");
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    auto& event = line.Event(i % 2 == 0 ? "even" : "odd", i * 1000, 900);
    event.Stat("a", uint64_t{7}).Stat("b", uint64_t{300});
    test::PutBytes(&bytes, 4, event.Encode());
  }
  return bytes;
}

IdMap Ids() {
  IdMap ids;
  ids.Set(1, 0);
  ids.Set(2, 1);
  return ids;
}

TEST_CASE("event chain: events are found from any byte on, their stats are not taken for events") {
  const std::string bytes = Events(30);
  const size_t one = Events(1).size();
  const IdMap ids = Ids();
  for (size_t cut = 0; cut < 2 * one; ++cut) {
    const EventChain chain = FindEventChain(BytesOf(bytes).subspan(cut), ids);
    CAPTURE(cut);
    CHECK(chain.events == kMostChain);
    // The first event that begins in the bytes, and a whole number of events.
    const std::string_view rest = std::string_view(bytes).substr(cut + chain.begin);
    CHECK(bytes.find(rest) == cut + chain.begin);
    bool at_event = false;
    for (int i = 0; i < 5; ++i) at_event = at_event || Events(i).size() == cut + chain.begin;
    CHECK(at_event);
    CHECK(cut + chain.begin < cut + one + 8);
    CHECK(Events(static_cast<int>(kMostChain) + 5).size() >= cut + chain.end);
  }
}

TEST_CASE("event chain: an event that is cut ends it; too few, or unknown ids, are none") {
  const std::string bytes = Events(8);
  const IdMap ids = Ids();
  const size_t seven = Events(7).size();
  const EventChain cut = FindEventChain(BytesOf(bytes).first(bytes.size() - 1), ids);
  CHECK(cut.begin == 0);
  CHECK(cut.end == seven);
  CHECK(cut.events == 7);
  CHECK(FindEventChain(BytesOf(Events(static_cast<int>(kLeastChain))), ids).events == kLeastChain);
  CHECK(FindEventChain(BytesOf(Events(static_cast<int>(kLeastChain) - 1)), ids).events == 0);
  CHECK(FindEventChain(BytesOf(bytes), IdMap()).events == 0);
  CHECK(FindEventChain({}, ids).events == 0);
  // Fields of the line behind its events end it too.
  std::string tail = bytes;
  test::PutInt(&tail, 10, 5);
  CHECK(FindEventChain(BytesOf(tail), ids).end == bytes.size());
}

TEST_CASE("event chain: any bytes give a chain within them, or none") {
  std::mt19937 random(7);
  const IdMap ids = Ids();
  const std::string real = Events(40);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = real.substr(random() % 60, random() % real.size());
    for (size_t i = random() % 40; i > 0 && !bytes.empty(); --i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const EventChain chain = FindEventChain(BytesOf(bytes), ids);
    CHECK(chain.begin <= chain.end);
    CHECK(chain.end <= bytes.size());
    CHECK(chain.events <= kMostChain);
    CHECK((chain.events == 0 || chain.events >= kLeastChain));
  }
}

}  // namespace
}  // namespace stepscope::xplane
