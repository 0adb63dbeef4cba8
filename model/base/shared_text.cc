#include "model/base/shared_text.h"

#include <algorithm>
#include <new>

namespace stepscope {

SharedText::SharedText(std::string_view text) {
  if (text.empty()) return;
  void* memory = ::operator new(sizeof(Block) + text.size());
  block_ = new (memory) Block{1, text.size()};
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(block_ + 1));
}

void SharedText::Release() noexcept {
  if (!block_ || block_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  block_->~Block();
  ::operator delete(block_);
}

}  // namespace stepscope
