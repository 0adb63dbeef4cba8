#include "viewer/shell/file_dialog.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace stepscope;  // NOLINT
namespace fs = std::filesystem;

TEST_CASE("a listing has folders first, hidden files on request, and says what it cannot read") {
  const fs::path root = fs::temp_directory_path() / "stepscope_file_dialog_test";
  fs::remove_all(root);
  fs::create_directories(root / "zeta");
  fs::create_directories(root / ".hidden");
  std::ofstream(root / "a.xplane.pb") << "12345";
  std::ofstream(root / "b.txt") << "x";
  const Listing plain = ListFolder(root.string(), false);
  REQUIRE(plain.entries.size() == 3);
  CHECK(plain.entries[0].name == "zeta");
  CHECK(plain.entries[0].folder);
  CHECK(plain.entries[1].name == "a.xplane.pb");
  CHECK(plain.entries[1].bytes == 5);
  CHECK(plain.error.empty());
  CHECK(ListFolder(root.string(), true).entries.size() == 4);
  const Listing missing = ListFolder((root / "none").string(), false);
  CHECK(missing.entries.empty());
  CHECK(missing.error.find("none") != std::string::npos);
  fs::remove_all(root);
}

TEST_CASE("profiles are known by their endings, folders have parents") {
  CHECK(LooksLikeProfile("vm.xplane.pb"));
  CHECK(LooksLikeProfile("rank0.pt.trace.json.gz"));
  CHECK_FALSE(LooksLikeProfile("xplane.txt"));
  CHECK(ParentFolder("/a/b") == "/a");
  CHECK(ParentFolder("/") == "/");
}
