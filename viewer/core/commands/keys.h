// Keys: chords, how they are read from the keyboard, and which command has which. UI thread only;
// Pressed and the like belong between NewFrame and Render.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/core/commands/command.h"
#include "viewer/core/state/settings.h"

namespace stepscope {

// "F", "Ctrl+O", "Shift+F3", or a character whose key depends on the keyboard layout ("?", "/",
// ">"), which is matched by the character that was typed.
struct KeyChord {
  int chord = 0;  // ImGuiKeyChord; 0: `character` is used
  unsigned character = 0;
  bool repeat = false;  // held keys repeat: arrows, W A S D
  bool operator==(const KeyChord&) const = default;
};

// The chords of a text such as "A | Left". An unknown one is left out and makes *ok false.
std::vector<KeyChord> ParseChords(std::string_view keys, bool* ok);
// Whether the chord was pressed in this frame. A bare key does not count while Ctrl is held. While
// text is typed, only function keys and chords with Ctrl or Alt that edit no text count.
bool Pressed(const KeyChord& chord);
// A tap of the left Alt key alone, by which desktops open a window's menus. The right one types
// characters on many keyboards.
class AltTap {
 public:
  // Call it once a frame. True: Alt was released, and since it was pressed there was nothing else:
  // no other key, click, wheel or change of windows.
  bool Update();

 private:
  bool alone_ = false;
};
// The chord that was pressed in this frame, as ParseChords reads it; empty: none that a
// command can have.
std::string PressedChord();
// How far each repetition of a held key moves, in steps of one press. The press itself is one step;
// the repetitions begin slowly and become faster, up to kMostHoldSpeed after kHoldSeconds.
double HoldSpeed(const KeyChord& chord);
double HoldSpeedAfter(double seconds);
inline constexpr double kLeastHoldSpeed = 0.35, kMostHoldSpeed = 3, kHoldSeconds = 2;

// The user's rules with other keys for a command or "panel.ID"; "" leaves it without a key.
// nullopt removes the user's rule for it. Rules for other commands stay.
std::vector<KeyRule> WithKeys(std::vector<KeyRule> custom, const std::string& id,
                              const std::optional<std::string>& keys);
bool HasRule(const std::vector<KeyRule>& custom, std::string_view id);

// The keys of each command and panel. The tables' own keys come first, then those of a preset, then
// the user's. A key belongs to one command: a later choice takes it from the command that had it.
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

// Calls ImGui::NewFrame so that chords typed faster than frames are drawn still count. Dear ImGui
// applies all key events that have come before anyone looks: "Ctrl down, Q down, Ctrl up" would
// leave only Q. A change of a modifier after a key press therefore waits for the next frame.
void NewFrameKeepingChords();
// True if events wait for the next frame, which nothing else may ask for.
bool InputWaits();

}  // namespace stepscope
