#include "model/analysis/memory/stack_tree.h"

#include <doctest/doctest.h>

#include "loaders/loader.h"
#include "tests/support/memory_snapshot.h"

namespace stepscope {
namespace {

struct Tree {
  explicit Tree(const test::SnapshotFile& file) {
    const auto loaded = LoadBytes("a.pickle", test::ToPickle(file), {});
    REQUIRE_MESSAGE(loaded.ok(), loaded.status().message());
    trace = *loaded;
    const AllocatorHistory& history = *HistoryOf(*trace);
    const AllocatorDevice& device = history.devices.at(0);
    tree = LiveTree(history, device, static_cast<uint32_t>(device.events - 1));
    for (const StackNode& n : tree.nodes)
      text += std::string(n.depth, '.') + LabelOf(history, n) + " " + std::to_string(n.bytes) +
              "/" + std::to_string(n.count) + "\n";
  }
  std::shared_ptr<const Trace> trace;
  StackTree tree;
  std::string text;
};

TEST_CASE("Live memory as a tree: the allocating frame, then its callers, the largest first") {
  const test::SnapshotFrame torch{"empty", "/usr/lib/python3/dist-packages/torch/f.py", 1};
  const test::SnapshotFrame layer{"layer", "model.py", 10}, loss{"loss", "model.py", 20};
  const test::SnapshotFrame train{"train", "train.py", 5}, eval{"eval", "train.py", 9};
  test::SnapshotFile file;
  file.devices = {{{"alloc", 1 << 20, 100, 1, {torch, layer, train}},
                   {"alloc", 2 << 20, 300, 2, {layer, eval}},
                   {"alloc", 3 << 20, 50, 3, {torch, loss, train}},
                   {"alloc", 4 << 20, 7, 4, {torch}},
                   {"alloc", 5 << 20, 1000, 5, {loss, train}},
                   {"free_completed", 5 << 20, 1000, 6}}};
  const Tree live(file);
  CHECK(live.text ==
        "model.py:10 layer 400/2\n"
        ".train.py:9 eval 300/1\n"
        ".train.py:5 train 100/1\n"
        "model.py:20 loss 50/1\n"
        ".train.py:5 train 50/1\n"
        "no frame of the program 7/1\n");
  CHECK(live.tree.bytes == 457);
  CHECK(live.tree.nodes[0].end == 3);
  CHECK(live.tree.nodes[1].end == 2);
  CHECK(live.tree.nodes[5].end == 6);
}

TEST_CASE("Trees of no memory, and of a stack that is deeper than the limit") {
  test::SnapshotFile file;
  test::SnapshotStack deep;
  for (int i = 0; i < 1000; ++i) deep.push_back({"f", "a.py", i});
  file.devices = {{{"alloc", 1 << 20, 100, 1, deep}}};
  const Tree one(file);
  CHECK(one.tree.nodes.size() == StackTree::kDeepest);
  CHECK(one.tree.nodes.front().end == StackTree::kDeepest);
  file.devices[0].push_back({"free_completed", 1 << 20, 100, 2});
  CHECK(Tree(file).tree.nodes.empty());
}

}  // namespace
}  // namespace stepscope
