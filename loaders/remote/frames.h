// The messages between the two programs: frames of a type, a length and bytes (docs/remote.md). The
// receiver trusts nothing: lengths are limited. Pure.
#pragma once

#include <cstdint>
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

}  // namespace stepscope::remote
