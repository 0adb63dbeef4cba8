// Every field of XprofDefinitions has a section in docs/differences.md, every field named there
// exists, and some analysis reads it.
#include "model/analysis/definitions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/support/source_paths.h"

namespace stepscope {
namespace {

std::filesystem::path Source(const std::string& path) { return test::SourcePath(path); }

std::string Read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The names in `back quotes` on the lines that begin with "- Field: ".
std::set<std::string> NamesIn(const std::string& text) {
  const std::regex line("\n- Field: ([^\n]*)"), name("`([a-z0-9_]+)`");
  std::set<std::string> names;
  for (std::sregex_iterator l(text.begin(), text.end(), line), end; l != end; ++l) {
    const std::string found = (*l)[1];
    for (std::sregex_iterator n(found.begin(), found.end(), name); n != end; ++n)
      names.insert((*n)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("XprofDefinitions and docs/differences.md name the same fields") {
  std::set<std::string> fields;
  for (const XprofDefinitionField& f : XprofDefinitionFields()) CHECK(fields.insert(f.name).second);
  CHECK(fields.size() == sizeof(XprofDefinitions));
  CHECK(NamesIn(Read(Source("docs/differences.md"))) == fields);
}

TEST_CASE("each difference in docs/differences.md names its field, or is one in both settings") {
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

TEST_CASE("each definition is a field of its own, set by XProf's definitions only") {
  const XprofDefinitions none = XprofDefinitionsOf(Definitions::kStepscope),
                         all = XprofDefinitionsOf(Definitions::kXprof);
  for (const XprofDefinitionField& f : XprofDefinitionFields()) {
    CAPTURE(f.name);
    CHECK_FALSE(none.*f.field);
    CHECK(all.*f.field);
    XprofDefinitions one;
    one.*f.field = true;
    const auto set =
        std::count_if(XprofDefinitionFields().begin(), XprofDefinitionFields().end(),
                      [&](const XprofDefinitionField& other) { return one.*other.field; });
    CHECK(set == 1);
  }
}

TEST_CASE("each field of XprofDefinitions is read by an analysis") {
  std::string sources;
  for (const auto& file : std::filesystem::recursive_directory_iterator(Source("model/analysis"))) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".cc") && name != "definitions.cc") sources += Read(file.path());
  }
  for (const XprofDefinitionField& f : XprofDefinitionFields()) {
    CAPTURE(f.name);
    CHECK(sources.find("." + std::string(f.name)) != std::string::npos);
  }
}

}  // namespace stepscope
