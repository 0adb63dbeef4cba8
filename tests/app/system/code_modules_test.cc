#include "app/system/crash_report.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "tests/app/temp_dir.h"

namespace stepscope {
namespace {

std::array<CodeAddress, 5> FindIn(const std::string& maps, std::array<uintptr_t, 5> addresses) {
  const TempDir dir;
  const std::string path = (dir.path() / "maps").string();
  std::ofstream(path) << maps;
  std::array<CodeAddress, 5> found;
  for (size_t i = 0; i < found.size(); ++i) found[i].address = addresses[i];
  const int fd = ::open(path.c_str(), O_RDONLY);
  FindCodeModules(fd, found);
  ::close(fd);
  return found;
}

TEST_CASE("code modules: offsets count from the first mapping of the file, and data is no code") {
  const std::string maps =
      "1000-2000 r--p 00000000 fe:00 17                         /home/me/a b/stepscope\n"
      "2000-4000 r-xp 00001000 fe:00 17                         /home/me/a b/stepscope\n"
      "5000-6000 r--p 00000000 fe:00 18                         /secret/run.xplane.pb\n"
      "7000-9000 r-xp 00000000 00:00 0 \n"
      "a000-b000 r--p 00000000 fe:00 19                         /lib/libc.so.6\n" +
      std::string("b000-c000 r-xp 00001000 fe:00 19           /") + std::string(3000, 'x') +
      "/libc.so.6\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";
  const auto found = FindIn(maps, {0x2345, 0x5001, 0x7002, 0xb010, 0xffffffffff600004});
  CHECK(std::string(found[0].module) == "stepscope");
  CHECK(found[0].offset == 0x1345);
  CHECK(std::string(found[1].module).empty());
  CHECK(std::string(found[2].module).empty());
  CHECK(found[2].offset == 2);
  CHECK(std::string(found[3].module) == "libc.so.6");
  CHECK(found[3].offset == 0x1010);
  CHECK(std::string(found[4].module) == "[vsyscall]");
  CHECK(found[4].offset == 4);
}

TEST_CASE("code modules: a text that is no maps file gives no names") {
  const auto found = FindIn("zz-- x\n\n-\n7-\n" + std::string(5000, '-'), {1, 2, 3, 4, 5});
  for (const CodeAddress& code : found) CHECK(std::string(code.module).empty());
}

TEST_CASE("code modules: finds code of this program and of the C library") {
  std::array<CodeAddress, 2> found;
  found[0].address = reinterpret_cast<uintptr_t>(&FindCodeModules);
  found[1].address =
      reinterpret_cast<uintptr_t>(&gnu_get_libc_version);  // sanitizers do not replace it
  const int fd = ::open("/proc/self/maps", O_RDONLY);
  REQUIRE(fd >= 0);
  FindCodeModules(fd, found);
  ::close(fd);
  CHECK(std::string(found[0].module).find("test_app") == 0);
  CHECK(found[0].offset > 0);
  CHECK(std::string(found[1].module).find("libc") == 0);
}

}  // namespace
}  // namespace stepscope
