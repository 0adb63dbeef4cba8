// What a rule finds, and what a rule is (docs/findings.md). Plain values.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/result_table.h"
#include "model/ids.h"

namespace stepscope {

class FindingInput;  // model/analysis/findings/input.h

enum class FindingSeverity : uint8_t { kNote, kWarning, kProblem };
const char* IdOf(FindingSeverity severity);  // "note"

// One finding. How bad it is follows from its saving, within [least, most].
struct Found {
  std::string title;             // one sentence
  double measured = 0;           // in the rule's unit
  double saving_ms = 0;          // of each step; never more than the step
  std::string assumption;        // under which that is saved, and how sure it is
  std::vector<PlaneId> devices;  // on which; empty: the program's CPU
  std::vector<uint32_t> steps;   // in which, indices into StepDatabase::steps
  RowLink link;                  // at most FindingInput::kMostEvents events
  std::string remedy = {};       // empty: the rule's
  FindingSeverity least = FindingSeverity::kNote, most = FindingSeverity::kProblem;
  // Of a rule with several thresholds: the one that was passed, and its unit.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  Unit unit = Unit::kNone;
};

// Appends what it finds. `threshold`: in the rule's unit; nothing below it is found.
using FindFn = void(const FindingInput& input, double threshold, std::vector<Found>* out);

struct FindingRule {
  const char* id;  // "input-bound"
  const char* what;
  double threshold;  // the default
  Unit unit;         // of the threshold and of what is measured
  const char* formula;
  const char* guide;  // section of TensorFlow's guide to GPU performance
  const char* remedy;
  FindFn* find;
};

// Further numbers that rules and tables read and a person can change.
struct FindingParameter {
  const char* id;
  const char* what;
  double value;
  Unit unit;
};

std::span<const FindingRule> FindingRules();  // in the guide's order
const FindingRule* FindRule(std::string_view id);
std::span<const FindingParameter> FindingParameters();

// What a person changed, by the id of a rule or of a parameter; the rest is as in the registry.
class FindingThresholds {
 public:
  // "copies=2.5". False, and nothing is changed, where it is not ID=NUMBER with a known id.
  bool Set(const std::string& text);
  double Of(const FindingRule& rule) const;
  double Of(std::string_view parameter) const;  // of the registry, or 0

 private:
  std::map<std::string, double, std::less<>> changed_;
};

}  // namespace stepscope
