#include "model/query/event_query.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace stepscope {
namespace {

using Kind = QueryTerm::Kind;

std::vector<QueryTerm> Terms(std::string_view text) {
  const Result<EventQuery> query = EventQuery::Parse(text);
  CAPTURE(text);
  REQUIRE_MESSAGE(query.ok(), query.status().message());
  return {query->terms().begin(), query->terms().end()};
}

QueryTerm One(std::string_view text) {
  const std::vector<QueryTerm> terms = Terms(text);
  CAPTURE(text);
  REQUIRE(terms.size() == 1);
  return terms.front();
}

void CheckText(std::string_view query, Kind kind, std::string_view text, bool negated = false) {
  const QueryTerm term = One(query);
  CAPTURE(query);
  CHECK(term.kind == kind);
  CHECK(term.text == text);
  CHECK(term.negated == negated);
}

void CheckTimes(std::string_view query, Ps least, Ps most) {
  const QueryTerm term = One(query);
  CAPTURE(query);
  CHECK(term.kind == Kind::kDuration);
  CHECK(term.least == least);
  CHECK(term.most == most);
}

void CheckError(std::string_view query, std::string_view place, std::string_view expected) {
  const Result<EventQuery> parsed = EventQuery::Parse(query);
  CAPTURE(query);
  REQUIRE_FALSE(parsed.ok());
  const std::string message = parsed.status().message();
  CAPTURE(message);
  CHECK(parsed.status().code() == ErrorCode::kUsage);
  CHECK(message.starts_with("character " + std::string(place) + ": "));
  CHECK(message.find(expected) != std::string::npos);
  CHECK(message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("query: words and texts") {
  CHECK(Terms("").empty());
  CHECK(Terms(" \t ").empty());
  CheckText("MatMul", Kind::kName, "matmul");
  CheckText("\"Mat  Mul\"", Kind::kName, "mat  mul");
  CheckText(R"("a \"b\" \\c \d")", Kind::kName, R"(a "b" \c \d)");
  CheckText("name:Conv", Kind::kName, "conv");
  CheckText("name:\"a b\"", Kind::kName, "a b");
  CheckText("track:Stream", Kind::kTrack, "stream");
  CheckText("process:\"GPU 0\"", Kind::kProcess, "gpu 0");
  CheckText("cat:Kernel", Kind::kCategory, "kernel");
  const std::vector<QueryTerm> two = Terms("  aten::add   track:14 ");
  REQUIRE(two.size() == 2);
  CHECK(two[0].text == "aten::add");
  CHECK(two[1].kind == Kind::kTrack);
}

TEST_CASE("query: words that look like terms") {
  for (const char* word : {"name::f", "duration", "dur", "arg.1", "arg.", "=", "x=y", "names:x",
                           "a\"b", "Name:x", "dur!1"})
    CheckText(word, Kind::kName, word[0] == 'N' ? "name:x" : word);
}

TEST_CASE("query: the whole name") {
  CheckText("=MatMul", Kind::kWholeName, "MatMul");
  CheckText("=Mat Mul -x dur>1ms ", Kind::kWholeName, "Mat Mul -x dur>1ms ");
  CheckText("=\"Mat Mul\"", Kind::kWholeName, "Mat Mul");
  CheckText("=\"\"", Kind::kWholeName, "");
  CheckText("==", Kind::kWholeName, "=");
  CheckText("-=MatMul", Kind::kWholeName, "MatMul", true);
  const std::vector<QueryTerm> two = Terms("=\"A\" dur>1ms");
  REQUIRE(two.size() == 2);
  CHECK(two[1].kind == Kind::kDuration);
  CHECK(Terms("dur>1ms =Mat Mul").back().text == "Mat Mul");
}

TEST_CASE("query: durations") {
  CheckTimes("dur>1ms", kPsPerMs + 1, kMaxPs);
  CheckTimes("dur>=1ms", kPsPerMs, kMaxPs);
  CheckTimes("dur<2us", kMinPs, 2 * kPsPerUs - 1);
  CheckTimes("dur<=2\u00b5s", kMinPs, 2 * kPsPerUs);
  CheckTimes("dur=1.5ns", 1500, 1500);
  CheckTimes("dur>3", 3 * kPsPerMs + 1, kMaxPs);
  CheckTimes("dur > 1 s", kPsPerS + 1, kMaxPs);
  CheckTimes("dur <= 7ps", kMinPs, 7);
  CHECK(One("-dur>1ms").negated);
  CHECK(Terms("dur>1 ms").size() == 1);
  const std::vector<QueryTerm> two = Terms("dur>1 MatMul");
  REQUIRE(two.size() == 2);
  CHECK(two[0].least == kPsPerMs + 1);
  CHECK(two[1].text == "matmul");
}

TEST_CASE("query: arguments") {
  const QueryTerm is = One("arg.correlation_id=17");
  CHECK(is.kind == Kind::kArgument);
  CHECK(is.key == "correlation_id");
  CHECK(is.text == "17");
  const QueryTerm contains = One("-arg.\"External id\":\"A b\"");
  CHECK(contains.kind == Kind::kArgumentContains);
  CHECK(contains.key == "External id");
  CHECK(contains.text == "a b");
  CHECK(contains.negated);
  CHECK(One("arg.k=A").text == "A");
  CHECK(One("arg.k=\"\"").text.empty());
  CHECK(One("arg.a.b.c=1").key == "a.b.c");
  CHECK(One("arg.k=a=b:c").text == "a=b:c");
}

TEST_CASE("query: an error says where it is, and what is expected") {
  CheckError("\"open", "6", "closing quote");
  CheckError("MatMul name:", "13", "a text is expected");
  CheckError("track: x", "7", "a text is expected");
  CheckError("-", "2", "a term");
  CheckError("a - b", "4", "a term");
  CheckError("dur>", "5", "a duration");
  CheckError("dur>fast", "5", "a duration");
  CheckError("dur>=1parsec", "6", "a duration");
  CheckError("dur>1ms>", "5", "a duration");
  CheckError("arg.=1", "5", "the name of an argument");
  CheckError("arg.k=", "7", "a value");
  CheckError("arg.\"k\"", "8", "'=' or ':'");
  CheckError("arg.\"k=1", "9", "closing quote");
  CheckError("\"a\"b", "4", "a blank");
  CheckError("=\"a\"b", "5", "a blank");
  CheckError("\u00e4\u00f6 name:", "9", "a text");  // characters, not bytes
}

TEST_CASE("query: parsing ends for every text") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "-\"\\\"a\" ";
  CHECK(Terms(text).size() == 20000);
  CHECK_FALSE(EventQuery::Parse(std::string(1 << 20, '"') + "\\").ok());
  CHECK(One(std::string(1 << 20, 'x')).text.size() == 1 << 20);
  const std::string bytes("\x01\x80\xff\0z", 5);
  CHECK(One(bytes).text == bytes);
  uint32_t state = 1;
  const std::string_view alphabet = "-=\"\\ :.<>adurgnm1s";
  for (int round = 0; round < 20000; ++round) {
    std::string random;
    for (int i = 0; i < 12; ++i)
      random += alphabet[(state = state * 1664525u + 1013904223u) >> 16 & 15];
    const Result<EventQuery> query = EventQuery::Parse(random);
    CHECK((query.ok() || !query.status().message().empty()));
  }
}

TEST_CASE("query: names of any characters become queries that find them") {
  for (const char* name : {"MatMul", "a b", "-x", "\"q\"", "dur>1ms", "a\\b", "arg.k=1", "\"", "=x",
                           "name:x", " lead"}) {
    CheckText(QueryForWhole(name), Kind::kWholeName, name);
    CheckText(QueryForPart(name), Kind::kName, name[0] == 'M' ? "matmul" : name);
  }
  CheckText(QueryForWhole(""), Kind::kWholeName, "");
  CHECK(QueryForWhole("Mat Mul") == "=Mat Mul");
  CHECK(QueryForPart("MatMul") == "MatMul");
}

}  // namespace stepscope
