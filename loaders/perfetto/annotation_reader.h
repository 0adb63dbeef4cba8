// Reads the arguments that one packet of a Perfetto trace holds, by name: debug annotations, and
// what GPU profilers say about a piece of work. Pure; names and texts are views of the packet or of
// the strings. O(bytes of the packet).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "loaders/perfetto/event_reader.h"
#include "loaders/perfetto/interned.h"
#include "loaders/perfetto/source_file.h"
#include "model/string_pool.h"

namespace stepscope::perfetto {

using Value = std::variant<int64_t, uint64_t, double, std::string_view>;

constexpr int kMostDepth = 16;

// The text of a number; empty if the packet's sequence, which may be null, does not know it.
inline std::string_view TextOf(InternedNames Interned::*names, uint64_t iid,
                               const Interned* interned, const StringPool& strings) {
  const StringId id = interned == nullptr ? StringId() : (interned->*names).Find(iid);
  return id.valid() ? strings.View(id) : std::string_view();
}

// Calls fn(name, value) for the values in debug annotations. A value inside another one is named
// "outer.inner" or "outer[0]".
template <typename Fn>
class AnnotationReader {
 public:
  AnnotationReader(const Interned* interned, const StringPool& strings, Fn fn)
      : interned_(interned), strings_(strings), fn_(fn) {}

  void Read(const Field& message, const std::string& prefix, int depth) {
    std::string_view name;
    std::optional<Value> value;
    std::vector<Field> inner;
    ForFields(message, [&](const Field& f) {
      if (f.number == 1) name = Known(f.value, true);
      if (f.number == 10 && f.wire == proto::kLen) name = f.text();
      if ((f.number == 11 || f.number == 12) && f.wire == proto::kLen) inner.push_back(f);
      SetValue(f, &value);
    });
    if (prefix.empty() && inner.empty()) {
      if (value) fn_(name, *value);
      return;
    }
    const std::string path = prefix + std::string(name);
    if (value) fn_(path, *value);
    for (size_t i = 0; i < inner.size() && depth < kMostDepth; ++i) {
      const bool list = inner[i].number == 12;
      Read(inner[i], path + (list ? "[" + std::to_string(i) + "]" : "."), depth + 1);
    }
  }

 private:
  std::string_view Known(uint64_t iid, bool name) const {
    return TextOf(name ? &Interned::annotations : &Interned::texts, iid, interned_, strings_);
  }

  void SetValue(const Field& f, std::optional<Value>* value) const {
    switch (f.number) {
      case 2:
        *value = std::string_view(f.value != 0 ? "true" : "false");
        break;
      case 3:
      case 7:
        *value = f.value;
        break;
      case 4:
        *value = f.Int();
        break;
      case 5:
        *value = f.Double();
        break;
      case 6:
      case 9:
        if (f.wire == proto::kLen) *value = f.text();
        break;
      case 17:
        *value = Known(f.value, false);
        break;
      default:
        break;
    }
  }

  const Interned* interned_;
  const StringPool& strings_;
  Fn fn_;
};

// Calls fn for the three numbers of a grid or block: "grid.x".
template <typename Fn>
void ReadDim(const Field& message, const char* name, Fn fn) {
  ForFields(message, [&](const Field& f) {
    if (f.number >= 1 && f.number <= 3 && f.wire == proto::kVarint)
      fn(std::string(name) + "." + "xyz"[f.number - 1], Value(f.Int()));
  });
}

// Calls fn(name, value) for what a GPU profiler says about a piece of work and the kernel it runs.
template <typename Fn>
class StageReader {
 public:
  StageReader(const Interned* interned, const StringPool& strings, Fn fn)
      : interned_(interned), strings_(strings), fn_(fn) {}

  void Read(const Field& message) {
    ForFields(message, [&](const Field& f) {
      if (f.number == 10) fn_("submission_id", Value(f.Int()));
      if (f.number == 19 && interned_ != nullptr) ReadKernel(f.value);
      if (f.number == 6 && f.wire == proto::kLen) ReadExtra(f);
      if (f.number == 21 && f.wire == proto::kLen) ReadLaunch(f);
    });
  }

 private:
  void ReadExtra(const Field& message) {
    std::string_view name, value;
    ForFields(message, [&](const Field& f) {
      if (f.wire == proto::kLen && f.number == 1) name = f.text();
      if (f.wire == proto::kLen && f.number == 2) value = f.text();
    });
    if (!name.empty()) fn_(name, Value(value));
  }

  void ReadLaunch(const Field& message) {
    ForFields(message, [&](const Field& f) {
      if (f.wire != proto::kLen) return;
      if (f.number == 1 || f.number == 2) ReadDim(f, f.number == 1 ? "grid" : "block", fn_);
      if (f.number == 3) ReadArgument(f);
    });
  }

  void ReadKernel(uint64_t iid) {
    const auto kernel = interned_->kernels.find(iid);
    if (kernel == interned_->kernels.end()) return;
    const auto say = [&](const char* name, StringId text) {
      if (text.value != 0) fn_(name, Value(strings_.View(text)));
    };
    say("kernel", kernel->second.name);
    say("demangled", kernel->second.readable);
    say("arch", kernel->second.arch);
    for (const StringId argument : kernel->second.arguments) {
      const std::string_view bytes = strings_.View(argument);
      Field message;
      message.begin = reinterpret_cast<proto::Bytes>(bytes.data());
      message.end = message.begin + bytes.size();
      ReadArgument(message);
    }
  }

  void ReadArgument(const Field& message) {
    std::string_view name;
    std::optional<Value> value;
    ForFields(message, [&](const Field& f) {
      const bool text = f.wire == proto::kLen;
      if (f.number == 1) name = TextOf(&Interned::kernel_arguments, f.value, interned_, strings_);
      if (f.number == 2 && text) name = f.text();
      if (f.number == 3) value = f.Int();
      if (f.number == 4) value = f.value;
      if (f.number == 5) value = f.Double();
      if (f.number == 6 && text) value = f.text();
      if (f.number == 7) value = TextOf(&Interned::texts, f.value, interned_, strings_);
    });
    if (value && !name.empty()) fn_(name, *value);
  }

  const Interned* interned_;
  const StringPool& strings_;
  Fn fn_;
};

// Calls fn(name, value) for the arguments of the packet at `ref`.
template <typename Fn>
void ReadArguments(std::string_view bytes, uint64_t ref, const SourceFile& file,
                   const StringPool& strings, Fn fn) {
  Packet packet;
  ReadPacketFields(bytes, &packet);
  const Interned* interned =
      file.history->At(packet.sequence, ref, ref < file.bytes->source->size());
  if (packet.stage.begin != nullptr) StageReader<Fn>(interned, strings, fn).Read(packet.stage);
  if (packet.event.begin == nullptr) return;
  AnnotationReader<Fn> annotations(interned, strings, fn);
  ForFields(packet.event, [&](const Field& f) {
    if (f.number == 4 && f.wire == proto::kLen) annotations.Read(f, "", 0);
  });
}

}  // namespace stepscope::perfetto
