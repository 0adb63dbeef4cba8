#include "app/system/code_modules.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stepscope {
namespace {

// Parses lines "BEGIN-END PERMS OFFSET DEV INODE PATH", one character at a time, so that no line
// is too long for a buffer.
class MapsParser {
 public:
  explicit MapsParser(std::span<CodeAddress> addresses) : addresses_(addresses) {}

  void Feed(char c) {
    if (c == '\n') {
      EndLine();
      line_ = {};
    } else if (c == ' ' && line_.field < kPath) {
      if (last_ != ' ') ++line_.field;
    } else {
      Character(c);
    }
    last_ = c;
  }

 private:
  enum Field { kRange, kPermissions, kOffset, kDevice, kInode, kPath };
  struct Line {
    int field = kRange;
    bool after_dash = false, code = false;
    uintptr_t begin = 0, end = 0, offset = 0, inode = 0;
    char name[sizeof(CodeAddress::module)] = "";
    size_t length = 0;
  };

  static void Digit(uintptr_t* value, uintptr_t base, char c) {
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    *value = *value * base + static_cast<uintptr_t>(digit);
  }

  void Character(char c) {
    switch (line_.field) {
      case kRange:
        if (c == '-')
          line_.after_dash = true;
        else
          Digit(line_.after_dash ? &line_.end : &line_.begin, 16, c);
        break;
      case kPermissions:
        if (c == 'x') line_.code = true;
        break;
      case kOffset:
        Digit(&line_.offset, 16, c);
        break;
      case kInode:
        Digit(&line_.inode, 10, c);
        break;
      case kPath:
        if (c == '/')
          line_.length = 0;
        else if ((c != ' ' || line_.length > 0) && line_.length + 1 < sizeof(line_.name))
          line_.name[line_.length++] = c;
        break;
      default:
        break;
    }
  }

  void EndLine() {
    if (line_.offset == 0) {
      base_ = line_.begin;
      base_inode_ = line_.inode;
    }
    if (!line_.code) return;
    line_.name[line_.length] = '\0';
    const uintptr_t base = line_.inode == base_inode_ ? base_ : line_.begin;
    for (CodeAddress& code : addresses_) {
      if (code.address < line_.begin || code.address >= line_.end) continue;
      code.offset = code.address - base;
      std::memcpy(code.module, line_.name, sizeof(code.module));
    }
  }

  std::span<CodeAddress> addresses_;
  Line line_;
  char last_ = '\n';
  uintptr_t base_ = 0, base_inode_ = 0;  // of the file whose mappings are being read
};

}  // namespace

void FindCodeModules(int maps_fd, std::span<CodeAddress> addresses) {
  MapsParser parser(addresses);
  char buffer[1024];
  for (;;) {
    const ssize_t n = ::read(maps_fd, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    for (ssize_t i = 0; i < n; ++i) parser.Feed(buffer[i]);
  }
}

}  // namespace stepscope
