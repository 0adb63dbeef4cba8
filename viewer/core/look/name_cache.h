// NameCache: the colour of each event name, and its short forms with their widths, computed once
// for each meta of a name table. Colours take 4 bytes a meta, and any thread may ask for them
// (relaxed atomics: every thread computes the same). Labels are for the UI thread; Trim() keeps
// their number near kMaxLabels.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/track.h"
#include "viewer/core/look/theme.h"

namespace stepscope {

// Returns the middle form of MakeShortForms for each name. Names with the same form get the part
// that differs behind it: "MatMul · dense_1". Equal names stay equal. Pure; any thread. O(total
// length · log names of the same form)
std::vector<std::string> DistinctNames(std::span<const std::string_view> names);

// The width of a text in pixels in the font of slices. `fit`, if not null, gets the number of bytes
// that fit in max_width.
using MeasureText = std::function<float(std::string_view text, float max_width, size_t* fit)>;

struct NameLabel {
  std::array<std::string, 3> forms;  // full, middle, tiny; duplicates and missing ones are empty
  std::array<float, 3> widths{};
};

// The colours of one name table, looked up once for all events of a row. Valid until the cache or
// the table goes, or another theme is set.
class NameColors {
 public:
  NameColors(const NameTable& names, const Theme& theme, std::vector<uint32_t>* known, bool derived)
      : names_(names), theme_(theme), known_(known), derived_(derived) {}
  Rgba operator()(uint32_t meta) const {
    if (known_ == nullptr || meta >= known_->size()) return Compute(meta);
    const std::atomic_ref<uint32_t> slot((*known_)[meta]);
    const uint32_t color = slot.load(std::memory_order_relaxed);
    return color != 0 ? color : Make(meta);
  }

 private:
  Rgba Make(uint32_t meta) const;
  Rgba Compute(uint32_t meta) const;

  const NameTable& names_;
  const Theme& theme_;
  std::vector<uint32_t>* known_;  // by meta, 0: not yet; null: not prepared
  bool derived_;
};

class NameCache {
 public:
  static constexpr size_t kMaxLabels = 8192;

  void SetTheme(const Theme& theme);     // drops colours
  void SetMeasure(MeasureText measure);  // drops labels (after a change of font or scale)
  // Another number whenever colours or labels are dropped.
  uint64_t generation() const { return generation_; }

  // Makes room for a table's colours; call before asking from several threads. `derived`: of a
  // derived set, whose idle slices (model/analysis/derived_tracks/device_tracks.h) have the colours
  // of their classes.
  void Prepare(const NameTable& names, bool derived = false);
  void Forget(const NameTable* names);
  NameColors Colors(const NameTable& names) const;
  Rgba Color(const NameTable& names, uint32_t meta) const { return Colors(names)(meta); }
  // Drops all labels once there are more than kMaxLabels. Call it between frames: references to
  // labels die.
  void Trim();
  const NameLabel& Label(const NameTable& names, uint32_t meta);
  float Measure(std::string_view text, float max_width, size_t* fit) const {
    return measure_(text, max_width, fit);
  }
  const Theme& theme() const { return theme_; }
  size_t labels() const { return labels_.size(); }

 private:
  struct Key {
    const NameTable* names;
    uint32_t meta;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      return (reinterpret_cast<size_t>(k.names) ^ (k.meta + 0x9e3779b9u)) * 0x9e3779b97f4a7c15ull;
    }
  };

  Theme theme_;
  MeasureText measure_ = [](std::string_view text, float, size_t*) {
    return 7.0f * static_cast<float>(text.size());
  };
  uint64_t generation_ = 1;
  struct TableColors {
    std::vector<uint32_t> known;  // by meta, 0: not yet
    bool derived = false;
  };
  std::unordered_map<const NameTable*, std::unique_ptr<TableColors>> colors_;
  std::unordered_map<Key, std::unique_ptr<NameLabel>, KeyHash> labels_;
};

}  // namespace stepscope
