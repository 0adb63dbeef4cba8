// Events that are read by comparison with those before them: they have the arguments that each of
// them has alone, whatever came before.
#include "loaders/chrome_json/typed_args.h"

#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "loaders/chrome_json/args_source.h"
#include "tests/loaders/chrome_json/chrome_support.h"
#include "tests/loaders/chrome_json/typed_support.h"

namespace stepscope::chrome {
namespace {

// Reads the event both ways. True: it has a text and was read by comparison, because only then a
// text has a memo.
bool ReadsAlike(EventForms* forms, const std::string& text, uint32_t kind, bool memory = false) {
  CAPTURE(text);
  TypedArgs alone, typed;
  const bool whole = ReadArgsOfEvent(text, memory, &alone);
  REQUIRE(forms->Read(text, kind, memory, &typed) == whole);
  if (whole) REQUIRE(EqualArgs(typed, alone));
  return whole && !typed.tokens.empty() && typed.tokens.front().memo != nullptr;
}

// Makes events as recorders write them, and as none does.
class EventWriter {
 public:
  explicit EventWriter(uint32_t seed) : random_(seed) {}
  size_t Below(size_t n) { return static_cast<size_t>(random_() % n); }

  std::string Event(uint32_t kind) {
    static constexpr const char* kCategories[] = {"cpu_op", "cuda_runtime", "kernel"};
    std::string text = std::string("{\n  \"ph\": \"X\", \"cat\": \"") + kCategories[kind % 3] +
                       "\", \"name\": \"n" + std::to_string(kind) + "\", \"ts\": " + Number() +
                       ", \"dur\": " + Number() + ",\n  \"args\": {";
    if (kind % 3 == 0) {
      text += "\n    \"External id\": " + Number() + ",\n    \"Input Dims\": " + Dims() +
              ", \"Input type\": [\"float\", \"Scalar\"], \"Call stack\": \"\"";
    } else if (kind % 3 == 1) {
      text += "\"cbid\": 211, \"correlation\": " + Number();
    } else {
      text += "\"device\": 1, \"correlation\": " + Number() + ", \"grid\": " + Dims() +
              ", \"block\": [512, 1, 1], \"est. achieved occupancy %\": " + Number();
    }
    if (Below(20) == 0) text += R"(, "correlation_id": 5)";
    if (Below(20) == 0) text += R"(, "source": "a\"}b\\")";
    return text + "}\n}";
  }

  std::string Damaged(std::string text) {
    static constexpr std::string_view kDamage = "{}[]\",:\\ 0\n";
    for (size_t n = 1 + Below(3); n > 0; --n) {
      const size_t at = Below(text.size());
      if (Below(3) == 0) {
        text.erase(at, 1 + Below(5));
      } else if (Below(2) == 0) {
        text.insert(at, 1, kDamage[Below(kDamage.size())]);
      } else {
        text[at] = kDamage[Below(kDamage.size())];
      }
      if (text.empty()) return text;
    }
    return text;
  }

 private:
  std::string Number() {
    static constexpr const char* kRare[] = {"\"0x1f\"",
                                            "1.5e3",
                                            "12.25",
                                            "7.",
                                            "-5",
                                            "0x1f",
                                            "007",
                                            "5 ",
                                            "1661938466265032.125",
                                            "999999999999999999",
                                            "9223372036854775807",
                                            "9223372036854775808",
                                            "00000000000000000012"};
    if (Below(30) == 0) return kRare[Below(std::size(kRare))];
    return std::to_string(Below(1 << Below(20)));
  }
  std::string Dims() {
    std::string text = "[";
    for (size_t n = Below(4); n > 0; --n) text += std::to_string(Below(3)) + (n > 1 ? ", " : "");
    return text + "]";
  }
  std::mt19937 random_;
};

// Reads events of some kinds, every second one damaged if asked. Returns how many with a text were
// compared: about a third of all.
int CountCompared(uint32_t seed, int events, size_t kinds, bool damaged) {
  EventWriter writer(seed);
  EventForms forms;
  int compared = 0;
  for (int i = 0; i < events; ++i) {
    const auto kind = static_cast<uint32_t>(writer.Below(kinds));
    std::string text = writer.Event(kind);
    if (damaged && i % 2 == 0) text = writer.Damaged(text);
    if (ReadsAlike(&forms, text, kind, damaged && i % 50 == 0)) ++compared;
  }
  return compared;
}

TEST_CASE("event forms: events of several kinds are read as each of them alone") {
  CHECK(CountCompared(5, 20'000, 30, false) > 5'000);
}

TEST_CASE("event forms: damaged events are refused or read as alone, and spoil no others") {
  CHECK(CountCompared(7, 100'000, 9, true) > 3'000);
}

TEST_CASE(
    "event forms: a value that goes on, begins later or is missing is not taken for another") {
  const std::vector<std::vector<std::string>> lists = {
      {R"({"args":{"id":12}})", R"({"args":{"id":13}})", R"({"args":{"id": 14}})",
       R"({"args":{"id":}})", R"({"args":{"id":,"device":1}})", R"({"args":{"id":1 2}})"},
      {R"({"args":{"id":1 "device":2}})", R"({"args":{"id":3 "device":4}})",
       R"({"args":{"id": "device":4}})", R"({"args":{"id":"device":4}})"},
      {R"({"args":{"tf_op":"a"}})", R"({"args":{"tf_op":"b"}})", R"({"args":{"tf_op":"b\""}})",
       R"({"args":{"tf_op":"b"c"}})", R"({"args":{"tf_op":"b)", R"({"args":{"tf_op":"b"}})"},
      {R"({"args":{"grid":[1,2]}})", R"({"args":{"grid":[1,3]}})", R"({"args":{"grid":[1,3],4}})",
       R"({"args":{"grid":[1,3]]}})", R"({"args":{"grid":[1,"]"]}})", R"({"args":{"grid":[1}}})"},
      {R"({"a":1,"args":{"id":1}})", R"({"a":2,"args":{"id":1}})",
       R"({"a":{},"args":{"id":2},"args":{"id":3}})", R"({"a":2,"args":{"id":1},"args":{"id":3}})",
       R"({"a":2,"args":[1]})", R"({"a":2,"args":{"id":1})"},
      {R"({"args":{"correlation":1,"correlationId":2}})",
       R"({"args":{"correlation":3,"correlationId":2}})",
       R"({"args":{"correlation":4,"correlationId":2}})"},
  };
  int compared = 0;
  for (const std::vector<std::string>& list : lists) {
    EventForms forms;
    for (int round = 0; round < 3; ++round)
      for (const std::string& text : list) compared += ReadsAlike(&forms, text, 0) ? 1 : 0;
  }
  CHECK(compared > 0);
}

TEST_CASE("event forms: kinds share a bounded place, and long events are not kept") {
  EventForms forms;
  EventWriter writer(9);
  int compared = 0;
  for (uint32_t kind = 0; kind < 3 * EventForms::kKinds; ++kind) {
    // One form in each place, whose name varies.
    compared += ReadsAlike(&forms, writer.Event(3 * (kind % EventForms::kKinds)), kind) ? 1 : 0;
  }
  CHECK(compared > 0);
  const std::string long_text(EventForms::kLongestEvent, 'x');
  const std::string event = "{\"args\":{\"id\":1,\"tf_op\":\"" + long_text + "\"}}";
  EventForms none;
  for (int i = 0; i < 3; ++i) CHECK_FALSE(ReadsAlike(&none, event, 1));
  // More forms of one kind than are kept.
  EventForms few;
  for (int i = 0; i < 100; ++i) {
    const std::string key(static_cast<size_t>(i % 7), 'k');
    ReadsAlike(&few, "{\"args\":{\"" + key + "\":1,\"id\":" + std::to_string(i) + "}}", 1);
  }
}

// Several stretches of text, threads whose events lie apart, and texts that repeat in all of them.
TEST_CASE("event forms: the columns of a trace are those of its events, one by one") {
  EventWriter writer(11);
  std::string text = "[";
  while (text.size() < 3 * EventPlaces::kStretch + EventPlaces::kStretch / 2) {
    std::string event = writer.Event(static_cast<uint32_t>(writer.Below(30)));
    event.insert(event.find("\"ts\""),
                 "\"pid\": 1, \"tid\": " + std::to_string(writer.Below(3)) + ", ");
    text += (text.size() > 1 ? ",\n" : "") + event;
  }
  text += "]";
  const TracePtr trace = Chrome(text);
  const auto loaded = trace->source->LoadTyped(*trace, {});
  REQUIRE(loaded.ok());
  const StatTable& table = **loaded;
  size_t values = 0, expected = 0;
  for (const auto& column : table.ints) expected += column.size();
  for (const Lane& lane : trace->set.lanes) {
    for (uint32_t i = 0; i < lane.size(); ++i) {
      TypedArgs alone;
      REQUIRE(ReadArgsOfEvent(std::string_view(text).substr(lane.SourceOffset(i)), false, &alone));
      const EventRow row(lane.first_row + i);
      std::array<std::optional<int64_t>, static_cast<size_t>(IntStat::kCount)> ints;
      for (const auto& [stat, value] : alone.ints) ints[static_cast<size_t>(stat)] = value;
      for (size_t stat = 0; stat < ints.size(); ++stat) {
        if (ints[stat]) ++values;
        if (table.ints[stat].Find(row) != ints[stat]) FAIL_CHECK("row ", row.value, " stat ", stat);
      }
      for (const TextToken& token : alone.tokens) {
        const auto id = table.Text(token.stat).Find(row);
        REQUIRE(id.has_value());
        REQUIRE(table.strings->View(*id) == TextOfToken(token.token));
      }
      for (const auto& [stat, value] : alone.reals) REQUIRE(table.Real(stat).Find(row) == value);
    }
  }
  CHECK(values == expected);
  CHECK(values > 20'000);
}

}  // namespace
}  // namespace stepscope::chrome
