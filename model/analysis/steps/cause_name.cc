#include "model/analysis/steps/cause_name.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "model/analysis/grouping/frame_roles.h"
#include "model/analysis/grouping/host_roles.h"
#include "model/analysis/naming/program.h"
#include "model/analysis/naming/short_label.h"
#include "model/analysis/steps/steps.h"
#include "model/base/ascii.h"

namespace stepscope {
namespace {

std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

// Python functions are FILE(LINE): NAME in PyTorch, $FILE:LINE NAME in JAX and TensorFlow.
std::string CauseName(std::string_view event) {
  const size_t open = event.find(".py("), close = event.find("): ");
  if (open != std::string_view::npos && close != std::string_view::npos && open < close) {
    const std::string_view line = event.substr(open + 4, close - open - 4);
    return std::string(event.substr(close + 3)) + " (" +
           std::string(FileName(event.substr(0, open + 3))) + ":" + std::string(line) + ")";
  }
  for (std::string_view kind : {"<built-in method ", "<built-in function "}) {
    if (event.starts_with(kind)) {
      event.remove_prefix(kind.size());
      return std::string(event.substr(0, event.find_first_of(" >")));
    }
  }
  const size_t space = event.find(' ');
  if (event.starts_with("$") && space != std::string_view::npos) {
    return std::string(event.substr(space + 1)) + " (" +
           std::string(FileName(event.substr(1, space - 1))) + ")";
  }
  const size_t colon = event.find(':');  // NAME:TYPE of TensorFlow; the type says nothing new
  const bool twice =
      colon != std::string_view::npos && event.substr(0, colon) == event.substr(colon + 1);
  return std::string(twice ? event.substr(0, colon) : event);
}

HostRole RoleOfCause(const Trace& trace, MetaId event) {
  if (event.value >= trace.names().metas.size()) return HostRole::kWork;
  return RoleOfHostEvent(trace.names().Name(event), trace.names().metas[event.value].category);
}

bool IsOwnRange(const Trace& trace, MetaId event) {
  static constexpr std::array<std::string_view, 5> kFrameworks = {"DistributedData", "FSDP",
                                                                  "nccl:", "gloo:", "c10d::"};
  if (event.value >= trace.names().metas.size()) return false;
  const std::string_view name = trace.names().Name(event);
  return trace.names().metas[event.value].category == EventCategory::kUserAnnotation &&
         name.find('#') == name.npos && !IsCompiledRegion(name) &&
         !BeginsWithAny(name, kFrameworks) && RoleOfCause(trace, event) == HostRole::kWork;
}

namespace {

// Some profilers name a launch call after its kernel. The op that launched it says more.
bool NamedAfterKernel(const Trace& trace, const IdleCause& cause) {
  if (!cause.inside.valid()) return false;
  const EventMeta& meta = trace.names().metas[cause.event.value];
  return RoleOfHostEvent(trace.names().Name(cause.event), meta.category) == HostRole::kWork;
}

// Names a function of Python's library that waits: "queue.get" for get in the module queue,
// "Connection.recv" for a built-in method. Users cannot change these, so the name has no line.
// Empty for other names.
std::string WaitName(std::string_view event) {
  if (const auto frame = ParsePythonFrame(event)) {
    std::string name(frame->path.substr(0, frame->path.rfind(".py")));
    std::replace(name.begin(), name.end(), '/', '.');
    return name + "." + std::string(frame->function);
  }
  constexpr std::string_view kMethod = "<built-in method ", kOf = " of ";
  const size_t of = event.find(kOf);
  if (!event.starts_with(kMethod) || of == event.npos) return {};
  const std::string_view type =
      event.substr(of + kOf.size(), event.find(' ', of + kOf.size()) - of - kOf.size());
  return std::string(type.substr(type.rfind('.') + 1)) + "." +
         std::string(event.substr(kMethod.size(), of - kMethod.size()));
}

// Causes that have a name of their own, whatever event tells them; empty for others.
std::string OwnName(const Trace& trace, MetaId event) {
  const std::string_view name = trace.names().Name(event);
  switch (RoleOfCause(trace, event)) {
    case HostRole::kGarbage:
      return CauseNames::kGarbage;
    case HostRole::kSave:
      return "checkpoint saving: " + InSentence(CauseName(name));
    case HostRole::kEvent:
      return name.starts_with("<built-in") ? "Event.synchronize" : "";
    case HostRole::kPause:
    case HostRole::kPeer:
      return WaitName(name);
    default:
      return {};
  }
}

}  // namespace

std::string CauseName(const Trace& trace, const IdleCause& cause) {
  const auto name_of = [&](MetaId event) {
    if (std::string own = OwnName(trace, event); !own.empty()) return own;
    std::string name = InSentence(CauseName(trace.names().DisplayName(event)));
    // All steps' marks are one cause: "ProfilerStep" for ProfilerStep#3.
    const bool mark = trace.names().metas[event.value].category == EventCategory::kStep;
    const size_t end = mark ? name.find_last_not_of("0123456789#_ ") : std::string::npos;
    if (end != std::string::npos) name.resize(end + 1);
    return name.empty() ? std::string("(no name)") : name;
  };
  if (!cause.event.valid()) return {};
  if (NamedAfterKernel(trace, cause)) return name_of(cause.inside);
  return name_of(cause.event) + (cause.inside.valid() ? " in " + name_of(cause.inside) : "");
}

CauseNames::CauseNames(const Trace& trace, const StepDatabase& db) : trace_(trace) {
  for (const Step& step : db.steps) {
    if (!step.inferred && step.group >= 0 && !step.rows.empty())
      markers_.insert(trace.set.Meta(step.rows.front()).value);
  }
}

std::string CauseNames::Of(const IdleCause& cause) const {
  const bool mark = cause.loss == StepTimeClass::kHost && cause.event.valid() &&
                    markers_.contains(cause.event.value);
  return mark ? std::string(kUnrecorded) : CauseName(trace_, cause);
}

namespace {

constexpr std::array kRoleWords = {
    RoleWords{HostRole::kGarbage, "the host to collect garbage", "garbage"},
    RoleWords{HostRole::kSave, "checkpoints to be saved", "checkpoint"},
    RoleWords{HostRole::kPause, "the host, which waits itself", "host-op.pause"},
    RoleWords{HostRole::kPeer, "another process", "host-op.peer"},
    RoleWords{HostRole::kBarrier, "other ranks at a barrier", "barrier"},
    RoleWords{HostRole::kEvent, nullptr, "event-wait"},
};

}  // namespace

const RoleWords* WordsOfRole(HostRole role) {
  const auto row = std::find_if(kRoleWords.begin(), kRoleWords.end(),
                                [&](const RoleWords& words) { return words.role == role; });
  return row == kRoleWords.end() ? nullptr : &*row;
}

std::string HostWorkWords(const Trace& trace, std::span<const IdleCause> causes) {
  constexpr double kLeast = 0.1;
  constexpr double kNearlyAll = 0.8;
  double python = 0, runtime = 0, waits = 0;
  for (const IdleCause& cause : causes) {
    if (cause.loss != StepTimeClass::kHost || !cause.event.valid()) continue;
    const EventMeta& meta = trace.names().metas[cause.event.value];
    const bool pause = IsPause(RoleOfHostEvent(trace.names().Name(cause.event), meta.category));
    waits += pause ? static_cast<double>(cause.time) : 0;
    const bool of_runtime = IsRuntimeWork(trace.names().Name(cause.event), meta.category);
    (of_runtime ? runtime : python) += static_cast<double>(cause.time);
  }
  const double all = python + runtime;
  if (waits > 0 && waits >= kNearlyAll * all) return "waiting for others";
  if (runtime < kLeast * all) return "Python";
  return python < kLeast * all ? "the framework's runtime" : "Python and the framework's runtime";
}

const char* Takes(const std::string& words) {
  return words.find(" and ") != std::string::npos ? "take" : "takes";
}

}  // namespace stepscope
