// Samples with seeded random edits: no event may be lost without a diagnostic. Where fewer events
// are loaded than before the edit, there must be a new diagnostic, or the edit must be legal: then
// an independent strict reader (nlohmann's JSON, protobuf's coded stream) accepts the edited file
// and counts exactly the events that were loaded.
#include <doctest/doctest.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "loaders/loader.h"
#include "model/jobs/job.h"
#include "tests/support/sanitized.h"
#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

using nlohmann::json;

constexpr int kVariants = kSanitized ? 20 : 400;  // edited files a sample

std::string Inflated(const std::string& name) {
  const auto source =
      OpenByteSource(test::SourcePath("tests/data/") + name, uint64_t{1} << 30, {}, nullptr);
  REQUIRE(source.ok());
  const auto bytes = (*source)->bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// ---- Strict readers ---------------------------------------------------------

// Counts the events of a Chrome trace of complete events and instants; nullopt: not JSON.
std::optional<uint64_t> StrictJsonEvents(const std::string& text) {
  const json root = json::parse(text, nullptr, false);
  if (root.is_discarded()) return std::nullopt;
  const json* list = root.is_object() && root.contains("traceEvents") ? &root["traceEvents"]
                     : root.is_array()                                ? &root
                                                                      : nullptr;
  if (list == nullptr || !list->is_array()) return 0;
  uint64_t events = 0;
  for (const json& event : *list) {
    if (!event.is_object() || !event.contains("ph") || !event["ph"].is_string()) continue;
    const std::string ph = event["ph"];
    events += ph.size() == 1 && std::string("XiIRPNOD").find(ph) != std::string::npos;
  }
  return events;
}

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

// Fields that lead from XSpace down to XEvent.
constexpr int kPathToEvents[] = {1, 3, 4};

// Counts the events of a message at `depth` of the path. False where it is not well formed.
bool StrictMessage(CodedInputStream* in, size_t depth, uint64_t* events) {
  while (const uint32_t tag = in->ReadTag()) {
    const int field = WireFormatLite::GetTagFieldNumber(tag);
    const bool length =
        WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    if (field == 0) return false;
    if (depth == std::size(kPathToEvents) || field != kPathToEvents[depth] || !length) {
      if (!WireFormatLite::SkipField(in, tag)) return false;
      continue;
    }
    const auto limit = in->ReadLengthAndPushLimit();
    if (depth + 1 == std::size(kPathToEvents)) ++*events;
    if (!StrictMessage(in, depth + 1, events) || !in->ConsumedEntireMessage()) return false;
    in->PopLimit(limit);
  }
  return true;
}

std::optional<uint64_t> StrictXSpaceEvents(const std::string& bytes) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()),
                      static_cast<int>(bytes.size()));
  uint64_t events = 0;
  if (!StrictMessage(&in, 0, &events) || !in.ConsumedEntireMessage()) return std::nullopt;
  return events;
}

// ---- Edits ------------------------------------------------------------------

// Begin and size of a token or field: edits change whole ones as well as single bytes.
struct Token {
  size_t at, size;
};

std::vector<Token> JsonTokens(const std::string& text) {
  std::vector<Token> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      ++end;
    } else if (std::string("{}[]:, \n").find(text[at]) == std::string::npos) {
      end = std::min(text.find_first_of("{}[]:, \n", at), text.size());
    }
    tokens.push_back({at, std::min(end, text.size()) - at});
    at = end;
  }
  return tokens;
}

// Fields of the message [begin, end) and of those on the path to the events.
void WireFields(const std::string& bytes, size_t begin, size_t end, size_t depth,
                std::vector<Token>* out) {
  CodedInputStream in(reinterpret_cast<const uint8_t*>(bytes.data()) + begin,
                      static_cast<int>(end - begin));
  while (const uint32_t tag = in.ReadTag()) {
    const size_t tag_size = tag < 128 ? 1 : 2;  // of fields below 2048, which all of ours are
    const size_t at = begin + static_cast<size_t>(in.CurrentPosition()) - tag_size;
    if (!WireFormatLite::SkipField(&in, tag)) return;
    const size_t next = begin + static_cast<size_t>(in.CurrentPosition());
    out->push_back({at, next - at});
    const bool inner = depth < std::size(kPathToEvents) &&
                       WireFormatLite::GetTagFieldNumber(tag) == kPathToEvents[depth];
    if (!inner) continue;
    const size_t size = next - at - tag_size;  // with the length before the payload
    size_t head = 1;
    while (size - head >= size_t{1} << (7 * head)) ++head;
    WireFields(bytes, next - (size - head), next, depth + 1, out);
  }
}

struct Sample {
  std::string name, bytes;
  std::vector<Token> tokens;
  std::optional<uint64_t> (*strict)(const std::string&);
};

class Editor {
 public:
  Editor(const Sample& sample, uint32_t seed) : sample_(sample), random_(seed) {}

  std::string Edit() {
    std::string out = sample_.bytes;
    Token place{Below(out.size()), 1 + Below(40)};
    if (Below(2) == 0) place = sample_.tokens[Below(sample_.tokens.size())];
    place.size = std::min(place.size, out.size() - place.at);
    switch (Below(6)) {
      case 0:
        out[place.at] = static_cast<char>(out[place.at] ^ (1 << Below(8)));
        break;
      case 1:
        out[place.at + Below(place.size)] = static_cast<char>(random_());
        break;
      case 2:
        out.resize(place.at);
        break;
      case 3:
        out.erase(place.at, place.size);
        break;
      case 4:
        out.insert(place.at, sample_.bytes, place.at, place.size);
        break;
      default: {  // another token in its place
        const Token other = sample_.tokens[Below(sample_.tokens.size())];
        out.replace(place.at, place.size, sample_.bytes, other.at,
                    std::min<size_t>(other.size, 1'000));
      }
    }
    return out;
  }

 private:
  size_t Below(size_t n) { return random_() % std::max<size_t>(n, 1); }
  const Sample& sample_;
  std::mt19937 random_;
};

// ---- The check --------------------------------------------------------------

struct Loaded {
  bool ok = false;
  uint64_t events = 0;
  std::map<std::string, uint64_t> diagnostics;
};

Loaded Load(const Sample& sample, std::string bytes) {
  LoadOptions options;
  options.threads = 1;
  const auto trace = LoadBytes(sample.name, std::move(bytes), options);
  Loaded loaded;
  loaded.ok = trace.ok();
  if (!trace.ok()) return loaded;
  loaded.events = (*trace)->counts.events();
  for (const Diagnostic& d : (*trace)->diagnostics.rows()) loaded.diagnostics[d.id] = d.count;
  return loaded;
}

bool HasNewDiagnosis(const Loaded& before, const Loaded& after) {
  return std::any_of(after.diagnostics.begin(), after.diagnostics.end(), [&](const auto& d) {
    const auto old = before.diagnostics.find(d.first);
    return old == before.diagnostics.end() || d.second > old->second;
  });
}

void CheckSample(const Sample& sample) {
  CAPTURE(sample.name);
  const Loaded before = Load(sample, sample.bytes);
  REQUIRE(before.ok);
  REQUIRE(sample.strict(sample.bytes) == before.events);
  std::atomic<uint32_t> fewer{0}, legal{0};
  std::mutex mutex;
  std::string silent;
  ParallelFor(kVariants, [&](size_t seed) {
    const std::string edited = Editor(sample, static_cast<uint32_t>(seed)).Edit();
    const Loaded after = Load(sample, edited);
    if (!after.ok || after.events >= before.events) return;
    ++fewer;
    if (HasNewDiagnosis(before, after)) return;
    if (sample.strict(edited) == after.events) {
      ++legal;
      return;
    }
    std::lock_guard lock(mutex);
    silent += " seed " + std::to_string(seed) + ": " + std::to_string(before.events) + " -> " +
              std::to_string(after.events) + ", strict " +
              std::to_string(sample.strict(edited).value_or(~uint64_t{0})) + ";";
  });
  CHECK(silent == "");
  CHECK(fewer > 0);
  CHECK(legal < fewer);
}

// The metadata and the first events of a trace: thousands of variants of a whole one take too long.
std::string FirstEvents(const std::string& text, size_t most) {
  json root = json::parse(text);
  json kept = json::array();
  for (json& event : root["traceEvents"]) {
    if (!event.is_object() || (!event.contains("ph")) || event["ph"] == "M" || kept.size() < most)
      kept.push_back(std::move(event));
  }
  root["traceEvents"] = std::move(kept);
  return root.dump();
}

TEST_CASE("Edited XSpaces lose no event in silence") {
  for (const char* name : {"jax_cpu.xplane.pb", "tf_eagerpy.xplane.pb", "tf_graph.xplane.pb",
                           "tf_inputbound.xplane.pb", "tf_keras.xplane.pb"}) {
    Sample sample{name, Inflated(std::string(name) + ".zst"), {}, StrictXSpaceEvents};
    WireFields(sample.bytes, 0, sample.bytes.size(), 0, &sample.tokens);
    CheckSample(sample);
  }
}

TEST_CASE("Edited Chrome traces lose no event in silence") {
  for (const char* name : {"jax_cpu.trace.json", "torch_cpu.json", "torch_cpu_stack.json"}) {
    Sample sample{
        name, FirstEvents(Inflated(std::string(name) + ".gz"), 1'000), {}, StrictJsonEvents};
    sample.tokens = JsonTokens(sample.bytes);
    CheckSample(sample);
  }
}

}  // namespace
}  // namespace stepscope
