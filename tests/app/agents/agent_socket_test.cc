#include "app/agents/agent_socket.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/app/agents/agent_client.h"
#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;
using test::AgentClientSide;

struct Listening {
  explicit Listening(std::vector<std::string> folders = {}) {
    auto opened =
        AgentSocket::Open({dir.path(), std::move(folders), [this] { ++woken; }, geteuid()});
    REQUIRE(opened.ok());
    socket = std::move(opened).value();
  }
  AgentTask WaitForTask() const {
    for (int i = 0; i < 4000; ++i) {
      if (std::optional<AgentTask> task = socket->NextTask()) return *task;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL("no request came");
    return {};
  }

  TempDir dir;
  std::atomic<int> woken = 0;
  std::unique_ptr<AgentSocket> socket;
};

mode_t ModeOf(const fs::path& path) {
  struct stat facts {};
  REQUIRE(lstat(path.c_str(), &facts) == 0);
  return facts.st_mode;
}

TEST_CASE("agent socket: a request waits for the window, whose answer goes back") {
  Listening window;
  AgentClientSide client(window.socket->path());
  REQUIRE(client.connected);
  client.Send("{\"client\": \"Tester\", \"select\": \"gemm\"}\n");
  const AgentTask task = window.WaitForTask();
  CHECK(window.woken == 1);
  CHECK(task.request.select == "gemm");
  CHECK(task.who.starts_with("Tester ("));
  CHECK(task.who.find("process " + std::to_string(getpid())) != std::string::npos);
  window.socket->Answer(task.ticket, "{\"ok\": true}");
  CHECK(client.Answer()["ok"] == true);
  client.Send("{\"panel\": \"overview\"}\n");  // the connection goes on
  window.socket->Answer(window.WaitForTask().ticket, "{\"ok\": true}");
  CHECK(client.Answer()["ok"] == true);
}

TEST_CASE("agent socket: the file is the user's alone, and goes with the socket") {
  fs::path path;
  {
    Listening window;
    path = window.socket->path();
    CHECK(path.parent_path() == window.dir.path());
    CHECK(S_ISSOCK(ModeOf(path)));
    CHECK((ModeOf(path) & 0777) == 0600);
    window.socket.reset();
    CHECK_FALSE(fs::exists(path));
  }
}

TEST_CASE("agent socket: what is no request gets an error and ends") {
  Listening window;
  for (const char* bytes : {"hello\n", "{\"quit\": true}\n", "\n", "{\"select\": 1}\n"}) {
    AgentClientSide client(window.socket->path());
    client.Send(bytes);
    CHECK_FALSE(client.Error().empty());
    CHECK(client.Line().empty());
  }
  CHECK_FALSE(window.socket->NextTask().has_value());
  CHECK(window.woken == 0);
}

TEST_CASE("agent socket: a request that is too long is not kept") {
  Listening window;
  AgentClientSide client(window.socket->path());
  client.Send(std::string(1 << 20, ' '));
  CHECK(client.Error() == "the request has more than 8192 bytes");
  AgentClientSide with_end(window.socket->path());
  with_end.Send("{\"select\": \"" + std::string(kMostShowRequest, 'x') + "\"}\n");
  CHECK(with_end.Error() == "the request has more than 8192 bytes");
}

TEST_CASE("agent socket: half a request, half a connection") {
  Listening window;
  AgentClientSide cut(window.socket->path());
  cut.Send("{\"select\": ");
  cut.EndSending();
  CHECK(cut.Error() == "the request does not end with a line break");
  AgentClientSide half(window.socket->path());
  half.Send("{\"select\": \"a\"}\n");
  half.EndSending();  // it still hears the answer
  window.socket->Answer(window.WaitForTask().ticket, "{\"ok\": true}");
  CHECK(half.Answer()["ok"] == true);
  CHECK(half.Line().empty());
  { AgentClientSide silent(window.socket->path()); }
  {
    AgentClientSide gone(window.socket->path());
    gone.Send("{\"select\": \"b\"}\n");
  }
  const AgentTask task = window.WaitForTask();  // whoever asked is gone: the answer goes nowhere
  window.socket->Answer(task.ticket, "{\"ok\": true}");
  AgentClientSide next(window.socket->path());
  next.Send("{}\n");
  window.socket->Answer(window.WaitForTask().ticket, "{\"ok\": true}");
  CHECK(next.Answer()["ok"] == true);
}

TEST_CASE("agent socket: each of several clients gets its own answer, and there is a limit") {
  Listening window;
  AgentClientSide one(window.socket->path()), two(window.socket->path());
  one.Send("{\"select\": \"one\"}\n{\"select\": \"later\"}\n");
  two.Send("{\"select\": \"two\"}\n");
  for (int i = 0; i < 2; ++i) {
    const AgentTask task = window.WaitForTask();
    CHECK(task.request.select != "later");  // one request of a client at a time
    window.socket->Answer(task.ticket, "{\"name\": \"" + task.request.select + "\"}");
  }
  CHECK(one.Answer()["name"] == "one");
  CHECK(two.Answer()["name"] == "two");
  CHECK(window.WaitForTask().request.select == "later");

  std::vector<std::unique_ptr<AgentClientSide>> more;
  for (size_t i = 2; i < AgentSocket::kMostClients; ++i)
    more.push_back(std::make_unique<AgentClientSide>(window.socket->path()));
  AgentClientSide over(window.socket->path());
  CHECK(over.Error() == "too many programs are connected to this window");
}

TEST_CASE("agent socket: a client that reads no answers is not read either") {
  const TempDir logs;
  Listening window({logs.path().string()});
  AgentClientSide client(window.socket->path());
  const std::string request = "{\"open\": \"/etc/passwd\"}\n";
  std::string requests;
  while (requests.size() < size_t{8} << 20) requests += request;
  const size_t sent = client.SendWhileTaken(requests);
  CHECK(sent < requests.size() / 2);  // what the buffers of the system hold
  for (size_t i = 0; i < sent / request.size(); ++i) REQUIRE_FALSE(client.Error().empty());
  AgentClientSide next(window.socket->path());
  next.Send(request);
  CHECK_FALSE(next.Error().empty());
}

TEST_CASE("agent socket: opens profiles of its folders only") {
  const TempDir logs;
  std::ofstream(logs.path() / "a.pb") << "x";
  Listening window({logs.path().string()});
  AgentClientSide client(window.socket->path());
  client.Send("{\"open\": \"/etc/passwd\"}\n");
  CHECK(client.Error().find("outside") != std::string::npos);
  client.Send("{\"open\": \"ssh://host/a.pb\"}\n");
  CHECK(client.Error().find("this machine") != std::string::npos);
  client.Send("{\"open\": \"" + (logs.path() / "." / "a.pb").string() + "\"}\n");
  CHECK(window.WaitForTask().request.open == fs::canonical(logs.path() / "a.pb"));
}

TEST_CASE("agent socket: a file of a process that ended is replaced, another one is not") {
  const TempDir dir;
  const fs::path path = dir.path() / AgentSocketName(getpid());
  const AgentSocketConfig config{dir.path(), {}, {}, geteuid()};
  {  // what a crash leaves
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    close(fd);
  }
  REQUIRE(fs::exists(path));
  auto opened = AgentSocket::Open(config);
  REQUIRE(opened.ok());
  AgentClientSide client(opened.value()->path());
  CHECK(client.connected);
  CHECK(AgentSocket::Open(config).status().message().find("listens") != std::string::npos);
  opened = Status(ErrorCode::kIo, "closed");
  std::ofstream(path) << "a file of somebody";
  CHECK(AgentSocket::Open(config).status().message().find("no socket") != std::string::npos);
  CHECK(fs::exists(path));
}

TEST_CASE("agent socket: the folder must be the user's alone") {
  const TempDir dir;
  const uid_t me = geteuid();
  CHECK(CheckRuntimeFolder(dir.path(), me).ok());
  CHECK(CheckRuntimeFolder({}, me).message().find("XDG_RUNTIME_DIR") != std::string::npos);
  CHECK_FALSE(CheckRuntimeFolder(dir.path() / "absent", me).ok());
  CHECK(CheckRuntimeFolder(dir.path(), me + 1).message().find("another user") != std::string::npos);
  for (const auto mode : {fs::perms::group_read, fs::perms::others_exec, fs::perms::group_write}) {
    fs::permissions(dir.path(), fs::perms::owner_all | mode);
    CHECK(CheckRuntimeFolder(dir.path(), me).message().find("chmod 700") != std::string::npos);
    CHECK_FALSE(AgentSocket::Open({dir.path(), {}, {}, me}).ok());
  }
  fs::permissions(dir.path(), fs::perms::owner_all);
  const TempDir links;
  fs::create_directory_symlink(dir.path(), links.path() / "link");
  CHECK_FALSE(CheckRuntimeFolder(links.path() / "link", me).ok());
  CHECK_FALSE(AgentSocket::Open({dir.path() / std::string(120, 'x'), {}, {}, me}).ok());
}

TEST_CASE("agent socket: a process of another user is not listened to") {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  int process = 0;
  CHECK(IsPeerOf(ends[0], geteuid(), &process));
  CHECK(process == getpid());
  CHECK_FALSE(IsPeerOf(ends[0], geteuid() + 1, &process));
  close(ends[0]);
  close(ends[1]);
  CHECK_FALSE(ProgramOfProcess(getpid()).empty());
  CHECK(ProgramOfProcess(-1) == "?");
}

}  // namespace
}  // namespace stepscope
