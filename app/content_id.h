// What a profile is by its contents: the same text wherever its files lie and whatever they are
// called. Notes are kept under it.
#pragma once

#include <string>

#include "model/trace.h"

namespace stepscope {

// Of the files that the trace was read from, in order: their sizes, and 64 KiB at the begin and the
// end of each. 16 hexadecimal digits; empty if a file cannot be read any more. FNV-1a: it keeps
// profiles apart that are different by chance, not those that someone made to be alike.
std::string ContentId(const Trace& trace);

}  // namespace stepscope
