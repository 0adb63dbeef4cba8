// EventForms: reads the typed arguments of many events, most of which are written alike. A recorder
// gives events of one name the same keys in the same order, with the same blanks between them and
// many of the same values. So the text of one event is kept, with the places of those values that
// were seen to vary: of an event that follows, all other text is compared as bytes, and only these
// values are looked at. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/typed_args.h"

namespace stepscope::chrome {

class EventForms {
 public:
  EventForms();
  ~EventForms();
  EventForms(const EventForms&) = delete;
  EventForms& operator=(const EventForms&) = delete;

  // Gives what ReadArgsOfEvent gives, whatever was read before. Events of one `kind`, such as a
  // name, are mostly alike. The tokens are views of `text` or of this object, valid until the next
  // call. O(length).
  bool Read(std::string_view text, uint32_t kind, bool memory, TypedArgs* out);

  // For tests: how many events were read by comparison.
  uint64_t compared() const { return compared_; }

  static constexpr uint32_t kKinds = 1024;       // more of them share what is kept
  static constexpr size_t kMostOfKind = 4;       // forms
  static constexpr size_t kLongestEvent = 4096;  // a longer one is not kept

 private:
  struct Value;
  struct Form;
  struct Kind;
  void Learn(std::string_view event, std::vector<Value> values, Kind* kind);

  std::vector<Kind> kinds_;
  uint64_t compared_ = 0;
};

}  // namespace stepscope::chrome
