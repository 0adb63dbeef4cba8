// Seeded texts of all phases and odd but valid JSON give the same events, arguments and diagnostics
// with and without blanks between their tokens, and nothing of them is repaired.
#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>

#include "tests/loaders/chrome_json/chrome_support.h"

namespace stepscope {
namespace {

// Makes valid JSON events from a seed.
class EventMaker {
 public:
  EventMaker(uint64_t seed, bool blanks) : random_(seed), blank_random_(seed), blanks_(blanks) {}

  std::string List(size_t events) {
    const bool object = Below(2) == 0;
    std::string text = object ? R"({"displayTimeUnit":"ms",)" + Space() + R"("traceEvents":)" : "";
    text += "[";
    for (size_t i = 0; i < events; ++i) text += (i == 0 ? "" : ",") + Space() + Event();
    text += Space() + "]";
    return object ? text + R"(,"after":{"a":[1,"]}"]}})" : text;
  }

 private:
  size_t Below(size_t n) { return static_cast<size_t>(random_() % n); }
  template <size_t kSize>
  const char* OneOf(const char* const (&list)[kSize]) {
    return list[Below(kSize)];
  }
  std::string Space() {
    static constexpr const char* kBlanks[] = {"", "", " ", "\n  ", "\t"};
    return blanks_ ? kBlanks[blank_random_() % std::size(kBlanks)] : "";
  }

  std::string Event() {
    if (Below(40) == 0) return OneOf({"{}", "17", "null", "\"text\"", "[1,{\"ph\":\"X\"}]"});
    std::vector<std::string> members;
    members.push_back(std::string(R"("ph":")") +
                      OneOf({"X", "X", "X", "B", "E", "b", "n", "e", "S", "T", "p", "F", "i", "I",
                             "R", "C", "s", "t", "f", "M", "N", "O", "D", "P", "v", "?", "XX"}) +
                      "\"");
    const std::string pid = OneOf({"1", "2", "\"1\"", "\"Spans\"", "null"});
    members.push_back("\"pid\":" + pid);
    if (Below(10) != 0) members.push_back(std::string("\"tid\":") + OneOf({"1", "7", "\"a b\""}));
    if (Below(20) != 0) members.push_back("\"ts\":" + Number());
    if (Below(3) != 0) members.push_back("\"dur\":" + Number());
    members.push_back(std::string("\"name\":") +
                      OneOf({"\"a\"", "\"b\"", "\"[memory]\"", "\"ProfilerStep#3\"",
                             "\"\\u00e9\\ud83d\\ude00 \\\"q\\\" \\\\\"", "\"\"", "\"process_name\"",
                             "\"thread_name\""}));
    if (Below(2) == 0)
      members.push_back(std::string("\"cat\":") +
                        OneOf({"\"kernel\"", "\"cpu_op\"", "\"ac2g\"", "\"\"", "\"a,b\""}));
    if (Below(2) == 0)
      members.push_back(std::string("\"id\":") + OneOf({"1", "\"0x1\"", "\"one\"", "2", "1.0"}));
    if (Below(6) == 0) members.push_back(R"("id2":{"local":"0x1"})");
    if (Below(6) == 0) members.push_back(R"("bp":"e")");
    if (Below(6) == 0) members.push_back(R"("bind_id":"0x7","flow_out":true)");
    if (Below(8) == 0) members.push_back(R"("bind_id":7,"flow_in":true)");
    if (Below(8) == 0) members.push_back("\"scope\":\"s\"");
    if (Below(2) == 0) members.push_back("\"args\":" + Space() + Value(0));
    if (Below(8) == 0) members.push_back("\"unknown\":" + Value(0));
    std::shuffle(members.begin(), members.end(), random_);
    std::string text = "{";
    for (const std::string& m : members)
      text += (text.size() == 1 ? "" : Space() + ",") + Space() + m;
    return text + Space() + "}";
  }

  std::string Number() {
    switch (Below(6)) {
      case 0:
        return std::to_string(Below(1000)) + "." + std::to_string(Below(1'000'000));
      case 1:
        return std::to_string(Below(100)) + OneOf({"e1", "E+2", "e-3", ".5e0"});
      case 2:
        return "\"" + std::to_string(Below(1000)) + "\"";
      case 3:
        return OneOf({"-5", "1e19", "null", "\"x\"", "-0.0", "true"});
      default:
        return std::to_string(Below(1000));
    }
  }

  std::string Value(int depth) {
    const size_t kind = Below(depth < 3 ? 8 : 5);
    if (kind == 0) return Number();
    if (kind == 1) return OneOf({"true", "false", "null"});
    if (kind < 5) return OneOf({"\"]}\"", "\"\\\\\"", "\"\\n\\/\\u0041\"", "\"x\"", "\"\""});
    const bool array = kind == 5;
    std::string text = array ? "[" : "{";
    for (size_t i = 0, n = Below(4); i < n; ++i) {
      text += (i == 0 ? "" : ",") + Space();
      if (!array)
        text += std::string(OneOf({"\"k\"", "\"bytes\"", "\"correlation\"", "\"labels\"",
                                   "\"Total Allocated\"", "\"a.b\"", "\"\\\"\""})) +
                ":";
      text += Value(depth + 1);
    }
    return text + Space() + (array ? "]" : "}");
  }

  std::mt19937_64 random_, blank_random_;
  bool blanks_;
};

// All events with their arguments, and all diagnostics. Offsets differ with blanks.
std::string DumpAll(const Trace& trace) {
  std::string out = Dump(trace);
  for (uint32_t row = 0; row < trace.set.rows; ++row) {
    const Result<std::vector<Stat>> stats = trace.source->Decode(trace, EventRow(row));
    REQUIRE(stats.ok());
    for (const Stat& stat : *stats) out += stat.name + "=" + ToText(stat) + ";";
    out += "\n";
  }
  for (const Diagnostic& d : trace.diagnostics.rows()) {
    out += d.id + " " + std::to_string(d.count) + "\n";
  }
  return out;
}

TEST_CASE("chrome differential: blanks between tokens change nothing") {
  uint64_t events = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const size_t count = 5 + seed % 60;  // fewer may be ends without a begin, which are no trace
    const TracePtr blanks = Chrome(EventMaker(seed, true).List(count));
    const TracePtr compact = Chrome(EventMaker(seed, false).List(count));
    for (const char* fault : {"chrome.repaired", "chrome.damaged_event", "chrome.truncated_event"})
      CHECK(DiagnosticCount(*blanks, fault) == 0);
    REQUIRE(DumpAll(*blanks) == DumpAll(*compact));
    events += blanks->counts.events();
  }
  CHECK(events > 5'000);
}

TEST_CASE("chrome differential: a text of many batches, with and without a comma too many") {
  std::string text = "[";
  for (uint64_t seed = 0; text.size() < (size_t{5} << 20); ++seed) {
    std::string list = EventMaker(seed, true).List(200);
    list = list.substr(list.find('[') + 1);
    if (list.find("],\"after\"") != std::string::npos) list.resize(list.find("],\"after\""));
    if (list.back() == ']') list.pop_back();
    text += (text.size() > 1 ? "," : "") + list;
  }
  text += "]";
  const TracePtr whole = Chrome(text);
  CHECK(DiagnosticCount(*whole, "chrome.repaired") == 0);
  std::string broken = text;
  const size_t at = broken.find("},{\"", broken.size() / 2);
  REQUIRE(at != std::string::npos);
  broken.insert(at + 1, ",");
  CHECK(Dump(*Chrome(broken)) == Dump(*whole));  // no event is lost
}

}  // namespace
}  // namespace stepscope
