// The form that settings had in version 0.2: lines "key = value", with a notation of its own for
// each list. Files of that version are read once and written as JSON; the command "app.set" still
// takes these texts. Pure; parts that are no rule are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/state/settings.h"

namespace stepscope {

Settings ParseOldSettings(std::string_view text);

// "hide host|GPU 1; rows 3 host|Threads|main#7; filter stream": a rule is a verb (fold, unfold,
// hide, pin, order, rows, name, color, filter) and a path. A name stands before its path, with a
// tab between them. A backslash stands before a semicolon that belongs to a name.
void ReadOldText(std::string_view text, TrackRules* rules);
// "copies sync"
void ReadOldText(std::string_view text, MutedRules* muted);
// "mark.add=B; view.zoom_in=W | =", which users still type in the settings page.
void ReadOldText(std::string_view text, std::vector<KeyRule>* rules);
// "a:1; b:2"
void ReadOldText(std::string_view text, std::vector<std::string>* texts);
// "SELECT 1\;SELECT 2\;", where "\n" is the end of a line.
std::vector<std::string> ParseOldQueries(std::string_view text);

// Appends a text that the list does not have.
void AddOnce(std::string text, std::vector<std::string>* texts);

}  // namespace stepscope
