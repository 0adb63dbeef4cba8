#include "app/agents/agent_socket.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
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
namespace {

namespace fs = std::filesystem;

std::string ErrorOf(std::string_view line) {
  const Result<ShowRequest> request = ParseShowRequest(line);
  return request.ok() ? "" : request.status().message();
}

TEST_CASE("show request: reads all fields") {
  const Result<ShowRequest> request = ParseShowRequest(
      R"({"client": "Claude", "open": "/logs/a.pb", "panel": "memory/lifetimes",
          "select": "gemm", "event": 12, "range": "1ms..2ms"})");
  REQUIRE(request.ok());
  CHECK(request->client == "Claude");
  CHECK(request->open == "/logs/a.pb");
  CHECK(request->panel == "memory/lifetimes");
  CHECK(request->select == "gemm");
  CHECK(request->event == 12u);
  REQUIRE(request->range.has_value());
  CHECK(request->range->begin == 1'000'000'000);
  CHECK(request->range->end == 2'000'000'000);
  CHECK(ParseShowRequest("{}").ok());
}

TEST_CASE("show request: says what is wrong, and takes nothing else") {
  CHECK(ErrorOf("") == "the request is no JSON object");
  CHECK(ErrorOf("[1]") == "the request is no JSON object");
  CHECK(ErrorOf("{\"select\": \"\xff\"}") == "the request is no JSON object");
  CHECK(ErrorOf(R"({"command": "app.quit"})") ==
        "'command' is none of client, open, panel, range, select and event");
  CHECK(ErrorOf(R"({"select": 3})") == "select is no text");
  CHECK(ErrorOf(R"({"select": "a\nb"})") == "select has control characters");
  CHECK(ErrorOf(R"({"panel": "no_such"})") == "there is no panel 'no_such'");
  CHECK(ErrorOf(R"({"panel": "query/SELECT 1"})") ==
        "the panel query takes no query from a program");
  CHECK(ErrorOf(R"({"panel": "query"})").empty());
  CHECK(ErrorOf(R"({"range": "soon"})") == "'soon' is not a range; write it as 12ms..15ms");
  for (const char* event : {"-1", "1.5", "4294967295", "\"1\"", "99999999999999999999"})
    CHECK(ErrorOf(std::string(R"({"event": )") + event + "}") == "event is not the id of an event");
  CHECK(ErrorOf(R"({"select": ")" + std::string(5000, 'x') + "\"}") ==
        "select has more than 4096 bytes");
  CHECK(ErrorOf(std::string(9000, ' ')) == "the request has more than 8192 bytes");
  CHECK(ErrorOf(std::string(8000, '[')) == "the request is no JSON object");
}

TEST_CASE("show request: any bytes are a request or have an error") {
  const std::string good =
      R"({"client":"C","open":"/a","panel":"overview","select":"g","event":1,"range":"1ms..2ms"})";
  std::mt19937 random(1);
  const auto below = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string line = good.substr(0, below(8) == 0 ? below(good.size()) : good.size());
    for (size_t change = below(4); change > 0 && !line.empty(); --change)
      line[below(line.size())] =
          static_cast<char>(below(3) == 0 ? random() : R"({}[]",:\u-.e9)"[below(14)]);
    const Result<ShowRequest> request = ParseShowRequest(line);
    read += request.ok() ? 1 : 0;
    if (!request.ok()) REQUIRE_FALSE(request.status().message().empty());
  }
  CHECK(read > 1000);
}

TEST_CASE("show request: the name of a client is cut between characters") {
  std::string name;
  for (int i = 0; i < 30; ++i) name += "\xc3\xa9";
  const Result<ShowRequest> request = ParseShowRequest(R"({"client": "x)" + name + "\"}");
  REQUIRE(request.ok());
  CHECK(request->client == "x" + name.substr(0, 38));
}

TEST_CASE("paths in folders: links and dots lead nowhere else") {
  const TempDir dir, other;
  const fs::path inside = dir.path() / "a.pb", outside = other.path() / "b.pb";
  std::ofstream(inside) << "x";
  std::ofstream(outside) << "x";
  fs::create_symlink(outside, dir.path() / "link");
  fs::create_symlink(inside, other.path() / "back");
  const std::vector<std::string> folders = {"/no/such/folder", dir.path().string()};
  const auto ok = [&](const fs::path& path) { return PathInFolders(path.string(), folders).ok(); };
  const Result<std::string> found = PathInFolders(inside.string(), folders);
  REQUIRE(found.ok());
  CHECK(*found == fs::canonical(inside));
  CHECK(ok(dir.path()));
  CHECK(ok(other.path() / "back"));
  CHECK_FALSE(ok(outside));
  CHECK_FALSE(ok(dir.path() / "link"));
  CHECK_FALSE(ok(dir.path() / ".." / other.path().filename() / "b.pb"));
  CHECK_FALSE(ok(dir.path().string() + "x"));
  CHECK_FALSE(ok(dir.path() / "absent"));
  CHECK_FALSE(ok("ssh://host/" + inside.string()));
  CHECK_FALSE(ok("s3://bucket/a.pb"));
  CHECK_FALSE(ok(""));
}

}  // namespace
}  // namespace stepscope
