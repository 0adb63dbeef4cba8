#include "loaders/chrome_json/splitter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stepscope::chrome {
namespace {

struct Cuts {
  std::vector<std::pair<uint64_t, uint64_t>> batches;
  std::vector<std::string> members;  // "key=value"
  Splitter::Place place;
  bool lost;
};

// Feeds the text in steps of `step` bytes.
Cuts Split(const std::string& text, size_t step) {
  Cuts cuts;
  Splitter splitter(text.data(),
                    [&](uint64_t begin, uint64_t end) { cuts.batches.emplace_back(begin, end); });
  for (size_t size = step; size < text.size(); size += step) splitter.Advance(size, false);
  splitter.Advance(text.size(), true);
  for (const TopMember& m : splitter.members())
    cuts.members.push_back(m.key + "=" + std::string(m.value));
  cuts.place = splitter.place();
  cuts.lost = splitter.lost();
  return cuts;
}

std::string NumberedEvent(int i) {
  return R"({"name": "a \"quoted\" } name\\", "ph":"X", "args": {"x": [{}, "]["], "i": )" +
         std::to_string(i) + "}}";
}

TEST_CASE("splitter: batches hold whole events, whatever the steps in which the text arrives") {
  std::string text = "  {\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const size_t first = text.size();
  std::vector<size_t> ends;
  for (int i = 0; text.size() < 3 * Splitter::kTargetBatch; ++i) {
    if (i > 0) text += i % 3 == 0 ? " ,\n " : ",";
    text += NumberedEvent(i);
    ends.push_back(text.size());
  }
  text += R"(], "otherData": {"a": [1, "}"]}, "baseTimeNanoseconds": 12})";
  for (const size_t step : {size_t{4097}, size_t{65'536}, text.size()}) {
    const Cuts cuts = Split(text, step);
    CHECK(cuts.place == Splitter::Place::kEnd);
    REQUIRE(cuts.batches.size() == 3);
    CHECK(cuts.batches.front().first == first);
    CHECK(cuts.batches.back().second == ends.back());
    for (size_t i = 0; i < cuts.batches.size(); ++i) {
      CHECK(std::binary_search(ends.begin(), ends.end(), cuts.batches[i].second));
      CHECK(text[cuts.batches[i].first] == '{');
    }
    CHECK(cuts.members == std::vector<std::string>{"displayTimeUnit=\"ns\"",
                                                   R"(otherData={"a": [1, "}"]})",
                                                   "baseTimeNanoseconds=12"});
  }
}

TEST_CASE("splitter: short texts byte by byte") {
  const std::vector<std::string> texts = {
      R"([])", R"([{"a":1},{"b":"\\\""}])", R"({"traceEvents":[{}]})", "\xef\xbb\xbf[{\"a\":[[]]}]",
      R"({"x":1.5,"y":"a,b","traceEvents":[{"a":1},],"z":null})"};
  for (const std::string& text : texts) {
    CAPTURE(text);
    const Cuts whole = Split(text, text.size()), bytes = Split(text, 1);
    CHECK(whole.place == Splitter::Place::kEnd);
    CHECK(bytes.place == Splitter::Place::kEnd);
    CHECK(whole.batches == bytes.batches);
    CHECK(whole.members == bytes.members);
  }
  CHECK(Split(texts[0], 1).batches.empty());
  CHECK(Split(texts[4], 1).batches == std::vector<std::pair<uint64_t, uint64_t>>{{34, 41}});
}

TEST_CASE("splitter: lists that are not closed, and no JSON at all") {
  CHECK(Split(R"([{"a":1},{"b":)", 64).place == Splitter::Place::kEvents);
  CHECK(Split(R"({"traceEvents": [)", 64).place == Splitter::Place::kEvents);
  CHECK(Split(R"({"meta": {"a)", 64).place == Splitter::Place::kValue);
  CHECK(Split("hello", 64).place == Splitter::Place::kBad);
  CHECK(Split(R"({"a": 1, b: 2})", 64).place == Splitter::Place::kBad);
  // After a quote that is never closed no event ends, and the splitter says so instead of going on.
  std::string text = R"([{"a": "open)";
  text += std::string(Splitter::kMaxBatch + 1000, 'x');
  CHECK(Split(text, 1 << 20).lost);
}

}  // namespace
}  // namespace stepscope::chrome
