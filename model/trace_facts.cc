#include "model/trace_facts.h"

namespace stepscope {

void CopyTraceFacts(const Trace& from, Trace* to) {
  to->format = from.format;
  to->kineto = from.kineto;
  to->path = from.path;
  to->run = from.run;
  to->origin_unix_ns = from.origin_unix_ns;
  to->file_bytes = from.file_bytes;
  to->inflated_bytes = from.inflated_bytes;
  to->hosts = from.hosts;
  to->planes = from.planes;
  to->hlo = from.hlo;
  to->diagnostics = from.diagnostics;
  to->errors = from.errors;
  to->warnings = from.warnings;
  to->skipped_files = from.skipped_files;
  to->set.title = from.set.title;
  to->set.names = from.set.names;
}

}  // namespace stepscope
