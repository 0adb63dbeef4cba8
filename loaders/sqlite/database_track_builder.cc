#include "loaders/sqlite/database_track_builder.h"

namespace stepscope::sqlite {

StringId DatabaseTrackBuilder::Intern(std::string_view text) {
  text_bytes_ += text.size();
  return builder_.strings().Intern(text);
}

StringId DatabaseTrackBuilder::TextOf(const std::string& table, const char* column, int64_t rowid) {
  Texts& texts = texts_[table + '.' + column];
  const auto [it, added] = texts.known.try_emplace(rowid, StringId(0));
  if (!added) return it->second;
  if (texts.query == nullptr)
    texts.query = database_.Select(std::string("SELECT ") + column + " FROM " + Quoted(table) +
                                   " WHERE rowid = ?");
  if (texts.query == nullptr) return it->second;
  texts.query->Start(rowid);
  if (texts.query->Next()) it->second = Intern(texts.query->Text(0));
  return it->second;
}

void DatabaseTrackBuilder::NamePlane(const PlaneKey& key, const std::string& program, int64_t pid,
                                     Plane* plane) {
  if (key.kind == PlaneKind::kGpu) {
    plane->id = key.number;
    plane->display_name = "GPU " + std::to_string(key.number);
    plane->name = Intern("/device:GPU:" + std::to_string(key.number));
    return;
  }
  plane->id = pid;
  plane->display_name = "Host threads";
  plane->subtitle = (program.empty() ? "Process " : program + ", process ") + std::to_string(pid);
  plane->name = Intern(plane->subtitle);
}

void DatabaseTrackBuilder::Count(std::string_view id, Severity severity, std::string_view text,
                                 std::string_view place) {
  builder_.trace().diagnostics.Count(id, severity, text, label_ + " " + std::string(place));
}

void DatabaseTrackBuilder::CountDamaged(const std::string& from) {
  Count("sqlite.damaged_table", Severity::kWarning,
        "Tables are damaged: their rows are read up to there",
        "table " + from.substr(0, from.find(" AS ")));
}

std::string CopyName(std::string_view direction, std::string_view from, std::string_view to) {
  std::string name = "Memcpy ";
  name += direction;
  if (!from.empty() && !to.empty()) {
    name += " (";
    name += from;
    name += " -> ";
    name += to;
    name += ')';
  }
  return name;
}

}  // namespace stepscope::sqlite
