// xdnd_drop WINDOW_NAME PATH...: plays the source side of a drag-and-drop (XDND version 5) onto the
// window of that name, which is waited for up to 5 s. Exit status: 0 dropped and finished, 2 usage,
// no display or built without X11, 3 no such window, 4 no answer within 5 s, 5 refused.
// LINK: X11, and define STEPSCOPE_HAVE_X11; without it this builds a program that only says so.
#ifdef STEPSCOPE_HAVE_X11

#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <sys/select.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace stepscope::test {
namespace {

constexpr int kUsageError = 2, kNoWindow = 3, kTimeout = 4, kRefused = 5;
constexpr long kXdndVersion = 5;
constexpr int kAnswerSeconds = 5;
constexpr int kDropX = 50, kDropY = 50;  // the place of the drop in the window

bool HasName(Display* display, Window window, const std::string& name) {
  char* text = nullptr;
  if (XFetchName(display, window, &text) == 0 || text == nullptr) return false;
  const bool same = name == text;
  XFree(text);
  return same;
}

// The window of that name at or below `window`, or None.
Window FindWindow(Display* display, Window window, const std::string& name) {
  if (HasName(display, window, name)) return window;
  Window root = None, parent = None, found = None;
  Window* children = nullptr;
  unsigned count = 0;
  if (XQueryTree(display, window, &root, &parent, &children, &count) == 0) return None;
  for (unsigned i = 0; i < count && found == None; ++i) {
    found = FindWindow(display, children[i], name);
  }
  if (children != nullptr) XFree(children);
  return found;
}

Window WaitForWindow(Display* display, const std::string& name) {
  for (int i = 0; i < 100; ++i) {
    const Window window = FindWindow(display, DefaultRootWindow(display), name);
    if (window != None) return window;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return None;
}

// Percent-encodes what a URI may not hold; the target has to decode it.
std::string FileUri(const std::string& path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::error_code error;
  std::string uri = "file://";
  for (const char c : std::filesystem::absolute(path, error).string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 127 && c != '%' && c != '#' && c != '?') {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri;
}

// One drag, from XdndEnter to XdndFinished.
class Drag {
 public:
  Drag(Display* display, Window target, std::string uri_list)
      : display_(display), target_(target), uri_list_(std::move(uri_list)) {}

  int Run() {
    Start();
    while (exit_code_ < 0) {
      if (!WaitForEvent()) {
        std::fprintf(stderr, "xdnd_drop: no answer within %d s\n", kAnswerSeconds);
        return kTimeout;
      }
      XEvent event;
      XNextEvent(display_, &event);
      if (event.type == SelectionRequest) GiveData(event.xselectionrequest);
      if (event.type == ClientMessage) OnMessage(event.xclient);
    }
    return exit_code_;
  }

 private:
  Atom Intern(const char* name) const { return XInternAtom(display_, name, False); }
  long LongAtom(const char* name) const { return static_cast<long>(Intern(name)); }

  // `data` are the four words after the source window.
  void Send(const char* type, const std::array<long, 4>& data) {
    XEvent event{};
    event.xclient.type = ClientMessage;
    event.xclient.window = target_;
    event.xclient.message_type = Intern(type);
    event.xclient.format = 32;
    event.xclient.data.l[0] = static_cast<long>(source_);
    for (std::size_t i = 0; i < data.size(); ++i) event.xclient.data.l[i + 1] = data[i];
    XSendEvent(display_, target_, False, NoEventMask, &event);
    XFlush(display_);
  }

  void Start() {
    const Window root = DefaultRootWindow(display_);
    source_ = XCreateSimpleWindow(display_, root, 0, 0, 1, 1, 0, 0, 0);
    XSetSelectionOwner(display_, Intern("XdndSelection"), source_, CurrentTime);
    int x = 0, y = 0;
    Window child = None;
    XTranslateCoordinates(display_, target_, root, kDropX, kDropY, &x, &y, &child);
    Send("XdndEnter", {kXdndVersion << 24, LongAtom("text/uri-list"), None, None});
    const long position = static_cast<long>(x) << 16 | y;
    Send("XdndPosition", {0, position, CurrentTime, LongAtom("XdndActionCopy")});
  }

  bool WaitForEvent() {
    if (XPending(display_) > 0) return true;
    const int connection = ConnectionNumber(display_);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(connection, &readable);
    timeval timeout{kAnswerSeconds, 0};
    return select(connection + 1, &readable, nullptr, nullptr, &timeout) > 0;
  }

  void OnMessage(const XClientMessageEvent& message) {
    if (message.message_type == Intern("XdndStatus")) {
      OnStatus((message.data.l[1] & 1) != 0);
    } else if (message.message_type == Intern("XdndFinished")) {
      // The bit that says whether the drop was accepted is not read: GLFW 3.3 puts the byte count
      // there.
      std::printf("finished\n");
      exit_code_ = 0;
    }
  }

  void OnStatus(bool accepted) {
    if (!accepted) {
      std::fprintf(stderr, "xdnd_drop: refused\n");
      exit_code_ = kRefused;
    } else if (!dropped_) {  // a target may send more than one status
      dropped_ = true;
      Send("XdndDrop", {0, CurrentTime, 0, 0});
    }
  }

  void GiveData(const XSelectionRequestEvent& request) {
    XChangeProperty(display_, request.requestor, request.property, request.target, 8,
                    PropModeReplace, reinterpret_cast<const unsigned char*>(uri_list_.data()),
                    static_cast<int>(uri_list_.size()));
    XEvent answer{};
    answer.xselection.type = SelectionNotify;
    answer.xselection.requestor = request.requestor;
    answer.xselection.selection = request.selection;
    answer.xselection.target = request.target;
    answer.xselection.property = request.property;
    answer.xselection.time = request.time;
    XSendEvent(display_, request.requestor, False, NoEventMask, &answer);
    XFlush(display_);
  }

  Display* display_;
  Window target_;
  std::string uri_list_;
  Window source_ = None;
  bool dropped_ = false;
  int exit_code_ = -1;
};

int Run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: xdnd_drop WINDOW_NAME PATH...\n");
    return kUsageError;
  }
  Display* display = XOpenDisplay(nullptr);
  if (display == nullptr) {
    std::fprintf(stderr, "xdnd_drop: no X display\n");
    return kUsageError;
  }
  const Window target = WaitForWindow(display, argv[1]);
  if (target == None) {
    std::fprintf(stderr, "xdnd_drop: no window named %s\n", argv[1]);
    XCloseDisplay(display);
    return kNoWindow;
  }
  std::string uris;
  for (int i = 2; i < argc; ++i) uris += FileUri(argv[i]) + "\r\n";
  const int exit_code = Drag(display, target, std::move(uris)).Run();
  XCloseDisplay(display);
  return exit_code;
}

}  // namespace
}  // namespace stepscope::test

int main(int argc, char** argv) { return stepscope::test::Run(argc, argv); }

#else

#include <cstdio>

int main() {
  std::fprintf(stderr, "xdnd_drop: built without X11\n");
  return 2;
}

#endif
