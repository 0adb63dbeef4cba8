#include "loaders/remote/frames.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "loaders/remote/remote.pb.h"
#include "loaders/remote/serve.h"
#include "loaders/store/section.h"

namespace stepscope::remote {
namespace {

TEST_CASE("Frames come out as they went in, however they are cut, after what a shell prints") {
  const std::string stream = std::string("Welcome to node7\nquota: 93 %\n") +
                             std::string(kServeMagic) + Frame(FrameType::kHello, "a") +
                             Frame(FrameType::kData, "") +
                             Frame(FrameType::kData, std::string(100'000, 'x'));
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{4096}, stream.size()}) {
    FrameReader reader;
    bool begun = false;
    std::string types;
    size_t bytes = 0;
    for (size_t at = 0; at < stream.size(); at += piece) {
      reader.Add(std::string_view(stream).substr(at, piece));
      begun = begun || reader.SkipToMagic();
      FrameType type{};
      std::string_view payload;
      while (begun && reader.Next(&type, &payload)) {
        types += static_cast<char>(type);
        bytes += payload.size();
      }
    }
    CHECK(types == "HDD");
    CHECK(bytes == 100'001);
    CHECK(!reader.failed());
  }
}

TEST_CASE("A length that cannot be and noise without an end are refused") {
  FrameReader reader;
  reader.Add("D\xff\xff\xff\xff\xff\xff\xff\x7f");
  FrameType type{};
  std::string_view payload;
  CHECK(!reader.Next(&type, &payload));
  CHECK(reader.failed());
  FrameReader noise;
  noise.Add(std::string(kMaxNoise + 1, 'x'));
  CHECK(!noise.SkipToMagic());
  CHECK(noise.failed());
}

}  // namespace
namespace {

std::string SomeBytes(size_t size) {
  std::string bytes(size, '\0');
  uint32_t x = 1;
  for (char& c : bytes) c = static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  return bytes;
}

// The frames that the other side gets of a store that is sent in pieces.
struct Sent {
  uint64_t continues = 0;  // the bytes that need not be sent; 0: all were
  std::string data;
  uint64_t bytes = 0;
};

Sent SentOf(const std::string& store, uint64_t came_bytes, uint64_t came_sum, size_t piece) {
  Sent sent;
  StreamSender sender(came_bytes, came_sum, [&](FrameType type, std::string_view payload) {
    CHECK(payload.size() <= kMaxFrameBytes);
    if (type == FrameType::kData) {
      sent.data += payload;
      return;
    }
    CHECK(type == FrameType::kContinue);
    CHECK(sent.data.empty());
    pb::Continue message;
    CHECK(message.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
    sent.continues = message.bytes();
  });
  for (size_t at = 0; at < store.size(); at += piece)
    sender.Add(std::string_view(store).substr(at, piece));
  sender.Finish();
  sent.bytes = sender.bytes();
  return sent;
}

TEST_CASE("The sum of a stream is the CRC-64 of xz, whether it is made at once or in parts") {
  CHECK(store::BeginSum(0, "123456789") == 0x995DC9BBDF1939FA);
  CHECK(store::BeginSum(store::BeginSum(0, "1234"), "56789") == store::BeginSum(0, "123456789"));
  CHECK(store::BeginSum(0, "") == 0);
}

TEST_CASE("Only the rest of a store is sent where the other side has its begin, else all of it") {
  const std::string store = SomeBytes(700'000);
  for (const size_t piece : {size_t{1000}, size_t{262'144}, store.size()}) {
    for (const size_t came : {size_t{1}, size_t{999}, size_t{1000}, size_t{1001}, size_t{500'000},
                              store.size() - 1, store.size()}) {
      const Sent rest = SentOf(store, came, store::BeginSum(0, store.substr(0, came)), piece);
      CHECK(rest.continues == came);
      CHECK(rest.data == store.substr(came));
      CHECK(rest.bytes == store.size());
      const Sent other = SentOf(store, came, store::BeginSum(0, store.substr(0, came)) ^ 1, piece);
      CHECK(other.continues == 0);
      CHECK(other.data == store);
    }
    for (const uint64_t more : {uint64_t{store.size()} + 1, ~uint64_t{0}}) {
      const Sent all = SentOf(store, more, store::BeginSum(0, store), piece);
      CHECK(all.continues == 0);
      CHECK(all.data == store);
      CHECK(all.bytes == store.size());
    }
    CHECK(SentOf(store, 0, 0, piece).data == store);
  }
  CHECK(SentOf("", 5, 0, 1).data.empty());
}

TEST_CASE("A request that ends too early, or is none, is answered by the greeting only") {
  pb::Request request;
  request.set_protocol(kProtocol);
  request.set_path("/no/such/profile");
  request.set_came_bytes(~uint64_t{0});
  request.set_came_sum(7);
  const std::string frame = Frame(FrameType::kRequest, request.SerializeAsString());
  for (size_t size = 0; size <= frame.size(); ++size) {
    int in[2], out[2];
    REQUIRE(::pipe2(in, O_CLOEXEC) == 0);
    REQUIRE(::pipe2(out, O_CLOEXEC) == 0);
    REQUIRE(::write(in[1], frame.data(), size) == static_cast<ssize_t>(size));
    ::close(in[1]);
    CHECK_FALSE(Serve(in[0], out[1], "test"));
    ::close(in[0]);
    ::close(out[1]);
    std::string answer(4096, '\0');
    const ssize_t n = ::read(out[0], answer.data(), answer.size());
    ::close(out[0]);
    answer.resize(static_cast<size_t>(std::max<ssize_t>(n, 0)));
    FrameReader frames;
    frames.Add(answer);
    REQUIRE(frames.SkipToMagic());
    std::string types;
    FrameType type{};
    std::string_view payload;
    while (frames.Next(&type, &payload)) types += static_cast<char>(type);
    CHECK(types.substr(0, 1) == "H");
    CHECK((types.find('F') != std::string::npos) == (size == frame.size()));
  }
}

}  // namespace
}  // namespace stepscope::remote
