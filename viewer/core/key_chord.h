// Key chords of the command table: "F", "Ctrl+O", "Shift+F3", and characters that depend on the
// keyboard layout ("?", "/", ">"), which are matched by what was typed, not by which key it was.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct KeyChord {
  int chord = 0;  // ImGuiKeyChord, 0 if `character` is used
  unsigned character = 0;
  bool repeat = false;  // held keys repeat: arrows, W A S D
  bool operator==(const KeyChord&) const = default;
};

// Chords of one "A | Left" text. Unknown ones are left out and make *ok false.
std::vector<KeyChord> ParseChords(std::string_view keys, bool* ok);
// Whether it was pressed in this frame. A bare key does not fire with Ctrl held, nothing fires
// while text is typed except chords with Ctrl or Alt and function keys.
bool Pressed(const KeyChord& chord);
// What was pressed in this frame, as ParseChords reads it; empty: nothing that a command can have.
std::string PressedChord();
// Of a key that is held down: how far it moves with each repetition, in steps of one press. The
// press itself is one; then it begins slowly and becomes faster: up to kMostHoldSpeed after
// kHoldSeconds.
double HoldSpeed(const KeyChord& chord);
double HoldSpeedAfter(double seconds);
inline constexpr double kLeastHoldSpeed = 0.35, kMostHoldSpeed = 3, kHoldSeconds = 2;

}  // namespace stepscope
