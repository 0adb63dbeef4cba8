#include "loaders/files/json_forms.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "loaders/common/json_cursor.h"

namespace stepscope {
namespace {

using namespace std::string_view_literals;

// Whether an object with a phase stands at the begin of the text, and behind it nothing or the next
// object.
bool IsLineOfEvents(std::string_view text) {
  json::Cursor at(text.data(), text.data() + text.size());
  at.SkipSpace();
  bool phase = false;
  const bool whole = json::PassMembers(&at, [&](std::string_view key, json::Cursor* value) {
    phase = phase || key == "ph";
    std::string_view token;
    return value->Value(&token);
  });
  at.SkipSpace();
  return whole && phase && (at.done() || at.peek() == '{');
}

void AppendUtf8(uint32_t c, Column<char>* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

// Surrogates without their other half become U+FFFD.
Column<char> Utf8Of(std::string_view bytes, bool big_endian) {
  constexpr uint32_t kReplacement = 0xfffd;
  Column<char> out;
  out.Reserve(bytes.size() / 2);
  const auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]),
               b = static_cast<unsigned char>(bytes[i + 1]);
    return big_endian ? uint32_t{a} << 8 | b : uint32_t{b} << 8 | a;
  };
  const size_t begin = bytes.starts_with("\xff\xfe"sv) || bytes.starts_with("\xfe\xff"sv) ? 2 : 0;
  for (size_t i = begin; i + 1 < bytes.size(); i += 2) {
    uint32_t c = unit(i);
    if (c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 &&
        unit(i + 2) < 0xe000) {
      c = 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    } else if (c >= 0xd800 && c < 0xe000) {
      c = kReplacement;
    }
    AppendUtf8(c, &out);
  }
  return out;
}

// Puts brackets around the objects, and commas between them in the place of a blank where there is
// one.
Column<char> ListOfLines(std::string_view text) {
  Column<char> out;
  out.Reserve(text.size() + 2);
  out.push_back('[');
  bool quoted = false, escaped = false, between = false;
  int64_t depth = 0;
  for (const char c : text) {
    if (quoted) {
      quoted = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (depth++ == 0 && between) out.push_back(',');
      between = false;
    } else if ((c == '}' || c == ']') && depth > 0) {
      between = --depth == 0;
    }
    out.push_back(c);
  }
  out.push_back(']');
  return out;
}

// All bytes of the source, in memory.
Result<std::string> AllBytes(const ByteSource& source) {
  std::string bytes(static_cast<size_t>(source.size()), '\0');
  const Result<size_t> n = source.Read(0, std::as_writable_bytes(std::span(bytes)));
  if (!n.ok()) return n.status();
  bytes.resize(*n);
  return bytes;
}

}  // namespace

JsonForm JsonFormOf(std::string_view prefix) {
  std::string_view units = prefix;
  if (units.starts_with("\xff\xfe"sv) || units.starts_with("\xfe\xff"sv)) units.remove_prefix(2);
  for (const char open : {'{', '['}) {
    if (units.size() < 4) break;
    if (units[0] == open && units[1] == '\0' && units[3] == '\0') return JsonForm::kUtf16Le;
    if (units[0] == '\0' && units[1] == open && units[2] == '\0') return JsonForm::kUtf16Be;
  }
  if (prefix.starts_with("\xef\xbb\xbf")) prefix.remove_prefix(3);
  return IsLineOfEvents(prefix) ? JsonForm::kLines : JsonForm::kUsual;
}

Result<std::shared_ptr<const ByteSource>> InUsualForm(const ByteSource& source, JsonForm form,
                                                      uint64_t max_inflated_bytes) {
  // UTF-8 takes up to 1.5 times the bytes of UTF-16.
  if (source.size() > max_inflated_bytes / 2)
    return Status(ErrorCode::kLimit, source.path() + ": takes more than the limit of " +
                                         std::to_string(max_inflated_bytes >> 20) +
                                         " MiB (--max-inflated raises it)");
  const Result<std::string> read =
      source.bytes().empty() ? AllBytes(source) : Result<std::string>(std::string());
  if (!read.ok()) return read.status();
  const std::string_view bytes =
      source.bytes().empty()
          ? std::string_view(*read)
          : std::string_view(reinterpret_cast<const char*>(source.bytes().data()),
                             source.bytes().size());
  Column<char> text;
  std::string_view lines = bytes;
  if (form != JsonForm::kLines) {
    text = Utf8Of(bytes, form == JsonForm::kUtf16Be);
    lines = {text.data(), text.size()};
  } else if (lines.starts_with("\xef\xbb\xbf")) {
    lines.remove_prefix(3);
  }
  if (form == JsonForm::kLines || JsonFormOf(lines.substr(0, size_t{64} << 10)) == JsonForm::kLines)
    text = ListOfLines(lines);
  return MakeMemorySource(source.path(), source.file_bytes(), std::move(text), source.truncated());
}

}  // namespace stepscope
