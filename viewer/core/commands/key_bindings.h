// KeyBindings: the keys of each command and panel. The tables' own keys come first, then those of a
// preset (the viewer that people come from), then the user's. A key belongs to one command: a later
// choice takes it from the command that had it. UI thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

class Settings;

// A row of a preset. `id` is a command's, or "panel.ID".
struct PresetKey {
  const char *preset, *id, *keys;
};
std::span<const PresetKey> PresetKeys();

// The user's text ("keys.custom") with other keys for a command; "" leaves it without a key.
// nullopt removes the user's rule for it. Rules for other commands stay.
std::string WithKeys(std::string_view custom, std::string_view id,
                     const std::optional<std::string>& keys);
bool HasRule(std::string_view custom, std::string_view id);  // whether the user's text has one

class KeyBindings {
 public:
  KeyBindings() { Rebuild("", ""); }
  // Reads the settings "keys.preset" and "keys.custom" ("mark.add=B; view.zoom_in=W | ="). True if
  // they changed.
  bool Update(const Settings& settings);
  // The keys of a command or of "panel.ID", such as "W | ="; empty: none. Valid until
  // the next Update.
  const std::string& Of(std::string_view id) const;
  // The id of the command or panel that has a chord; empty: none has.
  std::string OwnerOf(const std::string& chord) const;
  // Sentences about the user's text: rules with an unknown command or key, and keys that were taken
  // from another command.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void Rebuild(const std::string& preset, const std::string& custom);
  void Bind(const std::string& id, const std::string& keys, bool say);

  std::map<std::string, std::string, std::less<>> keys_;
  std::vector<std::string> notes_;
  std::string preset_, custom_;
};

}  // namespace stepscope
