#include "loaders/perfetto/interned.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace stepscope::perfetto {
namespace {

// An entry has its number in field 1 and its text in field 2.
void AddEntry(const xplane::Field& entry, StringPool* strings, InternedNames* to) {
  xplane::FieldReader reader(entry.begin, entry.end);
  xplane::Field field;
  uint64_t iid = 0;
  std::string_view text;
  while (reader.Next(&field)) {
    if (field.number == 1 && field.wire == xplane::kVarint) iid = field.value;
    if (field.number == 2 && field.wire == xplane::kLen) text = field.text();
  }
  if (iid != 0) to->Set(iid, strings->Intern(text));
}

}  // namespace

void Interned::Add(const xplane::Field& interned_data, StringPool* strings) {
  xplane::FieldReader reader(interned_data.begin, interned_data.end);
  xplane::Field field;
  while (reader.Next(&field)) {
    if (field.wire != xplane::kLen) continue;
    switch (field.number) {
      case 1:
        AddEntry(field, strings, &categories);
        break;
      case 2:
        AddEntry(field, strings, &events);
        break;
      case 3:
        AddEntry(field, strings, &annotations);
        break;
      case 24:
        AddEntry(field, strings, &stages);
        break;
      case 26: {
        xplane::FieldReader context(field.begin, field.end);
        xplane::Field part;
        uint64_t iid = 0;
        int64_t pid = 0;
        while (context.Next(&part)) {
          if (part.number == 1) iid = part.value;
          if (part.number == 2) pid = part.Int();
        }
        contexts[iid] = pid;
        break;
      }
      case 29:
        AddEntry(field, strings, &texts);
        break;
      default:
        break;
    }
  }
}

Interned& InternedHistory::Begin(uint32_t sequence, const Place& place) {
  std::vector<State>& states = all_[sequence];
  states.push_back({place, std::make_unique<Interned>()});
  return *states.back().interned;
}

const Interned* InternedHistory::At(uint32_t sequence, uint64_t ref, bool plain) const {
  const auto it = all_.find(sequence);
  if (it == all_.end()) return nullptr;
  const auto after =
      std::partition_point(it->second.begin(), it->second.end(), [&](const State& state) {
        return (plain ? state.begin.plain : state.begin.inflated) <= ref;
      });
  return after == it->second.begin() ? nullptr : std::prev(after)->interned.get();
}

}  // namespace stepscope::perfetto
