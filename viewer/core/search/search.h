// Search: finds the events that a query asks for (model/query/event_query.h) in all open profiles
// and their sets. This folder answers which events are found, selected or in sight: Search starts
// the job, HitsInTime steps through its hits, selection_stats and visible_events add events up. UI
// thread only; results arrive a few frames later.
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/ascii.h"
#include "model/ids.h"
#include "model/jobs/latest_job.h"
#include "model/trace.h"
#include "viewer/core/profiles/profile.h"
#include "viewer/core/search/highlight.h"

namespace stepscope {

// The part of a query that asks for a name: a text that the name contains, whatever the case of
// ASCII letters. "=MatMul" asks for exactly that name.
class NameQuery {
 public:
  explicit NameQuery(std::string_view text);
  bool Matches(std::string_view name) const;
  // For each meta of the table, and for one more, whether its name matches.
  std::vector<uint8_t> MatchingMetas(const NameTable& names) const;
  static std::string Whole(std::string_view name) { return "=" + std::string(name); }

 private:
  std::string text_;  // in lower case unless it is the whole name
  bool whole_ = false;
};

struct SearchHits {
  std::string query;
  std::string error;     // why the text is no query, or what could not be read; empty: no error
  uint64_t version = 0;  // another number for each result
  uint64_t count = 0;    // of `counted`
  std::vector<Highlight::Rows> rows;     // by profile and set; all of them are shown bright
  std::vector<Highlight::Rows> counted;  // CountedRows(rows): what is stepped through
};

class Search {
 public:
  explicit Search(JobQueue& queue) : queue_(queue) {}
  // Stops the search that runs and starts another one. An empty query finds nothing.
  void Set(std::string query, std::span<const Profile> profiles);
  void Refresh(std::span<const Profile> profiles) { Set(query_, profiles); }
  bool Poll();  // takes a result that is ready; true if there was one
  const std::string& query() const { return query_; }
  const SearchHits& hits() const { return hits_; }
  bool busy() const { return job_.active(); }
  // The next (1) or previous (-1) hit by time, as HitsInTime::Next says.
  EventRef Step(const EventRef& from, int direction, std::span<const Profile> profiles);
  uint64_t index() const { return index_; }  // which hit the last Step went to, from 0

 private:
  JobQueue& queue_;
  std::string query_;
  SearchHits hits_;
  LatestJob<SearchHits> job_;
  uint64_t index_ = 0;
  uint64_t versions_ = 0;
};

// FirstNamed: the first event of a name in time, for those who name an event in words. Pure.
// The event that begins first of those whose name contains the text, in any case of letters;
// "=NAME" wants the whole name. Invalid if there is none. O(events); any thread.
EventRow FirstNamed(const Trace& trace, std::string_view text);
// The same among all profiles; the first of them where several begin together.
EventRef FirstNamed(std::span<const Profile> profiles, std::string_view text);

}  // namespace stepscope
