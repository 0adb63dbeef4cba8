// This folder answers questions about single events: which ones match (EventQuery,
// FindEvents), what they add up to (StatsQuestion, AddUp), how one ranks among its name
// (RankByName). In: a Trace with its TrackSets; out: rows as RowBits, or numbers. The
// search box, the selection panel, `stepscope events` and the C library use it. Start
// reading here, then find_events.h and event_stats.h.
//
// EventQuery: which events are asked for, in the language of the search box and of
// `stepscope events --query` (docs/interface.md#queries). Parsed once; immutable; any thread.
//
//
//   words "quoted words"    the name contains each of them; case does not matter (ASCII)
//   name:TEXT               the name contains it
//   =TEXT                   the name is the rest of the text, or a quoted text, letter for letter
//   track:TEXT              the track's name contains it
//   process:TEXT            the plane's name contains it, as in the file or as shown
//   cat:TEXT                the category contains it
//   dur>1ms                 also >=, <, <= and =; units ps, ns, us, ms, s; without one ms
//   arg.KEY=VALUE           an argument is that value: a number by value, a text letter for letter
//   arg.KEY:TEXT            an argument contains it
//   -TERM                   the term does not hold
//
// All terms must hold. A text or a key with blanks stands in quotes, in which \" and \\ stand for a
// quote and a backslash.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/status.h"
#include "model/time.h"

namespace stepscope {

struct QueryTerm {
  enum class Kind : uint8_t {
    kName,       // contains `text`
    kWholeName,  // is `text`
    kTrack,
    kProcess,
    kCategory,
    kDuration,  // from `least` to `most`, both included
    kArgument,  // `key` is `text`
    kArgumentContains
  };
  Kind kind = Kind::kName;
  bool negated = false;
  std::string text;  // in lower case where case does not matter
  std::string key;
  Ps least = kMinPs, most = kMaxPs;
};

class EventQuery {
 public:
  // Error: kUsage, whose text names the place (in characters, counted from 1) and what is expected
  // there. A text of blanks makes a query without terms, which every event answers. O(length).
  static Result<EventQuery> Parse(std::string_view text);
  std::span<const QueryTerm> terms() const { return terms_; }
  bool Has(QueryTerm::Kind kind) const;

 private:
  std::vector<QueryTerm> terms_;
};

// The text of a query for events whose name contains `name`, or is `name`. Quotes what needs it.
std::string QueryForPart(std::string_view name);
std::string QueryForWhole(std::string_view name);

}  // namespace stepscope
