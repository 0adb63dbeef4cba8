#include "loaders/chrome_json/batch_parser.h"

#include <simdjson.h>

#include <cstring>
#include <vector>

namespace stepscope::chrome {

namespace ondemand = simdjson::ondemand;

struct BatchParser::Impl {
  ondemand::parser parser;
  std::vector<char> buffer;  // "[" batch "]" and padding
};

BatchParser::BatchParser() : impl_(std::make_unique<Impl>()) {}
BatchParser::~BatchParser() = default;

namespace {

std::string_view Trim(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

bool ReadFields(ondemand::object object, RawFields* fields) {
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field) != simdjson::SUCCESS) return false;
    fields->any = true;
    const char* key = field.key().raw();
    std::string_view* slot = FieldOf(fields, {key, kLongestKey});
    if (slot != nullptr) {
      *slot = Trim(field.value().raw_json_token());
    } else if (std::memcmp(key, "args\"", 5) == 0) {
      fields->args = field.value().raw_json_token().data();
    }
  }
  return true;
}

bool ReadAll(ondemand::parser* parser, simdjson::padded_string_view json, EventSink* sink) {
  ondemand::document document;
  if (parser->iterate(json).get(document) != simdjson::SUCCESS) return false;
  ondemand::array events;
  if (document.get_array().get(events) != simdjson::SUCCESS) return false;
  for (auto entry : events) {
    ondemand::value value;
    if (entry.get(value) != simdjson::SUCCESS) return false;
    const char* at = value.raw_json_token().data();
    if (*at != '{') {
      sink->Count(ChromeDiagnostic::kNotAnObject, at);
      continue;
    }
    ondemand::object object;
    RawFields fields;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    if (!ReadFields(object, &fields)) return false;
    sink->Add(fields, at);
  }
  // Text after the array means that the batch was not cut where an event ends.
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace

bool BatchParser::Parse(std::string_view batch, uint64_t offset, Int128 base_ps, WorkerNames* names,
                        BatchResult* out) {
  out->Clear();
  if (batch.size() > kMaxBatch) return false;
  const size_t length = batch.size() + 2;
  std::vector<char>& buffer = impl_->buffer;
  if (buffer.size() < length + simdjson::SIMDJSON_PADDING) {
    buffer.resize(length + length / 4 + simdjson::SIMDJSON_PADDING);
  }
  // The batch is copied to be an array of its own, and because simdjson reads beyond the end, where
  // the next bytes of the text are still being written. The copy also brings it into the cache.
  buffer[0] = '[';
  std::memcpy(buffer.data() + 1, batch.data(), batch.size());
  buffer[length - 1] = ']';
  std::memset(buffer.data() + length, ' ', simdjson::SIMDJSON_PADDING);
  EventSink sink(base_ps, names, out);
  sink.SetOrigin(buffer.data() + 1, buffer.data() + length, offset);
  const simdjson::padded_string_view json(buffer.data(), length, buffer.size());
  if (ReadAll(&impl_->parser, json, &sink)) return true;
  out->Clear();
  return false;
}

}  // namespace stepscope::chrome
