#include "loaders/perfetto/interned.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "loaders/perfetto/messages.h"

namespace stepscope::perfetto {

using namespace proto;

namespace {

// Adds an entry: its number is in field 1 and its text in field 2.
void AddName(const Field& entry, StringPool* strings, InternedNames* to) {
  uint64_t iid = 0;
  std::string_view text;
  ReadFields(entry, Number(1, &iid), Text(2, &text));
  if (iid != 0) to->Set(iid, strings->Intern(text));
}

void AddContext(const Field& message, std::unordered_map<uint64_t, int64_t>* to) {
  uint64_t iid = 0;
  int64_t pid = 0;
  ReadFields(message, Number(1, &iid), Number(2, &pid));
  (*to)[iid] = pid;
}

void AddKernel(const Field& message, StringPool* strings,
               std::unordered_map<uint64_t, InternedKernel>* to) {
  uint64_t iid = 0;
  InternedKernel kernel;
  const auto text = [strings](uint32_t number, StringId* out) {
    return Message(number, [strings, out](const Field& f) { *out = strings->Intern(f.text()); });
  };
  const auto argument = [&](const Field& f) {
    kernel.arguments.push_back(strings->Intern(f.text()));
  };
  ReadFields(message, Number(1, &iid), text(2, &kernel.name), text(3, &kernel.readable),
             text(4, &kernel.arch), Message(5, argument));
  if (iid != 0) (*to)[iid] = std::move(kernel);
}

void AddCounters(const Field& message, StringPool* strings,
                 std::unordered_map<uint64_t, InternedCounters>* to) {
  uint64_t iid = 0;
  InternedCounters counters;
  const auto names = [&](const Field& f) {
    for (const auto& [id, name] : ReadCounterNames(f))
      counters.names.emplace_back(id, strings->Intern(name));
  };
  ReadFields(message, Number(1, &iid), Message(2, names), Number(3, &counters.gpu));
  if (iid != 0) (*to)[iid] = std::move(counters);
}

}  // namespace

void Interned::Read(const Field& interned_data, StringPool* strings) {
  const auto names = [strings](uint32_t number, InternedNames* to) {
    return Message(number, [strings, to](const Field& f) { AddName(f, strings, to); });
  };
  ReadFields(interned_data, names(1, &categories), names(2, &events), names(3, &annotations),
             Message(23, [this](const Field& f) { AddContext(f, &contexts); }), names(24, &stages),
             names(29, &texts),
             Message(47, [&](const Field& f) { AddCounters(f, strings, &counters); }),
             Message(1000, [&](const Field& f) { AddKernel(f, strings, &kernels); }),
             names(1001, &kernel_arguments));
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
