#include "capture/grpc_call.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "model/base/digits.h"

namespace stepscope::capture {
namespace {

constexpr int32_t kWindowBytes = 16 << 20;  // what a server may send before it hears from here
constexpr size_t kPrefixBytes = 5;          // of a gRPC message: compressed or not, and its length
constexpr size_t kFrameHeaderBytes = 9;
constexpr uint8_t kSettingsFrame = 4;
constexpr size_t kMaxMessageText = 500;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The text of the header grpc-message: percent-encoded, of any length.
std::string MessageText(std::string_view encoded) {
  std::string text;
  for (size_t i = 0; i < encoded.size() && text.size() < kMaxMessageText; ++i) {
    char c = encoded[i];
    if (c == '%' && i + 2 < encoded.size() && HexDigit(encoded[i + 1]) >= 0 &&
        HexDigit(encoded[i + 2]) >= 0) {
      c = static_cast<char>(HexDigit(encoded[i + 1]) * 16 + HexDigit(encoded[i + 2]));
      i += 2;
    }
    text += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
  }
  return text;
}

const char* CodeName(int code) {
  static constexpr const char* kNames[] = {"OK",
                                           "CANCELLED",
                                           "UNKNOWN",
                                           "INVALID_ARGUMENT",
                                           "DEADLINE_EXCEEDED",
                                           "NOT_FOUND",
                                           "ALREADY_EXISTS",
                                           "PERMISSION_DENIED",
                                           "RESOURCE_EXHAUSTED",
                                           "FAILED_PRECONDITION",
                                           "ABORTED",
                                           "OUT_OF_RANGE",
                                           "UNIMPLEMENTED",
                                           "INTERNAL",
                                           "UNAVAILABLE",
                                           "DATA_LOSS",
                                           "UNAUTHENTICATED"};
  return code >= 0 && code < static_cast<int>(std::size(kNames)) ? kNames[code] : "unknown code";
}

nghttp2_nv Header(std::string_view name, std::string_view value) {
  // nghttp2 copies both; its type has no const.
  const auto bytes = [](std::string_view s) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(s.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct GrpcCall::State {
  State(const Address& to, CallRequest what)
      : name(to.Text()), request(std::move(what)), session(nullptr, &nghttp2_session_del) {}

  void Fail(ErrorCode code, const std::string& why) {
    if (done) return;
    done = true;
    status = Status(code, name + ": " + why);
  }
  void FailAsNonsense() {
    Fail(ErrorCode::kIo,
         "what comes from there makes no sense; use the port that the program gave to its "
         "profiler server");
  }
  void Begin();
  void TakeData(std::string_view bytes);
  bool MakeRoom();
  void TakeHeader(std::string_view key, std::string_view value);
  bool LooksLikeHttp2(std::string_view bytes);
  void CloseStream(uint32_t error);
  void Finish();
  std::string Progressed() const {
    return expected == 0 ? BytesText(message.size())
                         : BytesText(message.size()) + " of " + BytesText(expected);
  }

  const std::string name;
  const CallRequest request;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session;
  std::string body;  // the request with its prefix
  size_t body_at = 0;
  int32_t stream = 0;
  std::string output;
  std::string first;  // the first bytes of the server, until its protocol is known
  bool known = false, ready = false, done = false;
  Status status;
  std::string http_status, content_type;
  int grpc_status = kNoGrpcStatus;
  std::string grpc_message;
  std::array<char, kPrefixBytes> prefix{};
  size_t prefix_bytes = 0;
  std::string message;
  uint64_t expected = 0, received = 0;
};

void GrpcCall::State::TakeHeader(std::string_view key, std::string_view value) {
  if (key == ":status") http_status = value;
  if (key == "content-type") content_type = value;
  if (key == "grpc-message") grpc_message = MessageText(value);
  if (key == "grpc-status") {
    int code = kGrpcUnknown;
    std::from_chars(value.data(), value.data() + value.size(), code);
    grpc_status = code;
  }
}

// Pages are taken as bytes come. No exception may leave a callback of nghttp2, which is written in
// C.
bool GrpcCall::State::MakeRoom() {
  try {
    message.reserve(expected);
    return true;
  } catch (const std::bad_alloc&) {
    Fail(ErrorCode::kLimit, "there is no memory for a recording of " + BytesText(expected) +
                                "; record for less time, or with lower tracer levels");
    return false;
  }
}

void GrpcCall::State::TakeData(std::string_view bytes) {
  if (done || http_status != "200") return;  // the body of an error is not read
  const size_t n = std::min(bytes.size(), kPrefixBytes - prefix_bytes);
  std::memcpy(prefix.data() + prefix_bytes, bytes.data(), n);
  prefix_bytes += n;
  bytes.remove_prefix(n);
  if (prefix_bytes < kPrefixBytes) return;
  if (n > 0) {
    for (size_t i = 1; i < kPrefixBytes; ++i)
      expected = expected << 8 | static_cast<uint8_t>(prefix[i]);
    if (prefix[0] != 0)
      return Fail(ErrorCode::kFormat,
                  "the answer is compressed, which was not asked for; is a profiler server there?");
    if (expected > request.max_answer_bytes)
      return Fail(ErrorCode::kLimit, "the recording has " + BytesText(expected) +
                                         ", more than the " + BytesText(request.max_answer_bytes) +
                                         " that can be taken; record for less time, or with lower "
                                         "tracer levels");
    if (!MakeRoom()) return;
  }
  if (bytes.size() > expected - message.size())
    return Fail(ErrorCode::kFormat,
                "the answer is longer than it says; is a profiler server there?");
  message.append(bytes);
  received += bytes.size();
}

void GrpcCall::State::CloseStream(uint32_t error) {
  if (done) return;
  if (error != NGHTTP2_NO_ERROR && grpc_status == kNoGrpcStatus)
    return Fail(ErrorCode::kIo, "the program ended the call (" +
                                    std::string(nghttp2_http2_strerror(error)) + ") after " +
                                    Progressed() + "; record again");
  Finish();
}

// The stream has ended as it should: whether it was an answer.
void GrpcCall::State::Finish() {
  if (grpc_status == kNoGrpcStatus &&
      (http_status != "200" || !content_type.starts_with("application/grpc"))) {
    return Fail(ErrorCode::kIo, "a web server answers there (status " + MessageText(http_status) +
                                    "), not a profiler server; use the port that the program gave "
                                    "to its profiler server");
  }
  if (grpc_status == kNoGrpcStatus) {
    return Fail(ErrorCode::kIo, "the answer was cut short after " + Progressed() +
                                    "; the program may have ended; record again");
  }
  if (grpc_status == kGrpcUnimplemented)
    return Fail(ErrorCode::kIo, "no profiler server answers there (" + grpc_message +
                                    "); use the port that the program gave to its profiler server");
  if (grpc_status != kGrpcOk) {
    return Fail(ErrorCode::kIo, "the program cannot record: " +
                                    (grpc_message.empty() ? "it does not say why" : grpc_message) +
                                    " (" + CodeName(grpc_status) +
                                    "); end other profilers of the program and record again");
  }
  if (prefix_bytes < kPrefixBytes || message.size() < expected)
    return Fail(ErrorCode::kIo, "the answer was cut short after " + Progressed() +
                                    "; the program may have ended; record again");
  done = true;
}

// By the first bytes: a server of HTTP/2 begins with a frame of settings.
bool GrpcCall::State::LooksLikeHttp2(std::string_view bytes) {
  constexpr std::string_view kTlsAlert = "\x15\x03", kHttp1 = "HTTP/";
  if (bytes.starts_with(kTlsAlert)) {
    Fail(ErrorCode::kIo,
         "the server wants TLS, which profiler servers do not use; use the port that the program "
         "gave to its profiler server");
  } else if (bytes.starts_with(kHttp1)) {
    Fail(ErrorCode::kIo,
         "the server speaks HTTP/1, as TensorBoard does, not gRPC; use the port that the program "
         "gave to its profiler server");
  } else if (static_cast<uint8_t>(bytes[3]) != kSettingsFrame) {
    Fail(ErrorCode::kIo,
         "the server does not speak gRPC; use the port that the program gave to its profiler "
         "server");
  }
  return !done;
}

void GrpcCall::State::Begin() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_header_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame*, const uint8_t* key, size_t key_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* self) {
        static_cast<State*>(self)->TakeHeader({reinterpret_cast<const char*>(key), key_size},
                                              {reinterpret_cast<const char*>(value), value_size});
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      callbacks,
      [](nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size, void* self) {
        static_cast<State*>(self)->TakeData({reinterpret_cast<const char*>(bytes), size});
        return 0;
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      callbacks, [](nghttp2_session*, int32_t, uint32_t error, void* self) {
        static_cast<State*>(self)->CloseStream(error);
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        if (frame->hd.type == NGHTTP2_SETTINGS) static_cast<State*>(self)->ready = true;
        return 0;
      });
  // This side ends the connection only where the other one breaks the protocol.
  nghttp2_session_callbacks_set_before_frame_send_callback(
      callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        if (frame->hd.type == NGHTTP2_GOAWAY) static_cast<State*>(self)->FailAsNonsense();
        return 0;
      });
  nghttp2_session* made = nullptr;
  nghttp2_session_client_new(&made, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  session.reset(made);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<uint32_t>(kWindowBytes)}};
  nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, kWindowBytes);
}

GrpcCall::GrpcCall(const Address& server, CallRequest request)
    : state_(std::make_unique<State>(server, std::move(request))) {
  state_->Begin();
}

GrpcCall::~GrpcCall() = default;

bool GrpcCall::ready() const { return state_->ready; }
bool GrpcCall::sent() const { return state_->stream > 0; }

void GrpcCall::SendRequest() {
  State& s = *state_;
  if (s.done || s.stream > 0) return;
  const std::string& message = s.request.message;
  s.body.assign(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8)
    s.body += static_cast<char>(message.size() >> shift & 0xff);
  s.body += message;
  const nghttp2_nv headers[] = {Header(":method", "POST"),
                                Header(":scheme", "http"),
                                Header(":path", s.request.method),
                                Header(":authority", s.name),
                                Header("content-type", "application/grpc"),
                                Header("te", "trailers"),
                                Header("grpc-accept-encoding", "identity"),
                                Header("user-agent", "stepscope")};
  nghttp2_data_provider body{};
  body.source.ptr = &s;
  body.read_callback = [](nghttp2_session*, int32_t, uint8_t* out, size_t room, uint32_t* flags,
                          nghttp2_data_source* source, void*) -> ssize_t {
    State& self = *static_cast<State*>(source->ptr);
    const size_t n = std::min(room, self.body.size() - self.body_at);
    std::copy_n(self.body.data() + self.body_at, n, out);
    self.body_at += n;
    if (self.body_at == self.body.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(n);
  };
  s.stream =
      nghttp2_submit_request(s.session.get(), nullptr, headers, std::size(headers), &body, nullptr);
  if (s.stream < 0) s.Fail(ErrorCode::kIo, "the request cannot be sent; record again");
}

std::string_view GrpcCall::Output() {
  State& s = *state_;
  while (s.output.empty()) {
    const uint8_t* bytes = nullptr;
    const ssize_t n = nghttp2_session_mem_send(s.session.get(), &bytes);
    if (n <= 0) break;
    s.output.assign(reinterpret_cast<const char*>(bytes), static_cast<size_t>(n));
  }
  return s.output;
}

void GrpcCall::Consume(size_t bytes) { state_->output.erase(0, bytes); }

void GrpcCall::Input(std::string_view bytes) {
  State& s = *state_;
  if (s.done) return;
  if (!s.known) {
    s.first.append(bytes);
    if (s.first.size() < kFrameHeaderBytes || !s.LooksLikeHttp2(s.first)) return;
    s.known = true;
    bytes = s.first;
  }
  const ssize_t taken = nghttp2_session_mem_recv(
      s.session.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) s.FailAsNonsense();
}

void GrpcCall::End() {
  State& s = *state_;
  if (s.done) return;
  if (!s.known) {
    // A short alert of TLS, or nothing at all.
    s.first.resize(std::max(s.first.size(), kFrameHeaderBytes), '\0');
    if (s.first.front() != '\0') {
      s.LooksLikeHttp2(s.first);
      if (s.done) return;
    }
    return s.Fail(ErrorCode::kIo,
                  "the server closed the connection without an answer: it may want TLS, or not be "
                  "a profiler server; use the port that the program gave to its profiler server");
  }
  if (s.message.empty() && s.stream > 0)
    return s.Fail(ErrorCode::kIo,
                  "the connection closed while recording: the program may have ended; see what it "
                  "printed, start it and record again");
  s.Fail(ErrorCode::kIo, "the connection broke after " + s.Progressed() +
                             " of the recording: the program may have ended; record again");
}

bool GrpcCall::done() const { return state_->done; }
const Status& GrpcCall::status() const { return state_->status; }
int GrpcCall::grpc_status() const { return state_->grpc_status; }
const std::string& GrpcCall::grpc_message() const { return state_->grpc_message; }
std::string GrpcCall::TakeMessage() { return std::move(state_->message); }
uint64_t GrpcCall::received() const { return state_->received; }
uint64_t GrpcCall::expected() const { return state_->expected; }

}  // namespace stepscope::capture
