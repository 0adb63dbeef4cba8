// FindingRule and RuleFinding: a rule, and one thing that it found (docs/findings.md). Plain
// values. rules.cc lists the rules. Any thread may call the functions here.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/analysis/tables/result_table.h"
#include "model/ids.h"

namespace stepscope {

class FindingContext;  // model/analysis/findings/finding_context.h

enum class FindingSeverity : uint8_t { kNote, kWarning, kProblem };
const char* IdOf(FindingSeverity severity);  // "note"

// One finding. Its severity follows from its saving, within [least, most].
struct RuleFinding {
  std::string title;             // one sentence
  double measured = 0;           // in the rule's unit
  double saving_ms = 0;          // of an average step; the caller limits it to the step
  std::string assumption;        // of the saving, and how sure it is
  std::vector<PlaneId> devices;  // affected ones; empty: the program's CPU
  std::vector<uint32_t> steps;   // affected ones, indices into StepDatabase::steps
  RowLink link;                  // at most FindingContext::kMostEvents events
  std::string remedy = {};       // empty: FindingRule::remedy
  FindingSeverity least = FindingSeverity::kNote, most = FindingSeverity::kProblem;
  // For a rule with several thresholds: the one that was passed, and its unit. NaN: the rule's
  // own.
  double threshold = std::numeric_limits<double>::quiet_NaN();
  Unit unit = Unit::kNone;
};

// Appends what the rule finds. `threshold`: in the rule's unit; a measure below it is no finding.
using FindFn = void(const FindingContext& input, double threshold, std::vector<RuleFinding>* out);

struct FindingRule {
  const char* id;  // "input-bound"
  const char* what;
  double threshold;  // the default
  Unit unit;         // of the threshold and the measure
  const char* formula;
  const char* guide;  // section of TensorFlow's guide to GPU performance
  FindFn* find;
  // What to try, where this is the same for every program. Empty: the rows of the rule's id in
  // naming/remedies.cc say it.
  const char* remedy = "";
};

// A further number that rules or tables read and a person can change.
struct FindingParameter {
  const char* id;
  const char* what;
  double value;
  Unit unit;
};

std::span<const FindingRule> FindingRules();  // in the guide's order
const FindingRule* FindRule(std::string_view id);
std::span<const FindingParameter> FindingParameters();

// Thresholds: what a person changed, by the id of a rule or a parameter, else the defaults.
class FindingThresholds {
 public:
  // Reads "copies=2.5". Returns false and changes nothing if the text is not ID=NUMBER with a
  // known id and a finite number of at least 0.
  bool Set(const std::string& text);
  double Of(const FindingRule& rule) const;
  double Of(std::string_view parameter) const;  // 0 for an unknown id

 private:
  std::map<std::string, double, std::less<>> changed_;
};

}  // namespace stepscope
