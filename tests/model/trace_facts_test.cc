#include "model/trace_facts.h"

#include <doctest/doctest.h>

#include <memory>

namespace stepscope {
namespace {

TEST_CASE("A derived trace has the facts of the original and none of its events") {
  Trace from;
  from.kineto = true;
  from.path = "run/host.xplane.pb";
  from.run = "run";
  from.origin_unix_ns = 5;
  from.file_bytes = 7;
  from.inflated_bytes = 70;
  from.hosts.resize(2);
  from.planes.resize(3);
  from.errors = {"an error"};
  from.warnings = {"a warning"};
  from.skipped_files = {"a file"};
  from.runs = {"a run", "another"};
  from.cycles = {{"a cycle", {1, 2}, 3}};
  from.set.title = "title";
  from.set.names = std::make_shared<NameTable>();
  from.flows.resize(1);
  from.counts.slices = 9;
  Trace to;
  CopyTraceFacts(from, &to);
  CHECK(to.format == from.format);
  CHECK(to.kineto);
  CHECK(to.path == from.path);
  CHECK(to.run == from.run);
  CHECK(to.origin_unix_ns == 5);
  CHECK(to.file_bytes == 7);
  CHECK(to.inflated_bytes == 70);
  CHECK(to.hosts.size() == 2);
  CHECK(to.planes.size() == 3);
  CHECK(to.errors == from.errors);
  CHECK(to.warnings == from.warnings);
  CHECK(to.skipped_files == from.skipped_files);
  CHECK(to.runs == from.runs);
  CHECK(to.cycles == from.cycles);
  CHECK(to.set.title == "title");
  CHECK(to.set.names == from.set.names);
  CHECK(to.flows.empty());
  CHECK(to.counts.events() == 0);
}

}  // namespace
}  // namespace stepscope
