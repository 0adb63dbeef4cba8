#include "viewer/core/commands/command.h"

#include <algorithm>
#include <cmath>

#include "model/base/check.h"

namespace stepscope {

const CommandDesc* FindCommand(std::string_view id) {
  for (const CommandDesc& command : Commands()) {
    if (id == command.id) return &command;
  }
  return nullptr;
}

const CommandDesc& DescOf(CommandId id) {
  const CommandDesc* command = FindCommand(id);
  STEPSCOPE_DCHECK(command != nullptr);  // an id of kCommandIds without a row
  return *command;
}

void SetNumber(const CommandDesc& command, double number, CommandArgs* args) {
  constexpr double kMost = 1e15;
  const double bounded = std::isnan(number) ? 0 : std::clamp(number, -kMost, kMost);
  if (const auto* real = std::get_if<double CommandArgs::*>(&command.number))
    args->** real = bounded;
  if (const auto* whole = std::get_if<int64_t CommandArgs::*>(&command.number))
    args->** whole = static_cast<int64_t>(std::floor(bounded));
  if (const auto* flag = std::get_if<bool CommandArgs::*>(&command.number))
    args->** flag = bounded > 0;
}

std::string FirstKey(std::string_view keys) {
  return std::string(keys.substr(0, keys.find(" | ")));
}

void CommandQueue::Push(CommandId id, CommandArgs args) { queue_.push_back({id, std::move(args)}); }

void CommandQueue::PushSettingOf(const Settings& changed, const SettingMember& member) {
  Push("app.set", {.text = SettingDescOf(member).key + ("=" + SettingText(changed, member))});
}

std::optional<Command> CommandQueue::Pop() {
  constexpr size_t kJournal = 1000;
  if (queue_.empty()) return std::nullopt;
  Command command = std::move(queue_.front());
  queue_.pop_front();
  // The journal keeps enough to tell what happened; a table's row may link to a million events.
  std::vector<EventRef> events = std::exchange(command.args.events, {});
  std::string contents = std::exchange(command.args.contents, {});
  const auto kept = static_cast<std::ptrdiff_t>(std::min(events.size(), kJournalEvents));
  journal_.push_back(command);
  journal_.back().args.events.assign(events.begin(), events.begin() + kept);
  command.args.events = std::move(events);
  command.args.contents = std::move(contents);
  if (journal_.size() > kJournal) journal_.pop_front();
  return command;
}

}  // namespace stepscope
