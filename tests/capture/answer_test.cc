#include "capture/answer.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/wire.h"
#include "tests/support/xspace_builder.h"

namespace stepscope::capture {
namespace {

std::string XSpaceWithEvent() {
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python").Event("step", 0, 1000);
  return b.Bytes();
}

std::string Message(uint32_t field, std::string_view bytes) {
  std::string out;
  test::PutBytes(&out, field, bytes);
  return out;
}

TEST_CASE("answer: the profile is the bytes of the field as they stand") {
  const std::string xspace = XSpaceWithEvent(), message = Message(8, xspace);
  const auto answer = ReadProfileAnswer(message);
  REQUIRE(answer.ok());
  CHECK(answer->xspace == xspace);
  CHECK_FALSE(answer->empty_trace);
  CHECK(answer->xspace.data() >= message.data());
  CHECK(answer->xspace.data() + answer->xspace.size() == message.data() + message.size());
}

TEST_CASE("answer: an XSpace among the data of tools is taken, other tools are not") {
  const std::string xspace = XSpaceWithEvent();
  const std::string other = Message(6, Message(1, "op_profile.json") + Message(2, "{}"));
  const std::string message =
      other + Message(6, Message(1, "../../x.xplane.pb") + Message(2, xspace));
  const auto both = ReadProfileAnswer(message);
  REQUIRE(both.ok());
  CHECK(both->xspace == xspace);
  const auto none = ReadProfileAnswer(other);
  REQUIRE(none.ok());
  CHECK(none->xspace.empty());
}

TEST_CASE("answer: nothing recorded, unknown fields, no field at all") {
  std::string empty;
  test::PutUint(&empty, 7, 1);
  CHECK(ReadProfileAnswer(empty)->empty_trace);
  CHECK(ReadProfileAnswer(empty + Message(99, "new"))->empty_trace);
  CHECK_FALSE(ReadProfileAnswer("")->empty_trace);
}

TEST_CASE("answer: garbage is an error") {
  CHECK_FALSE(ReadProfileAnswer("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff").ok());
  const std::string message = Message(8, XSpaceWithEvent());
  CHECK_FALSE(ReadProfileAnswer(message.substr(0, message.size() - 3)).ok());
}

TEST_CASE("answer: an XSpace without an event is nothing, and garbage is told apart") {
  CHECK(ContentOf(XSpaceWithEvent()) == XSpaceContent::kEvents);
  CHECK(ContentOf("") == XSpaceContent::kNothing);
  test::XSpaceBuilder b;
  b.Plane("/host:CPU").Line(1, "python");
  b.Plane("/device:GPU:0");
  CHECK(ContentOf(b.Bytes()) == XSpaceContent::kNothing);
  CHECK(ContentOf("\x0a\x7fshort") == XSpaceContent::kGarbage);
  CHECK(ContentOf(Message(1, "\x1a\x7fshort")) == XSpaceContent::kGarbage);
}

}  // namespace
}  // namespace stepscope::capture
