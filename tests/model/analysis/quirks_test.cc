// Every rule of XProf that can be switched has a row in docs/differences.md, and every rule named
// there exists and is asked for somewhere.
#include "model/analysis/quirks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace stepscope {
namespace {

std::filesystem::path Source(const std::string& path) {
  return std::filesystem::path(STEPSCOPE_SOURCE_DIR "/" + path);
}

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The names in `back quotes` on the lines that begin with "- Quirk: ".
std::set<std::string> NamesIn(const std::string& text) {
  const std::regex line("\n- Quirk: ([^\n]*)"), name("`([a-z0-9_]+)`");
  std::set<std::string> names;
  for (std::sregex_iterator l(text.begin(), text.end(), line), end; l != end; ++l) {
    const std::string found = (*l)[1];
    for (std::sregex_iterator n(found.begin(), found.end(), name); n != end; ++n)
      names.insert((*n)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("Quirks and docs/differences.md name the same rules") {
  std::set<std::string> fields;
  for (const QuirkField& f : QuirkFields()) CHECK(fields.insert(f.name).second);
  CHECK(fields.size() == sizeof(Quirks));
  CHECK(NamesIn(Read(Source("docs/differences.md"))) == fields);
}

TEST_CASE("each difference in docs/differences.md names its quirk, or is one in both settings") {
  const std::string doc = Read(Source("docs/differences.md"));
  size_t at = doc.find("\n### "), sections = 0;
  while (at != std::string::npos) {
    const size_t next = std::min(doc.find("\n### ", at + 1), doc.find("\n## ", at + 1));
    const std::string section = doc.substr(at, next - at);
    CAPTURE(section);
    const bool both = section.find("in both settings") != std::string::npos;
    CHECK((both || !NamesIn(section).empty()));
    ++sections;
    at = doc.find("\n### ", at + 1);
  }
  CHECK(sections > 30);
}

TEST_CASE("each quirk is a field of its own, set by XProf's definitions only") {
  const Quirks none = QuirksOf(Definitions::kStepscope), all = QuirksOf(Definitions::kXprof);
  for (const QuirkField& f : QuirkFields()) {
    CAPTURE(f.name);
    CHECK_FALSE(none.*f.field);
    CHECK(all.*f.field);
    Quirks one;
    one.*f.field = true;
    const auto set = std::count_if(QuirkFields().begin(), QuirkFields().end(),
                                   [&](const QuirkField& other) { return one.*other.field; });
    CHECK(set == 1);
  }
}

TEST_CASE("each quirk is asked for by an analysis") {
  std::string sources;
  for (const auto& file : std::filesystem::directory_iterator(Source("model/analysis"))) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".cc") && name != "quirks.cc") sources += Read(file.path());
  }
  for (const QuirkField& f : QuirkFields()) {
    CAPTURE(f.name);
    CHECK(sources.find("." + std::string(f.name)) != std::string::npos);
  }
}

}  // namespace stepscope
