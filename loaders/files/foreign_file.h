// Foreign files: what people open that is no profile, or what lies beside profiles. One table names
// each kind and says what to do next (docs/formats.md#other-files); files, folders and databases
// are looked up in it. Pure functions of names and first bytes; any thread. O(bytes given).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct ForeignFile {
  // What such a file says about the profile that was looked for.
  enum class Kind : uint8_t {
    kOther,    // it is something else: a picture, a table
    kBeside,   // it lies beside profiles: tool data, a report of the profiler itself
    kInstead,  // it stands in the place of the file: a Git LFS pointer, an error page
    kGeneral,  // any text or JSON: the name of the file says more, where it is known
  };
  std::string name;  // "a web page (HTML), not a trace"
  std::string next;  // "download the file itself"; may be empty
  Kind kind = Kind::kOther;

  std::string Text() const { return next.empty() ? name : name + ": " + next; }
};

// So many inflated bytes from the begin of a file tell what it is.
inline constexpr size_t kForeignPrefix = size_t{64} << 10;

// By the content, from its begin; nothing where it is not known. Text is looked at only where all
// of it is text.
std::optional<ForeignFile> ForeignByContent(std::string_view prefix);
// By bytes that no profile begins with: such a file is not tried.
std::optional<ForeignFile> ForeignByMagic(std::string_view prefix);
// By the file's name without folders, .gz and .zst: "vm.overview_page.pb".
std::optional<ForeignFile> ForeignByName(std::string_view name);
// By the tables of a SQLite database; `tables` are sorted.
std::optional<ForeignFile> ForeignDatabase(std::span<const std::string> tables);

}  // namespace stepscope
