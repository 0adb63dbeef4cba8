#include "loaders/remote/receiver.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "loaders/remote/frames.h"
#include "loaders/remote/remote.pb.h"

namespace stepscope::remote {
namespace {

std::string StoreOf(char seed) {
  std::string bytes(5000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(seed + i * 7 % 251);
  return bytes;
}

std::shared_ptr<const ByteSource> SourceOf(std::string_view bytes) {
  Column<char> copy;
  copy.Resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.data());
  return MakeMemorySource("ssh://host/x", bytes.size(), std::move(copy), true);
}

std::string TextOf(const std::shared_ptr<const ByteSource>& source) {
  if (source == nullptr) return {};
  return {reinterpret_cast<const char*>(source->bytes().data()), source->bytes().size()};
}

template <typename Message>
std::string FrameOf(FrameType type, const Message& message) {
  return Frame(type, message.SerializeAsString());
}

std::string Greeting() {
  pb::Hello hello;
  hello.set_protocol(kProtocol);
  return std::string(kServeMagic) + FrameOf(FrameType::kHello, hello);
}

std::string ContinueOf(uint64_t bytes) {
  pb::Continue message;
  message.set_bytes(bytes);
  return FrameOf(FrameType::kContinue, message);
}

std::string EndOf(uint64_t bytes) {
  pb::End end;
  end.set_bytes(bytes);
  return FrameOf(FrameType::kEnd, end);
}

// Returns the answer of a server to the request that a receiver makes.
std::string AnswerTo(const std::string& request_frame, const std::string& store) {
  FrameReader frames;
  frames.Add(request_frame);
  FrameType type{};
  std::string_view payload;
  REQUIRE(frames.Next(&type, &payload));
  pb::Request request;
  REQUIRE(request.ParseFromArray(payload.data(), static_cast<int>(payload.size())));
  std::string answer = Greeting();
  StreamSender sender(request.came_bytes(), request.came_sum(),
                      [&](FrameType t, std::string_view p) { answer += Frame(t, p); });
  for (size_t at = 0; at < store.size(); at += 700)
    sender.Add(std::string_view(store).substr(at, 700));
  sender.Finish();
  return answer + EndOf(store.size());
}

struct Load {
  explicit Load(const std::string& came = {}) {
    options.part = std::make_shared<StreamPart>(came.empty() ? nullptr : SourceOf(came));
  }
  Receiver Make() { return Receiver({"ssh://host/x", "host"}, options, stop, &progress, nullptr); }

  LoadOptions options;
  std::stop_token stop;
  Progress progress;
};

TEST_CASE("A load goes on where an earlier one was cut, and all that it gets is one store") {
  const std::string store = StoreOf('a');
  for (const size_t came :
       {size_t{0}, size_t{1}, size_t{699}, size_t{700}, size_t{4999}, size_t{5000}}) {
    Load load(store.substr(0, came));
    Receiver receiver = load.Make();
    const std::string answer = AnswerTo(receiver.Request("/x"), store);
    if (came > 4000) CHECK(answer.size() < 1200);
    CHECK_FALSE(receiver.Add(answer));
    CHECK(receiver.status().ok());
    CHECK(receiver.ended());
    CHECK(load.progress.bytes_done == store.size());
    const std::shared_ptr<const ByteSource> source = receiver.TakeStore();
    CHECK(TextOf(source) == store);
    CHECK_FALSE(source->truncated());
    CHECK(load.options.part->reused() == came);
  }
}

TEST_CASE("A profile that has changed comes as a whole") {
  const std::string store = StoreOf('b');
  Load load(StoreOf('a').substr(0, 3000));
  Receiver receiver = load.Make();
  CHECK_FALSE(receiver.Add(AnswerTo(receiver.Request("/x"), store)));
  CHECK(receiver.ended());
  CHECK(TextOf(receiver.TakeStore()) == store);
  CHECK(load.options.part->reused() == 0);
}

TEST_CASE("After each prefix of an answer the longest begin of the store is kept") {
  const std::string store = StoreOf('a');
  for (const size_t came : {size_t{0}, size_t{2000}}) {
    std::string answer;
    {
      Load load(store.substr(0, came));
      answer = AnswerTo(load.Make().Request("/x"), store);
    }
    size_t before = came;
    for (size_t size = 0; size + 16 < answer.size(); size += 1 + size / 50) {
      Load load(store.substr(0, came));
      Receiver receiver = load.Make();
      CHECK(receiver.Add(answer.substr(0, size)));
      const std::string kept = TextOf(receiver.TakeStore());
      CHECK(kept == store.substr(0, kept.size()));
      CHECK(kept.size() >= before);
      before = kept.size();
    }
    CHECK(before > store.size() - 200);  // a frame that is cut counts as far as it came
  }
}

// A server that does not know how to go on sends all.
TEST_CASE("What came stays where all is sent again and the connection breaks earlier") {
  const std::string store = StoreOf('a');
  Load load(store.substr(0, 3000));
  Receiver receiver = load.Make();
  CHECK(receiver.Add(Greeting() + Frame(FrameType::kData, store.substr(0, 1000))));
  CHECK(receiver.TakeStore() == load.options.part->came());
  CHECK(load.options.part->reused() == 1000);

  Receiver further = load.Make();
  CHECK(further.Add(Greeting() + Frame(FrameType::kData, store.substr(0, 4000))));
  CHECK(TextOf(further.TakeStore()) == store.substr(0, 4000));
}

TEST_CASE("A host cannot go on with what this side does not have") {
  const std::string store = StoreOf('a');
  const std::string data = Frame(FrameType::kData, store.substr(3000));
  const auto refused = [&](const std::string& came, const std::string& answer) {
    Load load(came);
    Receiver receiver = load.Make();
    CHECK_FALSE(receiver.Add(Greeting() + answer + data + EndOf(5000)));
    CHECK_FALSE(receiver.ended());
    CHECK(receiver.status().code() == ErrorCode::kIo);
    CHECK(receiver.status().message() == "host: the data of the host is damaged");
  };
  const std::string came = store.substr(0, 3000);
  refused("", ContinueOf(3000));
  refused("", ContinueOf(0));
  refused(came, ContinueOf(0));
  refused(came, ContinueOf(2999));
  refused(came, ContinueOf(~uint64_t{0}));
  refused(came, ContinueOf(3000) + ContinueOf(3000));
  refused(came, Frame(FrameType::kData, "x") + ContinueOf(3000));
  refused(came, Frame(FrameType::kContinue, "\xff"));
}

TEST_CASE("The end of an answer must be that of the store, and a limit counts what came before") {
  const std::string store = StoreOf('a');
  Load load(store.substr(0, 3000));
  Receiver receiver = load.Make();
  CHECK_FALSE(receiver.Add(Greeting() + ContinueOf(3000) + EndOf(5000)));
  CHECK(receiver.status().message() == "host: parts of the profile are missing");

  Load empty;
  Receiver nothing = empty.Make();
  CHECK_FALSE(nothing.Add(Greeting() + EndOf(0)));
  CHECK(nothing.status().message() == "host: the host sent no data");
  CHECK(nothing.TakeStore() == nullptr);

  Load limited(store.substr(0, 3000));
  limited.options.max_inflated_bytes = 3500;
  Receiver more = limited.Make();
  CHECK_FALSE(
      more.Add(Greeting() + ContinueOf(3000) + Frame(FrameType::kData, store.substr(3000, 501))));
  CHECK(more.status().code() == ErrorCode::kLimit);
}

}  // namespace
}  // namespace stepscope::remote
