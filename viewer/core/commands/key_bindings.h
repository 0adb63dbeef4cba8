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

#include "viewer/core/commands/command_id.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

struct PresetKey {
  KeyPreset preset;
  CommandId id;
  const char* keys;
};
std::span<const PresetKey> PresetKeys();

// The user's rules with other keys for a command or "panel.ID"; "" leaves it without a key.
// nullopt removes the user's rule for it. Rules for other commands stay.
std::vector<KeyRule> WithKeys(std::vector<KeyRule> custom, const std::string& id,
                              const std::optional<std::string>& keys);
bool HasRule(const std::vector<KeyRule>& custom, std::string_view id);

class KeyBindings {
 public:
  KeyBindings() { Rebuild(KeyPreset::kStepscope, {}); }
  // Reads Settings::key_preset and custom_keys. True if they changed. O(rules)
  bool Update(const Settings& settings);
  // The keys of a command or of "panel.ID", such as "W | ="; empty: none. Valid until
  // the next Update.
  const std::string& Of(std::string_view id) const;
  // The id of the command or panel that has a chord; empty: none has.
  std::string OwnerOf(const std::string& chord) const;
  // Sentences about the user's rules: those with an unknown command or key, and keys that were
  // taken from another command.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void Rebuild(KeyPreset preset, const std::vector<KeyRule>& custom);
  void Bind(const std::string& id, const std::string& keys, bool say);

  std::map<std::string, std::string, std::less<>> keys_;
  std::vector<std::string> notes_;
  KeyPreset preset_ = KeyPreset::kStepscope;
  std::vector<KeyRule> custom_;
};

}  // namespace stepscope
