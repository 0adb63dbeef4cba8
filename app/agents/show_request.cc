#include "app/agents/show_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/command_line/command_line.h"
#include "loaders/remote/remote_path.h"
#include "viewer/core/state/panel_list.h"

namespace stepscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr size_t kMostText = 4096, kMostClient = 40;
constexpr uint32_t kMostEvent = 0xfffffffe;  // the last number stands for no event

Status Wrong(std::string what) { return Status(ErrorCode::kUsage, std::move(what)); }

bool IsPlain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

// Takes a text; what is wrong with it, or an empty text.
std::string TakeText(const std::string& key, const json& value, std::string* out) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return key + " is no text";
  if (text->size() > kMostText) return fmt::format("{} has more than {} bytes", key, kMostText);
  if (!IsPlain(*text)) return key + " has control characters";
  *out = *text;
  return "";
}

std::string TakeField(const std::string& key, const json& value, ShowRequest* request) {
  if (key == "client") return TakeText(key, value, &request->client);
  if (key == "open") return TakeText(key, value, &request->open);
  if (key == "select") return TakeText(key, value, &request->select);
  if (key == "panel") {
    std::string wrong = TakeText(key, value, &request->panel);
    if (!wrong.empty()) return wrong;
    if (FindPanel(PanelOf(request->panel)) == nullptr)
      return fmt::format("there is no panel '{}'", request->panel);
    // A page of this panel is a query that it runs, in place of the one that the user writes.
    const bool runs = PanelOf(request->panel) == "query" && !PageOf(request->panel).empty();
    return runs ? "the panel query takes no query from a program" : "";
  }
  if (key == "range") {
    std::string text;
    std::string wrong = TakeText(key, value, &text);
    if (!wrong.empty()) return wrong;
    request->range = ParseRange(text);
    return request->range ? "" : fmt::format("'{}' is not a range; write it as 12ms..15ms", text);
  }
  if (key == "event") {
    const auto* number = value.get_ptr<const json::number_unsigned_t*>();
    if (number == nullptr || *number > kMostEvent) return "event is not the id of an event";
    request->event = static_cast<uint32_t>(*number);
    return "";
  }
  return fmt::format("'{:.40}' is none of client, open, panel, range, select and event", key);
}

// At most kMostClient bytes, cut before a character that would not be whole.
std::string ShortName(std::string name) {
  size_t end = std::min(name.size(), kMostClient);
  while (end > 0 && end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80)
    --end;
  name.resize(end);
  return name;
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const auto ends = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return ends.first == folder.end();
}

}  // namespace

Result<ShowRequest> ParseShowRequest(std::string_view line) {
  if (line.size() > kMostShowRequest)
    return Wrong(fmt::format("the request has more than {} bytes", kMostShowRequest));
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) return Wrong("the request is no JSON object");
  ShowRequest request;
  for (const auto& [key, value] : object.items()) {
    std::string wrong = TakeField(key, value, &request);
    if (!wrong.empty()) return Wrong(wrong);
  }
  request.client = ShortName(std::move(request.client));
  return request;
}

Result<std::string> PathInFolders(const std::string& path,
                                  const std::vector<std::string>& folders) {
  if (IsRemotePath(path) || path.find("://") != std::string::npos)
    return Wrong(path + ": agents open profiles of this machine only");
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return Wrong(path + ": there is no such file or directory");
  for (const std::string& folder : folders) {
    const fs::path root = fs::canonical(folder, error);
    if (!error && IsBelow(real, root)) return real.string();
  }
  return Wrong(path +
               ": it lies outside of the folders that this window opens for agents: the one "
               "that it was started in, and those of recent profiles");
}

}  // namespace stepscope
