#include "viewer/panels/query/query_history.h"

#include <algorithm>

namespace stepscope {

// A backslash stands before `n` for the end of a line, before `;` for the end of a query, and
// before a backslash.
QueryHistory::QueryHistory(std::string_view setting) {
  std::string query;
  for (size_t i = 0; i < setting.size(); ++i) {
    if (setting[i] != '\\' || i + 1 == setting.size()) {
      query += setting[i];
      continue;
    }
    const char next = setting[++i];
    if (next == ';') {
      if (!query.empty() && queries_.size() < kMost) queries_.push_back(query);
      query.clear();
    } else {
      query += next == 'n' ? '\n' : next;
    }
  }
}

std::string QueryHistory::Text() const {
  std::string text;
  for (const std::string& query : queries_) {
    for (const char c : query) {
      if (c == '\n') {
        text += "\\n";
      } else if (c == '\\') {
        text += "\\\\";
      } else if (static_cast<unsigned char>(c) >= 0x20) {
        text += c;
      } else {
        text += ' ';
      }
    }
    text += "\\;";
  }
  return text;
}

void QueryHistory::Add(const std::string& query) {
  if (query.empty() || query.size() > kMostBytes) return;
  std::erase(queries_, query);
  queries_.insert(queries_.begin(), query);
  if (queries_.size() > kMost) queries_.resize(kMost);
}

}  // namespace stepscope
