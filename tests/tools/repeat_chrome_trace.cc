// Makes a large Chrome trace out of a real one, whose events it repeats, each time later.
//
//   repeat_chrome_trace IN.json[.gz|.zst] OUT.json BYTES
//
// writes at least BYTES (1e9, 3e9). Metadata events stand in the first round only; the members
// around the event list stay as they are.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/common/json_cursor.h"
#include "loaders/common/json_number.h"
#include "loaders/files/byte_source.h"

namespace stepscope {
namespace {

using namespace json;

// An event's text before and after the whole microseconds of its timestamp.
struct Event {
  std::string_view before, after;  // `after` begins with the fraction
  int64_t micros = 0;
  bool timed = false, metadata = false;
};

struct Pattern {
  std::string_view head, tail;  // the text around the event list
  std::vector<Event> events;
  int64_t span = 1;  // microseconds from one round to the next
};

Event Read(std::string_view text, int64_t* first, int64_t* last) {
  Event event;
  event.before = text;
  ForEachMember(text, [&](std::string_view key, std::string_view value) {
    if (key == "ph") event.metadata = StripQuotes(value) == "M";
    if (key != "ts") return true;
    const std::string_view number = StripQuotes(value);
    const std::string_view whole = number.substr(0, number.find('.'));
    const auto micros = ParseInt(whole);
    if (!micros) return true;
    event.timed = true;
    event.micros = *micros;
    event.before = text.substr(0, static_cast<size_t>(whole.data() - text.data()));
    event.after = text.substr(event.before.size() + whole.size());
    return true;
  });
  if (event.timed && !event.metadata) {
    *first = std::min(*first, event.micros);
    *last = std::max(*last, event.micros);
  }
  return event;
}

bool ReadPattern(std::string_view text, Pattern* out) {
  const size_t key = text.find("\"traceEvents\"");
  const size_t list = text.find('[', key == std::string_view::npos ? 0 : key);
  if (list == std::string_view::npos) return false;
  const std::string_view events = ValueAt(text.data() + list, text.data() + text.size());
  out->head = text.substr(0, list + 1);
  out->tail = text.substr(list + events.size() - 1);
  int64_t first = INT64_MAX, last = INT64_MIN;
  ForEachElement(events, [&](std::string_view e) {
    out->events.push_back(Read(e, &first, &last));
    return true;
  });
  if (last >= first) out->span = last - first + 1'000;
  return !out->events.empty();
}

bool Write(const Pattern& pattern, uint64_t bytes, std::FILE* out) {
  uint64_t written = 0;
  std::string round;
  for (int64_t k = 0; written < bytes; ++k) {
    round.clear();
    if (k == 0) round = pattern.head;
    for (const Event& e : pattern.events) {
      if (k > 0 && (e.metadata || !e.timed)) continue;
      round += written + round.size() > pattern.head.size() ? ",\n" : "\n";
      round += e.before;
      if (e.timed) round += std::to_string(e.micros + k * pattern.span);
      round += e.after;
    }
    written += round.size();
    if (std::fwrite(round.data(), 1, round.size(), out) != round.size()) return false;
  }
  return std::fwrite(pattern.tail.data(), 1, pattern.tail.size(), out) == pattern.tail.size();
}

int Main(int argc, char** argv) {
  const double bytes = argc == 4 ? std::strtod(argv[3], nullptr) : 0;
  if (bytes < 1) {
    std::fprintf(stderr, "usage: repeat_chrome_trace IN.json[.gz|.zst] OUT.json BYTES\n");
    return 2;
  }
  const auto source = OpenByteSource(argv[1], uint64_t{4} << 30, {}, nullptr);
  if (!source.ok()) {
    std::fprintf(stderr, "%s\n", source.status().message().c_str());
    return 3;
  }
  std::string text((*source)->size(), '\0');
  if (!(*source)->Read(0, std::as_writable_bytes(std::span(text))).ok()) return 3;
  Pattern pattern;
  if (!ReadPattern(text, &pattern)) {
    std::fprintf(stderr, "%s: no event list\n", argv[1]);
    return 3;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(argv[2], "wb"),
                                                            &std::fclose);
  if (out == nullptr || !Write(pattern, static_cast<uint64_t>(bytes), out.get())) {
    std::fprintf(stderr, "%s: cannot be written\n", argv[2]);
    return 3;
  }
  return 0;
}

}  // namespace
}  // namespace stepscope

int main(int argc, char** argv) { return stepscope::Main(argc, argv); }
