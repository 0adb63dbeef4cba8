// Search: the events that a query asks for (model/query/event_query.h), found in the background,
// over all runs and sets. UI thread only; results arrive a few frames later.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/base/latest_job.h"
#include "model/base/lower.h"
#include "viewer/core/highlight.h"
#include "viewer/core/run.h"

namespace stepscope {

// What a table asks of a name, without the search's further terms: a text that it contains, case
// does not matter (ASCII). "=MatMul": the name is that text and no other, letter for letter.
class NameQuery {
 public:
  explicit NameQuery(std::string_view text);
  bool Matches(std::string_view name) const;
  // For each name of the table, and one more, whether it matches.
  std::vector<uint8_t> MatchingMetas(const NameTable& names) const;
  static std::string Whole(std::string_view name) { return "=" + std::string(name); }

 private:
  std::string text_;  // in lower case unless it is the whole name
  bool whole_ = false;
};

struct SearchHits {
  std::string query;
  std::string error;     // why it is no query, or what could not be read; else empty
  uint64_t version = 0;  // another one for each result
  uint64_t count = 0;
  std::vector<Highlight::Rows> rows;  // by run and set
};

class Search {
 public:
  explicit Search(JobThreads& threads) : threads_(threads) {}
  void Set(std::string query, std::span<const Run> runs);  // starts anew; empty: none
  void Refresh(std::span<const Run> runs) { Set(query_, runs); }
  bool Poll();  // takes a finished result; true if something changed
  const std::string& query() const { return query_; }
  const SearchHits& hits() const { return hits_; }
  bool busy() const { return job_.active(); }
  // Steps to the next (+1) or previous (-1) hit by time; HitsInTime::Next.
  EventRef Step(const EventRef& from, int direction, std::span<const Run> runs);
  uint64_t index() const { return index_; }  // of the last step, from 0

 private:
  JobThreads& threads_;
  std::string query_;
  SearchHits hits_;
  LatestJob<SearchHits> job_;
  uint64_t index_ = 0;
  uint64_t versions_ = 0;
};

}  // namespace stepscope
