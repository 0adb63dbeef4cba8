#include "viewer/core/profile_notes.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

namespace stepscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kVersion = 1;
constexpr const char* kVersionKey = "stepscope_notes";

int64_t IntOr(const Json& json, const char* key, int64_t fallback) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number_integer() ? it->get<int64_t>() : fallback;
}

bool ParseMarker(const Json& json, Marker* marker) {
  if (!json.is_object()) return false;
  marker->range = {IntOr(json, "begin_ps", kMinPs), IntOr(json, "end_ps", kMinPs)};
  if (marker->range.begin == kMinPs || marker->range.end < marker->range.begin) return false;
  const auto name = json.find("name");
  if (name != json.end() && name->is_string()) marker->name = name->get<std::string>();
  marker->color =
      static_cast<uint32_t>(std::clamp<int64_t>(IntOr(json, "color", 0), 0, kMarkerColors - 1));
  return true;
}

}  // namespace

std::string NotesText(const std::vector<Marker>& markers) {
  Json list = Json::array();
  for (const Marker& marker : markers) {
    list.push_back({{"begin_ps", marker.range.begin},
                    {"end_ps", marker.range.end},
                    {"name", marker.name},
                    {"color", marker.color}});
  }
  const Json notes = {{kVersionKey, kVersion}, {"markers", std::move(list)}};
  // A pasted name may be no UTF-8, and the default handler would throw.
  return notes.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ParsedNotes ParseNotes(std::string_view text) {
  ParsedNotes out;
  if (text.empty()) return out;
  const Json json = Json::parse(text, nullptr, false);
  const int64_t version = json.is_object() ? IntOr(json, kVersionKey, 0) : 0;
  if (version > kVersion) out.state = ParsedNotes::State::kNewer;
  if (version < 1) out.state = ParsedNotes::State::kDamaged;
  if (out.state != ParsedNotes::State::kRead) return out;
  const auto markers = json.find("markers");
  if (markers == json.end() || !markers->is_array()) return out;
  for (const Json& entry : *markers) {
    Marker marker;
    if (ParseMarker(entry, &marker)) {
      out.markers.push_back(std::move(marker));
    } else {
      out.state = ParsedNotes::State::kDamaged;
    }
  }
  return out;
}

std::vector<Marker> ProfileNotes::Read(const Profile& profile, AppServices& services,
                                       std::string* note) {
  if (profile.fingerprint.empty()) return {};
  ParsedNotes notes = ParseNotes(services.ReadNotes(profile.fingerprint));
  if (notes.state == ParsedNotes::State::kNewer) {
    *note = "Your markers were written by a newer version; new ones are not kept";
    return {};
  }
  if (notes.state == ParsedNotes::State::kDamaged) {
    const std::string where = services.SetNotesAside(profile.fingerprint);
    *note = "The file with your markers is damaged";
    if (!where.empty()) *note += "; it is kept as " + where;
    if (where.empty()) return notes.markers;  // the file must not be written over
  }
  // The next change writes what could be read of a damaged file.
  written_[profile.id] = {profile.fingerprint, notes.markers};
  return notes.markers;
}

void ProfileNotes::Write(const ViewState& view, AppServices& services) {
  for (const ProfileViewState& profile : view.profiles) {
    const auto kept = written_.find(profile.profile);
    if (kept == written_.end() || kept->second.markers == profile.markers) continue;
    if (services.WriteNotes(kept->second.fingerprint, NotesText(profile.markers)))
      kept->second.markers = profile.markers;
  }
  std::erase_if(written_, [&](const auto& entry) { return view.Find(entry.first) == nullptr; });
}

}  // namespace stepscope
