// CAPT: traces of recorded graphs beside the trace. Each is a whole store within the section.
#include "loaders/store/byte_codec.h"
#include "loaders/store/sections.h"
#include "loaders/store/store_reader.h"
#include "loaders/store/store_writer.h"

namespace stepscope::store {
namespace {

Status WriteCapture(const WriteContext& context, uint32_t number, Payload* out) {
  const GraphCapture& capture = context.captures[number];
  pb::Capture head;
  head.set_file(capture.file);
  head.set_mode(capture.mode);
  head.set_batch_size(capture.batch_size);
  ByteWriter writer(&out->bytes);
  writer.Text(head.SerializeAsString());
  out->key = number;
  out->count = 1;
  return WriteStore(
      *capture.trace, {{}, context.program}, [out](std::string_view bytes) { out->bytes += bytes; },
      context.stop);
}

bool ReadCapture(ReadContext& context, const Section&, std::string_view bytes) {
  if (context.nested) return false;  // a capture has no captures
  ByteReader reader(bytes);
  const std::string_view message = reader.Text();
  pb::Capture head;
  if (!reader.ok() || !head.ParseFromArray(message.data(), static_cast<int>(message.size())))
    return false;
  const std::string_view rest = reader.Bytes(reader.left());
  Column<char> copy;
  copy.Resize(rest.size());
  std::copy(rest.begin(), rest.end(), copy.data());
  Progress progress;
  ReadOptions options{context.most_bytes - std::min(context.most_bytes, context.bytes.load()),
                      true};
  Result<std::shared_ptr<const Trace>> trace =
      ReadStore(MakeMemorySource(head.file(), rest.size(), std::move(copy), false), options,
                context.stop, &progress);
  if (!trace.ok()) return false;
  GraphCapture capture;
  capture.file = head.file();
  capture.mode = head.mode();
  capture.batch_size = head.batch_size();
  capture.trace = std::move(trace).value();
  context.bytes += capture.trace->store_bytes() + rest.size();
  context.captures.push_back(std::move(capture));
  return true;
}

}  // namespace

const SectionDesc kCaptureSection = {
    "CAPT",
    1,
    SectionCount::kMany,
    ReadMode::kInOrder,
    "captures of graphs",
    [](const WriteContext& c) { return static_cast<uint32_t>(c.captures.size()); },
    WriteCapture,
    ReadCapture};

}  // namespace stepscope::store
