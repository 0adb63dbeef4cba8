// The messages between the two programs: frames of a type, a length and bytes (docs/remote.md). The
// receiver trusts nothing: lengths are limited. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace stepscope::remote {

inline constexpr uint32_t kProtocol = 1;
// Stands before the first frame of the server: what a login shell prints comes before it.
inline constexpr std::string_view kServeMagic = "\nSTEPSCOPE-SERVE\n";
inline constexpr size_t kMaxNoise = size_t{1} << 16;  // bytes before it
inline constexpr size_t kFrameHeaderBytes = 9;
inline constexpr uint64_t kMaxFrameBytes = uint64_t{16} << 20;

enum class FrameType : char {
  kHello = 'H',
  kRequest = 'Q',
  kProgress = 'P',
  kRuns = 'R',
  kContinue = 'C',  // the other side has the begin of the store: the rest follows
  kData = 'D',      // the next bytes of the store
  kFailure = 'F',
  kEnd = 'E',
};

std::string Frame(FrameType type, std::string_view payload);

// Cuts a stream into frames.
class FrameReader {
 public:
  void Add(std::string_view bytes) { bytes_.append(bytes); }
  // Waits for the magic first, and skips what comes before it. False: it is not there.
  bool SkipToMagic();
  bool failed() const { return failed_; }  // a length that cannot be
  // The next whole frame; the payload is valid until the next call.
  bool Next(FrameType* type, std::string_view* payload);
  // The begin of a frame of which the end has not come; its payload is valid until the next call.
  bool Begun(FrameType* type, std::string_view* payload) const;

 private:
  std::string bytes_;
  size_t at_ = 0;
  bool failed_ = false;
};

// StreamSender: cuts a store into frames. Where the other side has the begin of the same store
// already, it sends only the rest. One thread, no input or output of its own.
class StreamSender {
 public:
  using Send = std::function<void(FrameType, std::string_view payload)>;

  // The other side says that it has `came_bytes` bytes with this sum (store::BeginSum); 0: none.
  // They are held back until they are compared. Memory: that many bytes, and never more than the
  // store has.
  StreamSender(uint64_t came_bytes, uint64_t came_sum, Send send);

  void Add(std::string_view bytes);  // the next of the store
  // Nothing more comes: sends what is held back of a store that is shorter than what came.
  void Finish();
  uint64_t bytes() const { return bytes_; }  // of the store so far

 private:
  void SendData(std::string_view bytes);
  void Compare();

  uint64_t came_bytes_, came_sum_;
  Send send_;
  uint64_t bytes_ = 0;
  bool compared_;
  std::string held_;
};

}  // namespace stepscope::remote
