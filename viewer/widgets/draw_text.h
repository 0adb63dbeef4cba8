// Small drawing helpers shared by panels and widgets: text in the theme's roles and faces, cut with
// an ellipsis. Between ImGui::NewFrame() and Render() only.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/cells.h"  // IWYU pragma: export
#include "model/analysis/tables/result_table.h"
#include "viewer/core/look/fonts.h"
#include "viewer/core/look/theme.h"
#include "viewer/core/panel.h"

namespace stepscope {

enum class Face { kUi, kBold, kMono, kMonoBold };

// Pushes a face for a scope; without fonts in the context only the size changes.
class FaceScope {
 public:
  FaceScope(const PanelContext& context, Face face, float size = TypeSize::kSmall);
  ~FaceScope() { ImGui::PopFont(); }
  FaceScope(const FaceScope&) = delete;
  FaceScope& operator=(const FaceScope&) = delete;
};

float TextWidth(std::string_view text);
float LineHeightIn(const PanelContext& context, Face face, float size);
inline float Em() { return ImGui::GetFontSize(); }
// The size of the default face, whatever font is pushed. It is the unit of layout.
float BaseEm();

// Draws at the cursor in a role's colour and advances the cursor.
void TextIn(const PanelContext& context, Role role, std::string_view text);
// The text with a space that does not break between a number and its unit, so that no line begins
// with a unit. O(size)
std::string WithUnitsKept(std::string_view text);

void WrappedIn(const PanelContext& context, Role role, std::string_view text);
void SectionTitle(const PanelContext& context, std::string_view text, std::string_view note = {});
// Draws up to `right` with an ellipsis at the end; returns true if the text was cut.
bool DrawCut(ImDrawList* list, ImVec2 pos, float right, Rgba color, std::string_view text);
void DrawRight(ImDrawList* list, float right, float y, Rgba color, std::string_view text);
void DrawBox(ImDrawList* list, float x, float y, float w, float h, Rgba color, float rounding = 0);
// Text that acts as a link; returns true when clicked. It is cut to the rest of the line; a tooltip
// then shows all of it.
bool LinkText(const PanelContext& context, const char* id, std::string_view text);
// A button that looks pressed while its choice is `on`; returns true when clicked.
bool ChoiceButton(const PanelContext& context, const char* label, bool on);
// A name out of a profile or a file system as the label of an ImGui item, which would end at "##".
std::string ItemLabel(std::string_view name);
// A tooltip whose lines are wrapped at a readable width.
void WrappedTooltip(std::string_view text);
// A thin horizontal rule with some air.
void Rule(const PanelContext& context);
// Label left in secondary colour, value after `value_x` pixels, cut to the window.
void KeyValue(const PanelContext& context, std::string_view key, std::string_view value,
              float value_x, bool mono);

// Numbers of a table column or chart as text: one unit and one number of decimals for a whole
// column, chosen from its largest value; thin spaces between groups of three digits. Writes into
// the caller's buffer: no allocation per cell. Pure, thread-safe.
struct NumberFormat {
  double scale = 1;  // the text shows value * scale
  int decimals = 0;
  const char* header = "";  // unit for the column's header, "µs"
  const char* suffix = "";  // after each value, " %"
};

// `max_abs` is the largest absolute value of the column, in the column's own unit.
NumberFormat FormatFor(Unit unit, ValueType type, double max_abs);
// At most 63 bytes; "–" for NaN and infinity.
std::string_view WriteNumber(double value, const NumberFormat& format, std::span<char, 64> buffer);
std::string NumberText(double value, const NumberFormat& format);

// Drops needless zeros: "95.0000 us" becomes "95 us".
std::string WithoutZeros(std::string text);

// The dimension of a unit, and its size in the base unit (ps, bytes, percent).
enum class Dimension { kNone, kTime, kBytes, kPercent };
Dimension DimensionOf(Unit unit);
double BaseFactor(Unit unit);

}  // namespace stepscope
