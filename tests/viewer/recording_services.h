// App services that keep what would have gone to the clipboard or a file, and do nothing else.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "viewer/core/session_view.h"

namespace stepscope {

class RecordingServices final : public AppServices {
 public:
  void Open(const std::vector<std::string>&, bool) override {}
  void OpenRun(TraceId, const std::string&) override {}
  void CloseRun(TraceId) override {}
  void Answer(OpenAnswer) override {}
  void CancelLoading() override {}
  void SetDefinitions(Definitions) override {}
  void DismissError() override {}
  std::string FormatOfFile(const std::string&) const override { return {}; }
  void NativeOpenDialog(bool) override {}
  bool has_native_dialog() const override { return false; }
  void Quit() override {}
  void ToggleFullscreen() override {}
  void SetClipboard(const std::string& text) override { clipboard = text; }
  bool SaveFile(const std::string& name, const std::string& contents, bool,
                std::string* where) override {
    saved_name = name;
    saved = contents;
    *where = name;
    return true;
  }
  std::string ReadNotes(const std::string&) override { return notes; }
  bool WriteNotes(const std::string&, const std::string& text) override {
    notes = text;
    return true;
  }
  std::string SetNotesAside(const std::string&) override { return std::exchange(aside, ""); }
  void RequestFrame() override {}
  void ClearRecent() override {}
  std::string notes, aside = "aside";
  std::string clipboard, saved_name, saved;
};

}  // namespace stepscope
