#include "model/query/event_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "model/base/ascii.h"
#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

using Kind = QueryTerm::Kind;

constexpr bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

struct Keyword {
  std::string_view text;
  Kind kind;
};
constexpr std::array kKeywords = {Keyword{"name", Kind::kName}, Keyword{"track", Kind::kTrack},
                                  Keyword{"process", Kind::kProcess},
                                  Keyword{"cat", Kind::kCategory}};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // The next term. Nothing at the end, or if `error()` says what is wrong.
  std::optional<QueryTerm> Next() {
    SkipBlanks();
    if (at_ == text_.size() || !error_.ok()) return std::nullopt;
    QueryTerm term;
    term.negated = Take("-");
    if (AtBreak()) {
      Expect("a term behind '-'");
      return std::nullopt;
    }
    if (!Keyed(&term) && !Duration(&term) && !Argument(&term)) Name(&term);
    if (!error_.ok()) return std::nullopt;
    return term;
  }
  const Status& error() const { return error_; }

 private:
  bool AtBreak() const { return at_ == text_.size() || IsBlank(text_[at_]); }
  std::string_view rest() const { return text_.substr(at_); }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }
  bool Take(std::string_view what) {
    if (!rest().starts_with(what)) return false;
    at_ += what.size();
    return true;
  }
  void Expect(const std::string& what) {
    if (!error_.ok()) return;
    error_ = Status(ErrorCode::kUsage, fmt::format("character {}: {} is expected",
                                                   CellsOf(text_.substr(0, at_)) + 1, what));
  }

  // A word, or a text in quotes. Nothing and an error if there is none.
  std::optional<std::string> Text(const char* what) {
    if (AtBreak()) {
      Expect(what);
      return std::nullopt;
    }
    if (text_[at_] == '"') return Quoted();
    const size_t begin = at_;
    while (!AtBreak()) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  // Reads from an opening quote to the closing one. A blank, the end or a
  // character of `within` must follow it.
  std::optional<std::string> Quoted(std::string_view within = {}) {
    std::string text;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        ++at_;
        if (AtBreak() || within.find(text_[at_]) != within.npos) return text;
        Expect("a blank behind the closing quote");
        return std::nullopt;
      }
      const bool escape = text_[at_] == '\\' && at_ + 1 < text_.size() &&
                          (text_[at_ + 1] == '"' || text_[at_ + 1] == '\\');
      if (escape) ++at_;
      text += text_[at_];
    }
    Expect("a closing quote");
    return std::nullopt;
  }

  // "name::x" is a word, not a key: C++ names have two colons.
  bool Keyed(QueryTerm* term) {
    for (const Keyword& keyword : kKeywords) {
      const std::string_view from = rest();
      if (!from.starts_with(keyword.text)) continue;
      const std::string_view behind = from.substr(keyword.text.size());
      if (!behind.starts_with(':') || behind.starts_with("::")) continue;
      at_ += keyword.text.size() + 1;
      term->kind = keyword.kind;
      if (const auto text = Text("a text")) term->text = Lower(*text);
      return true;
    }
    return false;
  }

  bool Duration(QueryTerm* term) {
    constexpr std::string_view kDur = "dur";
    if (!rest().starts_with(kDur)) return false;
    size_t behind = at_ + kDur.size();
    while (behind < text_.size() && IsBlank(text_[behind])) ++behind;
    if (behind == text_.size()) return false;
    const bool blank = behind > at_ + kDur.size();
    const char first = text_[behind];
    // "dur =MatMul" is a word and a whole name, not a duration.
    if (first != '>' && first != '<' && (first != '=' || blank)) return false;
    at_ = behind + 1;
    term->kind = Kind::kDuration;
    const bool equal = first == '=' || Take("=");
    SkipBlanks();
    Ps value = 0;
    if (!Time(&value)) return true;
    if (first != '<') term->least = equal ? value : SaturatingAdd(value, 1);
    if (first != '>') term->most = equal ? value : SaturatingSub(value, 1);
    return true;
  }

  // A number and its unit. A blank may stand between them: "1 ms".
  bool Time(Ps* value) {
    size_t end = at_;
    const auto word = [&] {
      while (end < text_.size() && !IsBlank(text_[end])) ++end;
    };
    word();
    const size_t number_end = end;
    while (end < text_.size() && IsBlank(text_[end])) ++end;
    word();
    const bool bare =
        number_end > at_ &&
        text_.substr(at_, number_end - at_).find_first_not_of("+-.0123456789") == text_.npos;
    for (const size_t stop : {bare ? end : number_end, number_end}) {
      const std::string text(text_.substr(at_, stop - at_));
      if (stop == at_ || !ParseDuration(text, value)) continue;
      at_ = stop;
      return true;
    }
    Expect("a duration with its unit (ps, ns, us, ms, s), as in dur>1ms,");
    return false;
  }

  // "arg.1" is a word, not an argument: XLA names parameters like that.
  bool Argument(QueryTerm* term) {
    constexpr std::string_view kArg = "arg.";
    if (!rest().starts_with(kArg)) return false;
    const size_t begin = at_ + kArg.size();
    size_t end = begin;
    if (begin < text_.size() && text_[begin] == '"') {
      at_ = begin;
      const std::optional<std::string> key = Quoted("=:");
      if (!key) return true;
      term->key = *key;
      end = at_;
    } else {
      while (end < text_.size() && !IsBlank(text_[end]) && text_[end] != '=' && text_[end] != ':')
        ++end;
      term->key = text_.substr(begin, end - begin);
    }
    const bool is = end < text_.size() && text_[end] == '=';
    const bool contains = end < text_.size() && text_[end] == ':';
    if (!is && !contains && text_[std::min(begin, text_.size() - 1)] != '"') {
      term->key.clear();
      return false;
    }
    at_ = end;
    if (!is && !contains) Expect("'=' or ':' behind the argument's name");
    if (term->key.empty()) Expect("the name of an argument");
    at_ = std::min(end + 1, text_.size());
    term->kind = is ? Kind::kArgument : Kind::kArgumentContains;
    if (const auto text = Text("a value (\"\" is the empty one)"))
      term->text = is ? *text : Lower(*text);
    return true;
  }

  void Name(QueryTerm* term) {
    if (rest().size() > 1 && text_[at_] == '=') {
      ++at_;
      term->kind = Kind::kWholeName;
      if (text_[at_] == '"') {
        if (auto text = Quoted()) term->text = *std::move(text);
      } else {
        term->text = rest();
        at_ = text_.size();
      }
    } else if (const auto text = Text("a text")) {
      term->text = Lower(*text);
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  Status error_;
};

std::string InQuotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

Result<EventQuery> EventQuery::Parse(std::string_view text) {
  EventQuery query;
  Parser parser(text);
  while (auto term = parser.Next()) query.terms_.push_back(*std::move(term));
  if (!parser.error().ok()) return parser.error();
  return query;
}

bool EventQuery::Has(Kind kind) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [kind](const QueryTerm& term) { return term.kind == kind; });
}

std::string QueryForPart(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
  });
  return plain ? std::string(name) : InQuotes(name);
}

std::string QueryForWhole(std::string_view name) {
  return "=" + (name.empty() || name.starts_with('"') ? InQuotes(name) : std::string(name));
}

}  // namespace stepscope
