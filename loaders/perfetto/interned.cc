#include "loaders/perfetto/interned.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "loaders/perfetto/event_reader.h"

namespace stepscope::perfetto {
namespace {

// Adds an entry: its number is in field 1 and its text in field 2.
void AddEntry(const proto::Field& entry, StringPool* strings, InternedNames* to) {
  uint64_t iid = 0;
  std::string_view text;
  ForFields(entry, [&](const proto::Field& f) {
    if (f.number == 1 && f.wire == proto::kVarint) iid = f.value;
    if (f.number == 2 && f.wire == proto::kLen) text = f.text();
  });
  if (iid != 0) to->Set(iid, strings->Intern(text));
}

void AddContext(const proto::Field& message, std::unordered_map<uint64_t, int64_t>* to) {
  uint64_t iid = 0;
  int64_t pid = 0;
  ForFields(message, [&](const proto::Field& f) {
    if (f.number == 1) iid = f.value;
    if (f.number == 2) pid = f.Int();
  });
  (*to)[iid] = pid;
}

void AddKernel(const proto::Field& message, StringPool* strings,
               std::unordered_map<uint64_t, InternedKernel>* to) {
  uint64_t iid = 0;
  InternedKernel kernel;
  ForFields(message, [&](const proto::Field& f) {
    if (f.number == 1 && f.wire == proto::kVarint) iid = f.value;
    if (f.wire != proto::kLen) return;
    if (f.number == 2) kernel.name = strings->Intern(f.text());
    if (f.number == 3) kernel.readable = strings->Intern(f.text());
    if (f.number == 4) kernel.arch = strings->Intern(f.text());
    if (f.number == 5) kernel.arguments.push_back(strings->Intern(f.text()));
  });
  if (iid != 0) (*to)[iid] = std::move(kernel);
}

void AddCounters(const proto::Field& message, StringPool* strings,
                 std::unordered_map<uint64_t, InternedCounters>* to) {
  uint64_t iid = 0;
  InternedCounters counters;
  ForFields(message, [&](const proto::Field& f) {
    if (f.number == 1 && f.wire == proto::kVarint) iid = f.value;
    if (f.number == 3 && f.wire == proto::kVarint) counters.gpu = f.Int();
    if (f.number != 2 || f.wire != proto::kLen) return;
    ForCounterNames(f, [&](uint64_t id, std::string_view name) {
      counters.names.emplace_back(id, strings->Intern(name));
    });
  });
  if (iid != 0) (*to)[iid] = std::move(counters);
}

}  // namespace

void Interned::Add(const proto::Field& interned_data, StringPool* strings) {
  ForFields(interned_data, [&](const proto::Field& field) {
    if (field.wire != proto::kLen) return;
    switch (field.number) {
      case 1:
        return AddEntry(field, strings, &categories);
      case 2:
        return AddEntry(field, strings, &events);
      case 3:
        return AddEntry(field, strings, &annotations);
      case 23:
        return AddContext(field, &contexts);
      case 24:
        return AddEntry(field, strings, &stages);
      case 29:
        return AddEntry(field, strings, &texts);
      case 47:
        return AddCounters(field, strings, &counters);
      case 1000:
        return AddKernel(field, strings, &kernels);
      case 1001:
        return AddEntry(field, strings, &kernel_arguments);
      default:
        return;
    }
  });
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
