#include "sql/event_plan.h"

#include <algorithm>
#include <cmath>

namespace stepscope {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;

void AtMost(int64_t most, IntegerSpan* span) { span->last = std::min(span->last, most); }
void AtLeast(int64_t least, IntegerSpan* span) { span->first = std::max(span->first, least); }

void NarrowByInteger(PlanOp op, int64_t value, IntegerSpan* span) {
  constexpr IntegerSpan kAll;
  switch (op) {
    case PlanOp::kEqual:
      AtLeast(value, span), AtMost(value, span);
      break;
    case PlanOp::kLess:
      value == kAll.first ? span->Clear() : AtMost(value - 1, span);
      break;
    case PlanOp::kLessEqual:
      AtMost(value, span);
      break;
    case PlanOp::kGreater:
      value == kAll.last ? span->Clear() : AtLeast(value + 1, span);
      break;
    case PlanOp::kGreaterEqual:
      AtLeast(value, span);
      break;
    default:
      break;
  }
}

void NarrowByReal(PlanOp op, double value, IntegerSpan* span) {
  const bool below = op == PlanOp::kLess || op == PlanOp::kLessEqual;
  if (value >= kTwoTo63 || value < -kTwoTo63) {  // larger or smaller than all integers
    const bool above_all = value > 0;
    if (op == PlanOp::kEqual || below != above_all) span->Clear();
    return;
  }
  const double whole = std::floor(value);
  const auto integer = static_cast<int64_t>(whole);
  if (whole == value) return NarrowByInteger(op, integer, span);
  if (op == PlanOp::kEqual) return span->Clear();
  // The value lies between two integers, so `<` and `<=` mean the same.
  NarrowByInteger(below ? PlanOp::kLessEqual : PlanOp::kGreater, integer, span);
}

// The character of a column in a plan; 0 for a column whose conditions SQLite answers.
char CharOf(int column) {
  switch (static_cast<EventColumn>(column)) {
    case EventColumn::kId:
      return 'i';
    case EventColumn::kBegin:
      return 'b';
    case EventColumn::kName:
      return 'n';
    case EventColumn::kTrack:
      return 't';
    case EventColumn::kStep:
      return 's';
    default:
      return 0;
  }
}

bool Answers(const sqlite3_index_info& info, int i, char column, PlanOp op) {
  if (column != 'n') return op != PlanOp::kLike && op != PlanOp::kGlob;
  if (op == PlanOp::kLike || op == PlanOp::kGlob) return true;
  const char* collation = sqlite3_vtab_collation(const_cast<sqlite3_index_info*>(&info), i);
  return op == PlanOp::kEqual && collation != nullptr && sqlite3_stricmp(collation, "BINARY") == 0;
}

// Guesses which share of the events meets a condition.
double ShareOf(char column, PlanOp op, const EventCounts& counts) {
  if (op == PlanOp::kLike || op == PlanOp::kGlob) return 0.1;
  if (op != PlanOp::kEqual) return 0.25;
  switch (column) {
    case 'n':
      return 1 / std::max(counts.names, 1.0);
    case 't':
      return 1 / std::max(counts.tracks, 1.0);
    case 's':
      return 1 / std::max(counts.steps, 1.0);
    default:
      return 1 / std::max(counts.events, 1.0);
  }
}

// The order that SQLite asks for; nullopt if the table cannot give it.
std::optional<EventOrderBy> AskedOrder(const sqlite3_index_info& info, bool rows_by_track) {
  if (info.nOrderBy != 1 || info.aOrderBy[0].desc != 0) return std::nullopt;
  if (info.aOrderBy[0].iColumn < 0) return EventOrderBy::kId;
  switch (static_cast<EventColumn>(info.aOrderBy[0].iColumn)) {
    case EventColumn::kId:
      return EventOrderBy::kId;
    case EventColumn::kName:
      return EventOrderBy::kName;
    case EventColumn::kStep:
      return EventOrderBy::kStep;
    case EventColumn::kTrack:
      return rows_by_track ? std::optional(EventOrderBy::kId) : std::nullopt;
    default:
      return std::nullopt;
  }
}

void ReadName(PlanOp op, sqlite3_value* value, EventConditions* conditions) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) conditions->none = true;
  if (type != SQLITE_TEXT) return;
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
  const int bytes = sqlite3_value_bytes(value);
  if (text == nullptr) return;
  // SQLite refuses longer patterns, with its own message.
  constexpr int kMostPattern = 10000;
  if (op != PlanOp::kEqual && bytes > kMostPattern) return;
  conditions->names.push_back({op, std::string(text, static_cast<size_t>(bytes))});
}

}  // namespace

std::optional<PlanOp> PlanOpOf(int sqlite_operator) {
  switch (sqlite_operator) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return PlanOp::kEqual;
    case SQLITE_INDEX_CONSTRAINT_LT:
      return PlanOp::kLess;
    case SQLITE_INDEX_CONSTRAINT_LE:
      return PlanOp::kLessEqual;
    case SQLITE_INDEX_CONSTRAINT_GT:
      return PlanOp::kGreater;
    case SQLITE_INDEX_CONSTRAINT_GE:
      return PlanOp::kGreaterEqual;
    case SQLITE_INDEX_CONSTRAINT_LIKE:
      return PlanOp::kLike;
    case SQLITE_INDEX_CONSTRAINT_GLOB:
      return PlanOp::kGlob;
    default:
      return std::nullopt;
  }
}

void Narrow(PlanOp op, sqlite3_value* value, IntegerSpan* span) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return NarrowByInteger(op, sqlite3_value_int64(value), span);
    case SQLITE_FLOAT:
      return NarrowByReal(op, sqlite3_value_double(value), span);
    case SQLITE_NULL:
      return span->Clear();
    default:
      return;
  }
}

bool ChoosePlan(const EventCounts& counts, bool rows_by_track, sqlite3_index_info* info) {
  const std::optional<EventOrderBy> order = AskedOrder(*info, rows_by_track);
  std::string plan(1, static_cast<char>(order.value_or(EventOrderBy::kId)));
  double rows = counts.events;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const std::optional<PlanOp> op = PlanOpOf(constraint.op);
    const char column = constraint.iColumn < 0 ? 'i' : CharOf(constraint.iColumn);
    if (!constraint.usable || !op || column == 0 || !Answers(*info, i, column, *op)) continue;
    (plan += column) += static_cast<char>(*op);
    info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size() / 2);
    rows *= ShareOf(column, *op, counts);
    if (column == 'i' && *op == PlanOp::kEqual) info->idxFlags |= SQLITE_INDEX_SCAN_UNIQUE;
  }
  info->orderByConsumed = order.has_value() ? 1 : 0;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  // Successive rows of an index are far from each other in memory.
  const bool by_index = order && *order != EventOrderBy::kId;
  info->estimatedCost = 10 + rows * (by_index ? 1.5 : 1);
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr != nullptr;
}

EventConditions ReadPlan(std::string_view plan, int count, sqlite3_value** values) {
  EventConditions conditions;
  for (size_t i = 0; i < static_cast<size_t>(std::max(count, 0)); ++i) {
    if (2 * i + 2 >= plan.size()) break;
    const char column = plan[2 * i + 1];
    const auto op = static_cast<PlanOp>(plan[2 * i + 2]);
    IntegerSpan* span = column == 'i'   ? &conditions.id
                        : column == 'b' ? &conditions.begin
                        : column == 't' ? &conditions.track
                        : column == 's' ? &conditions.step
                                        : nullptr;
    if (span != nullptr) Narrow(op, values[i], span);
    if (column == 'n') ReadName(op, values[i], &conditions);
  }
  for (const IntegerSpan* span :
       {&conditions.id, &conditions.begin, &conditions.track, &conditions.step})
    conditions.none |= span->empty();
  return conditions;
}

EventOrderBy OrderOf(std::string_view plan) {
  if (plan.starts_with('n')) return EventOrderBy::kName;
  return plan.starts_with('s') ? EventOrderBy::kStep : EventOrderBy::kId;
}

}  // namespace stepscope
