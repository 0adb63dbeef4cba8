#include "loaders/remote/receiver.h"

#include <algorithm>
#include <cstring>

#include "loaders/remote/remote.pb.h"
#include "loaders/store/section.h"
#include "loaders/store/store_reader.h"

namespace stepscope::remote {
namespace {

constexpr const char* kDamaged = "the data of the host is damaged";

std::string_view BytesOf(const ByteSource* source) {
  if (source == nullptr) return {};
  return {reinterpret_cast<const char*>(source->bytes().data()), source->bytes().size()};
}

}  // namespace

Receiver::Receiver(Peer peer, const LoadOptions& options, const std::stop_token& stop,
                   Progress* progress, std::vector<std::string>* runs)
    : peer_(std::move(peer)),
      options_(options),
      stop_(stop),
      progress_(*progress),
      runs_(runs),
      came_(options.part == nullptr ? nullptr : options.part->came()) {}

std::string Receiver::Request(const std::string& path) const {
  pb::Request request;
  request.set_protocol(kProtocol);
  request.set_path(path);
  request.set_run(options_.run);
  request.set_host(options_.host);
  request.set_max_inflated_bytes(options_.max_inflated_bytes);
  if (const std::string_view came = BytesOf(came_.get()); !came.empty()) {
    request.set_came_bytes(came.size());
    request.set_came_sum(store::BeginSum(0, came));
  }
  return Frame(FrameType::kRequest, request.SerializeAsString());
}

bool Receiver::Add(std::string_view bytes) {
  frames_.Add(bytes);
  if (!begun_ && !frames_.SkipToMagic()) return Fine("other than Stepscope answers there");
  begun_ = true;
  FrameType type{};
  std::string_view payload;
  while (status_.ok() && !ended_ && frames_.Next(&type, &payload)) Take(type, payload);
  return Fine(kDamaged) && !ended_;
}

std::shared_ptr<const ByteSource> Receiver::TakeStore() {
  FrameType type{};
  std::string_view begun;
  // The bytes of a frame that was cut belong to the store like any others.
  if (begun_ && !ended_ && status_.ok() && frames_.Begun(&type, &begun) && type == FrameType::kData)
    TakeData(begun);
  const std::string_view came = BytesOf(came_.get()), now = store();
  const size_t common = std::min(came.size(), now.size());
  const bool same = common > 0 && came.substr(0, common) == now.substr(0, common);
  if (options_.part != nullptr) options_.part->SetReused(same ? common : 0);
  // A load that ended before it was as far as the one before has nothing to add.
  if (now.empty() || (same && common == now.size() && !ended_)) return came_;
  const size_t size = now.size();
  store_.ShrinkToFit();
  return MakeMemorySource(peer_.address, size, std::move(store_), !ended_);
}

void Receiver::Fail(ErrorCode code, const std::string& why) {
  status_ = Status(code, peer_.host + ": " + why);
}

bool Receiver::Fine(const char* why) {
  if (frames_.failed() && status_.ok()) Fail(ErrorCode::kIo, why);
  return status_.ok();
}

template <typename Message>
bool Receiver::Parse(std::string_view payload, Message* message) {
  if (message->ParseFromArray(payload.data(), static_cast<int>(payload.size()))) return true;
  Fail(ErrorCode::kIo, kDamaged);
  return false;
}

void Receiver::Take(FrameType type, std::string_view payload) {
  switch (type) {
    case FrameType::kHello:
      return TakeHello(payload);
    case FrameType::kProgress:
      return TakeProgress(payload);
    case FrameType::kRuns:
      return TakeRuns(payload);
    case FrameType::kContinue:
      return TakeContinue(payload);
    case FrameType::kData:
      return TakeData(payload);
    case FrameType::kFailure:
      return TakeFailure(payload);
    case FrameType::kEnd:
      return TakeEnd(payload);
    default:
      return;  // of a newer program
  }
}

void Receiver::TakeHello(std::string_view payload) {
  pb::Hello hello;
  if (!Parse(payload, &hello) || hello.protocol() == kProtocol) return;
  Fail(ErrorCode::kUnsupported, "another version of Stepscope is there (" + hello.program() +
                                    "), which does not fit this one; install the same");
}

void Receiver::TakeProgress(std::string_view payload) {
  pb::Progress report;
  if (!Parse(payload, &report) || !store_.empty()) return;
  if (progress_.bytes_total == 0) progress_.SetStage("Loading on the other machine");
  progress_.bytes_total = report.bytes_total();
  progress_.bytes_done = std::min(report.bytes_done(), report.bytes_total());
}

void Receiver::TakeRuns(std::string_view payload) {
  pb::Runs runs;
  if (Parse(payload, &runs) && runs_ != nullptr)
    runs_->assign(runs.names().begin(), runs.names().end());
}

// The other machine has compared sums, so the begin is taken without a look at it.
void Receiver::TakeContinue(std::string_view payload) {
  pb::Continue message;
  if (!Parse(payload, &message)) return;
  const std::string_view came = BytesOf(came_.get());
  if (came.empty() || message.bytes() != came.size() || !store_.empty())
    return Fail(ErrorCode::kIo, kDamaged);
  BeginStore("Receiving the rest of the profile");
  options_.part->SetReused(came.size());
  Append(came);
}

void Receiver::TakeData(std::string_view payload) {
  if (store_.empty()) BeginStore("Receiving the profile");
  Append(payload);
}

// From here on progress counts bytes of the store. Its size is known when all of it is there.
void Receiver::BeginStore(const char* stage) {
  progress_.bytes_total = 0;
  progress_.bytes_done = 0;
  progress_.SetStage(stage);
}

void Receiver::Append(std::string_view bytes) {
  const size_t at = store_.size(), size = at + bytes.size();
  if (size > options_.max_inflated_bytes)
    return Fail(ErrorCode::kLimit, "more comes than --max-inflated allows");
  if (size > store_.capacity()) store_.Reserve(size + size / 4);
  store_.Resize(size);
  if (!bytes.empty()) std::memcpy(store_.data() + at, bytes.data(), bytes.size());
  progress_.bytes_done += bytes.size();
  if (options_.preview != nullptr && !previewed_) Preview();
}

void Receiver::Preview() {
  const size_t bytes = store::PreviewBytes(store(), &preview_at_);
  if (bytes == 0) return;
  previewed_ = true;
  Result<std::shared_ptr<const Trace>> picture = store::ReadPreview(
      peer_.address, store().substr(0, bytes), options_.max_inflated_bytes, stop_);
  if (picture.ok()) options_.preview(std::move(picture).value());
}

void Receiver::TakeFailure(std::string_view payload) {
  pb::Failure failure;
  if (!Parse(payload, &failure)) return;
  const bool known =
      failure.code() > 0 && failure.code() <= static_cast<uint32_t>(ErrorCode::kUsage);
  Fail(known ? static_cast<ErrorCode>(failure.code()) : ErrorCode::kIo, failure.text());
}

void Receiver::TakeEnd(std::string_view payload) {
  pb::End end;
  if (!Parse(payload, &end)) return;
  if (store_.empty()) return Fail(ErrorCode::kIo, "the host sent no data");
  ended_ = end.bytes() == store_.size();
  if (!ended_) Fail(ErrorCode::kIo, "parts of the profile are missing");
}

}  // namespace stepscope::remote
