#include "loaders/store/sections.h"

#include <algorithm>

namespace stepscope::store {

std::span<const SectionDesc> Sections() {
  static const SectionDesc kSections[] = {
      kHeadSection,        kNameSection,           kMetaSection,    kTrackSection,
      kOverviewSection,    kCounterSection,        kEventSection,   kFlowSection,
      kHloTableSection,    kStatNameSection,       kStatSection,    kAllocatorNameSection,
      kAllocatorSection,   kAllocatorEventSection, kCaptureSection, kArgumentSection,
      kProgramListSection, kProgramSection,
  };
  return kSections;
}

const SectionDesc* FindSection(std::string_view id) {
  const auto all = Sections();
  const auto found =
      std::find_if(all.begin(), all.end(), [id](const SectionDesc& s) { return s.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace stepscope::store
