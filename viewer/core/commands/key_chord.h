// Key chords: "F", "Ctrl+O", "Shift+F3", and characters whose key depends on the keyboard layout
// ("?", "/", ">"), which are matched by the character that was typed. UI thread only; Pressed and
// the like belong between NewFrame and Render.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

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

}  // namespace stepscope
