// QueryHistory: the queries that were run, the last one first, and the text of the editor. They are
// kept among the settings. A value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class QueryHistory {
 public:
  static constexpr const char* kSetting = "query.history";
  static constexpr size_t kMost = 50;           // older ones go
  static constexpr size_t kMostBytes = 20'000;  // a longer query is not kept

  QueryHistory() = default;
  explicit QueryHistory(std::string_view setting);
  std::string Text() const;  // for the setting: one line
  // Puts it first; one that is there already moves up.
  void Add(const std::string& query);
  const std::vector<std::string>& queries() const { return queries_; }

 private:
  std::vector<std::string> queries_;
};

}  // namespace stepscope
