// Divides the steps of a program without devices into losses (docs/rules.md#losses).
#pragma once

#include <stop_token>
#include <vector>

#include "model/analysis/grouping.h"
#include "model/analysis/steps.h"

namespace stepscope {

// Fills the losses of the database's steps, and its causes. Steps that overlap get none.
// O(events log events). Stopped, it returns early, and the losses are incomplete.
void AddHostLosses(const Trace& trace, const StatTable& stats, const Grouping& grouping,
                   StepDatabase* db, const std::stop_token& stop = {});

// By MetaId: ops that do work by themselves, where the CPU is the device. O(names).
std::vector<uint8_t> HostOpMetas(const Trace& trace);

}  // namespace stepscope
