// KeyBindings: which keys do what. Those of the command table and of the panels, then those of a
// preset (a viewer that people come from), then those that the user chose. A key belongs to one
// command: what is chosen takes it from whoever had it. UI thread only.
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

// A row of a preset. Of a panel the id is "panel.ID".
struct PresetKey {
  const char *preset, *id, *keys;
};
std::span<const PresetKey> PresetKeys();

// The user's text ("keys.custom") with other keys for a command; "": none. nullopt: what was chosen
// for it goes. Rules of other commands stay as they are.
std::string WithKeys(std::string_view custom, std::string_view id,
                     const std::optional<std::string>& keys);
bool HasRule(std::string_view custom, std::string_view id);

class KeyBindings {
 public:
  KeyBindings() { Rebuild("", ""); }
  // From "keys.preset" and "keys.custom" ("mark.add=B; view.zoom_in=W | ="). True if they changed.
  bool Update(const Settings& settings);
  // "W | =": of a command, or of "panel.ID"; empty: none. Lives until the next Update.
  const std::string& Of(std::string_view id) const;
  // Who has a chord now, as in Of; empty: nobody.
  std::string OwnerOf(const std::string& chord) const;
  // What the user's text says that cannot be: unknown commands, keys that are none. Keys that were
  // taken from another command are said too. In words.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void Rebuild(const std::string& preset, const std::string& custom);
  void Bind(const std::string& id, const std::string& keys, bool say);

  std::map<std::string, std::string, std::less<>> keys_;
  std::vector<std::string> notes_;
  std::string preset_, custom_;
};

}  // namespace stepscope
