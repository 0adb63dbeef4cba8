// The functions of the rules, one source for each or for a few that share their numbers. Only
// the registry calls them.
#pragma once

#include "model/analysis/findings/finding.h"

namespace stepscope {

FindFn FindInputBound, FindHostThreads, FindBetweenSteps, FindShortKernels, FindLaunchBound,
    FindHostOp, FindCopies, FindSync, FindMatrixUnits, FindPrecision, FindLossScaling, FindCompile,
    FindAllReduce, FindImbalance, FindSequentialGpus, FindMemory, FindOutlierSteps;

}  // namespace stepscope
