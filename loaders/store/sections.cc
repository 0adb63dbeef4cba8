#include "loaders/store/sections.h"

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

}  // namespace stepscope::store
