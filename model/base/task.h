// The name of job.h until all folders include that.
#pragma once

#include "model/base/job.h"
