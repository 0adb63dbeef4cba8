#include "viewer/command.h"

#include <utility>

namespace stepscope {

const CommandDesc* FindCommand(std::string_view id) {
  for (const CommandDesc& command : Commands()) {
    if (id == command.id) return &command;
  }
  return nullptr;
}

void CommandQueue::Push(std::string_view id, CommandArgs args) {
  queue_.push_back({std::string(id), std::move(args)});
}

bool CommandQueue::Pop(Command* out) {
  constexpr size_t kJournal = 1000;
  if (queue_.empty()) return false;
  *out = std::move(queue_.front());
  queue_.pop_front();
  journal_.push_back(*out);
  if (journal_.size() > kJournal) journal_.pop_front();
  return true;
}

}  // namespace stepscope
