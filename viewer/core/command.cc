#include "viewer/core/command.h"

#include <algorithm>
#include <utility>

namespace stepscope {

const CommandDesc* FindCommand(std::string_view id) {
  for (const CommandDesc& command : Commands()) {
    if (id == command.id) return &command;
  }
  return nullptr;
}

std::string FirstKey(std::string_view keys) {
  return std::string(keys.substr(0, keys.find(" | ")));
}

void CommandQueue::Push(std::string_view id, CommandArgs args) {
  queue_.push_back({std::string(id), std::move(args)});
}

void CommandQueue::PushSetting(std::string_view key, std::string_view value) {
  CommandArgs args;
  args.text.append(key).append("=").append(value);
  Push("app.set", std::move(args));
}

bool CommandQueue::Pop(Command* out) {
  constexpr size_t kJournal = 1000;
  if (queue_.empty()) return false;
  *out = std::move(queue_.front());
  queue_.pop_front();
  // What is needed to tell what happened; a row may link to a million events.
  Command& entry = journal_.emplace_back();
  entry.id = out->id;
  entry.args = {out->args.text,   out->args.range, out->args.event, {},
                out->args.number, out->args.run,   out->args.paths};
  const auto first = out->args.events.begin();
  const auto kept = std::min(out->args.events.size(), kJournalEvents);
  entry.args.events.assign(first, first + static_cast<std::ptrdiff_t>(kept));
  if (journal_.size() > kJournal) journal_.pop_front();
  return true;
}

}  // namespace stepscope
