// The text of SQL: where statements end, and places in it for people. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// Whether nothing but blanks, comments and semicolons is left. O(length).
bool IsBlankSql(std::string_view text);

// Whether a statement puts results together (UNION, INTERSECT, EXCEPT), anywhere in it. O(length).
bool IsCompoundSql(std::string_view statement);

// "line 2, column 5" of a byte in the text, counted from 1 in characters.
std::string PlaceIn(std::string_view text, size_t byte);

}  // namespace stepscope
