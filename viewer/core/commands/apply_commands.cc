#include "viewer/core/commands/apply_commands.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

void MakeSafe(const ViewerContext& context, CommandArgs* args) {
  constexpr double kMost = 1e15;
  args->pixels = std::isnan(args->pixels) ? 0 : std::clamp(args->pixels, -kMost, kMost);
  const auto name = [&](EventRef& event) {
    if (event.valid() && !event.trace.valid()) event.trace = context.view.active;
  };
  name(args->event);
  if (!args->events.empty() && !args->events.front().trace.valid())
    std::for_each(args->events.begin(), args->events.end(), name);
  std::erase_if(args->events, [&](const EventRef& event) { return context.Set(event) == nullptr; });
}

}  // namespace

void ApplyCommands(ViewerContext& context, CommandQueue* commands) {
  // Commands that a command pushes are applied in the same frame, but a loop of them must end.
  for (int i = 0; i < 10'000; ++i) {
    std::optional<Command> command = commands->Pop();
    if (!command) return;
    const CommandDesc& desc = DescOf(command->id);
    MakeSafe(context, &command->args);
    if (desc.enabled(context)) desc.apply(context, command->args);
  }
}

}  // namespace stepscope
