#include "app/system/crash_report.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <typeinfo>

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

namespace {

constexpr int kMostFrames = 64;

struct CrashSignal {
  int number;
  const char* name;
};
constexpr std::array<CrashSignal, 5> kSignals{{{SIGSEGV, "SIGSEGV"},
                                               {SIGABRT, "SIGABRT"},
                                               {SIGFPE, "SIGFPE"},
                                               {SIGBUS, "SIGBUS"},
                                               {SIGILL, "SIGILL"}}};

// The data that the signal handler needs. It is global because a handler gets no argument of ours,
// and filled beforehand because a handler must neither allocate nor lock.
struct CrashState {
  char folder[1024] = "";
  char versions[2048] = "";
  char exception[256] = "";
  CodeAddress frames[kMostFrames];
  alignas(16) char stack[64 << 10];  // of the handler: the thread's stack may have overflowed
  std::atomic_flag entered = ATOMIC_FLAG_INIT;
};
CrashState g_crash;

template <size_t N>
void CopyText(std::string_view text, char (&to)[N]) {
  const size_t size = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

// Text in a fixed buffer, written with write(2): a signal handler must not use stdio or the heap.
class SignalText {
 public:
  explicit SignalText(int fd) : fd_(fd) {}
  ~SignalText() { Flush(); }
  SignalText(const SignalText&) = delete;
  SignalText& operator=(const SignalText&) = delete;

  SignalText& operator<<(const char* text) {
    for (; *text != '\0'; ++text) Put(*text);
    return *this;
  }
  SignalText& Number(uint64_t value, unsigned base = 10) {
    char digits[20];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    while (count > 0) Put(digits[--count]);
    return *this;
  }
  void Flush() {
    for (size_t done = 0; fd_ >= 0 && done < used_;) {
      const ssize_t n = ::write(fd_, buffer_ + done, used_ - done);
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    if (fd_ >= 0) used_ = 0;
  }
  // The text so far, where it is used as a path instead of being written.
  const char* text() {
    buffer_[used_] = '\0';
    return buffer_;
  }

 private:
  void Put(char c) {
    if (used_ + 1 == sizeof(buffer_)) Flush();
    if (used_ + 1 < sizeof(buffer_)) buffer_[used_++] = c;
  }

  int fd_;
  size_t used_ = 0;
  char buffer_[1536];
};

constexpr int kNoFile = -1;

// Makes a folder and its parents, as `mkdir -p` does.
void MakeFolders(char* path) {
  for (char* c = path + 1; *c != '\0'; ++c) {
    if (*c != '/') continue;
    *c = '\0';
    ::mkdir(path, 0700);
    *c = '/';
  }
  ::mkdir(path, 0700);
}

const char* NameOf(int signal) {
  for (const CrashSignal& s : kSignals) {
    if (s.number == signal) return s.name;
  }
  return "signal";
}

void WriteStack(SignalText& out) {
  void* addresses[kMostFrames];
  const int count = ::backtrace(addresses, kMostFrames);
  for (int i = 0; i < count; ++i)
    g_crash.frames[i].address = reinterpret_cast<uintptr_t>(addresses[i]);
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps >= 0) {
    FindCodeModules(maps, std::span(g_crash.frames, static_cast<size_t>(count)));
    ::close(maps);
  }
  out << "stack (addr2line -Cfie MODULE OFFSET):\n";
  for (int i = 0; i < count; ++i) {
    const CodeAddress& frame = g_crash.frames[i];
    out << "  " << (frame.module[0] != '\0' ? frame.module : "?") << " 0x";
    out.Number(frame.module[0] != '\0' ? frame.offset : frame.address, 16) << "\n";
  }
}

void WriteReport(int fd, int signal, const siginfo_t& info) {
  SignalText out(fd);
  out << "Stepscope crash report\n" << g_crash.versions << "\nsignal: " << NameOf(signal);
  out << ", code ";
  out.Number(static_cast<uint64_t>(std::max(info.si_code, 0)));
  if (info.si_code > 0) {
    out << ", address 0x";
    out.Number(reinterpret_cast<uintptr_t>(info.si_addr), 16);
  }
  if (g_crash.exception[0] != '\0') out << "\nuncaught exception: " << g_crash.exception;
  out << "\nthread: " << (::syscall(SYS_gettid) == ::getpid() ? "main" : "worker") << "\n";
  out.Flush();  // so that this much is there if walking a damaged stack crashes
  WriteStack(out);
}

void OnCrash(int signal, siginfo_t* info, void*) {
  // The first thread that crashes reports; others that crash meanwhile wait here for the end.
  while (g_crash.entered.test_and_set()) ::pause();
  SignalText path(kNoFile);
  path << g_crash.folder << "/crash-";
  path.Number(static_cast<uint64_t>(::time(nullptr))) << "-";
  path.Number(static_cast<uint64_t>(::getpid())) << ".txt";
  int fd = kNoFile;
  if (g_crash.folder[0] != '\0') {
    MakeFolders(g_crash.folder);
    fd = ::open(path.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  }
  SignalText line(STDERR_FILENO);
  line << "stepscope: crashed (" << NameOf(signal);
  if (g_crash.exception[0] != '\0') line << ", " << g_crash.exception;
  if (fd >= 0)
    line << "); a report without contents of profiles is " << path.text() << "\n";
  else
    line << "); no report could be written\n";
  line.Flush();
  if (fd >= 0) WriteReport(fd, signal, *info);
  std::signal(signal, SIG_DFL);
  ::raise(signal);  // blocked until this handler returns
}

// Notes only the type of the exception, because its text may name files.
[[noreturn]] void OnTerminate() {
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    int status = 0;
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    CopyText(name != nullptr ? name : type->name(), g_crash.exception);
    std::free(name);
  }
  std::abort();
}

constexpr bool HasSanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

}  // namespace

void InstallCrashReports(const std::filesystem::path& folder, std::string_view versions) {
  if (HasSanitizer()) return;
  CopyText(folder.native(), g_crash.folder);
  CopyText(versions, g_crash.versions);
  void* warm_up[1];
  ::backtrace(warm_up, 1);  // its first call loads a library
  stack_t stack{};
  stack.ss_sp = g_crash.stack;
  stack.ss_size = sizeof(g_crash.stack);
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  // All signals are blocked in the handler, so if it crashes itself the system ends the program.
  for (const CrashSignal& s : kSignals) ::sigaddset(&action.sa_mask, s.number);
  for (const CrashSignal& s : kSignals) ::sigaction(s.number, &action, nullptr);
  std::set_terminate(OnTerminate);
}

}  // namespace stepscope
