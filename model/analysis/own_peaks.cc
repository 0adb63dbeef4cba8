#include "model/analysis/own_peaks.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "model/base/ascii.h"

namespace stepscope {
namespace {

constexpr PeakField kPeakFields[] = {
    {"fp64", "FP64, TFLOP/s", &PeakNumbers::fp64},
    {"fp64_matrix", "FP64 matrix, TFLOP/s", &PeakNumbers::fp64_matrix},
    {"fp32", "FP32, TFLOP/s", &PeakNumbers::fp32},
    {"tf32", "TF32, TFLOP/s", &PeakNumbers::tf32},
    {"fp16", "FP16, TFLOP/s", &PeakNumbers::fp16},
    {"bf16", "BF16, TFLOP/s", &PeakNumbers::bf16},
    {"fp8", "FP8, TFLOP/s", &PeakNumbers::fp8},
    {"fp4", "FP4, TFLOP/s", &PeakNumbers::fp4},
    {"int8", "INT8, TOP/s", &PeakNumbers::int8},
    {"memory", "Main memory, GB/s", &PeakNumbers::gbps},
};

constexpr std::string_view kBlanks = " \t";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Takes what stands before the mark, or all, from the front of the text.
std::string_view Take(std::string_view* text, char mark) {
  const size_t end = text->find(mark);
  const std::string_view taken = text->substr(0, end);
  *text = end == text->npos ? std::string_view() : text->substr(end + 1);
  return taken;
}

Status Wrong(std::string message) { return {ErrorCode::kUsage, std::move(message)}; }

Status UnknownName(std::string_view name) {
  std::string known;
  for (const PeakField& field : kPeakFields) {
    known += known.empty() ? "" : ", ";
    known += field.name;
  }
  return Wrong(fmt::format("'{}' is none of {}", name, known));
}

// Reads "fp16=989".
Status ReadNumber(std::string_view text, PeakNumbers* numbers) {
  std::string_view value = text;
  const std::string name = Lower(Take(&value, '='));
  const auto field = std::find_if(std::begin(kPeakFields), std::end(kPeakFields),
                                  [&](const PeakField& f) { return f.name == name; });
  if (field == std::end(kPeakFields)) return UnknownName(name);
  double number = 0;
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || !(number > 0 && number <= kMostPeak))
    return Wrong(fmt::format("'{}' needs a number above 0, as in {}=100", text, name));
  numbers->*(field->number) = number;
  return {};
}

Result<OwnPeaks> ReadDevice(std::string_view text) {
  const size_t colon = text.rfind(':');  // names as "gfx942:xnack-" have colons too
  OwnPeaks own;
  if (colon != text.npos) own.device = Trim(text.substr(0, colon));
  if (own.device.empty())
    return Wrong(fmt::format("'{}' has no device; write MY GPU: fp16=100 memory=1000", text));
  std::string_view rest = Trim(text.substr(colon + 1));
  if (rest.empty()) return Wrong(fmt::format("'{}' has no numbers, as in fp16=100", own.device));
  while (!rest.empty()) {
    const Status status = ReadNumber(Take(&rest, ' '), &own.numbers);
    if (!status.ok()) return status;
    rest = Trim(rest);
  }
  return own;
}

}  // namespace

std::span<const PeakField> PeakFields() { return kPeakFields; }

Result<std::vector<OwnPeaks>> ParseOwnPeaks(std::string_view text) {
  std::vector<OwnPeaks> all;
  while (!text.empty()) {
    const std::string_view device = Trim(Take(&text, ';'));
    if (device.empty()) continue;
    Result<OwnPeaks> own = ReadDevice(device);
    if (!own.ok()) return own.status();
    all.push_back(std::move(own).value());
  }
  return all;
}

std::string OwnPeaksText(std::span<const OwnPeaks> own) {
  std::string text;
  for (const OwnPeaks& peaks : own) {
    text += (text.empty() ? "" : "; ") + peaks.device + ":";
    for (const PeakField& field : kPeakFields) {
      const double number = peaks.numbers.*(field.number);
      if (number > 0) text += fmt::format(" {}={}", field.name, number);
    }
  }
  return text;
}

const OwnPeaks* FindOwnPeaks(std::span<const OwnPeaks> own, std::string_view device) {
  const std::string lower = Lower(device);
  const auto found = std::find_if(own.begin(), own.end(), [&](const OwnPeaks& peaks) {
    return ContainsWords(lower, Lower(peaks.device));
  });
  return found != own.end() ? &*found : nullptr;
}

PeakNumbers WithOwn(PeakNumbers known, const PeakNumbers& own) {
  for (const PeakField& field : kPeakFields) {
    const double number = own.*(field.number);
    if (number > 0) known.*(field.number) = number;
  }
  if (own.fp16 > 0 && own.bf16 <= 0) known.bf16 = own.fp16;
  if (own.bf16 > 0 && own.fp16 <= 0) known.fp16 = own.bf16;
  known.fp64_matrix = std::max(known.fp64_matrix, known.fp64);
  return known;
}

}  // namespace stepscope
