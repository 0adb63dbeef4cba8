#include "app/code_place.h"

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

std::array<CodePlace, 5> FindIn(const std::string& maps, std::array<uintptr_t, 5> addresses) {
  const TempDir dir;
  const std::string path = (dir.path() / "maps").string();
  std::ofstream(path) << maps;
  std::array<CodePlace, 5> places;
  for (size_t i = 0; i < places.size(); ++i) places[i].address = addresses[i];
  const int fd = ::open(path.c_str(), O_RDONLY);
  FindModules(fd, places);
  ::close(fd);
  return places;
}

TEST_CASE("code places: offsets count from the first mapping of the file, data is no code") {
  const std::string maps =
      "1000-2000 r--p 00000000 fe:00 17                         /home/me/a b/stepscope\n"
      "2000-4000 r-xp 00001000 fe:00 17                         /home/me/a b/stepscope\n"
      "5000-6000 r--p 00000000 fe:00 18                         /secret/run.xplane.pb\n"
      "7000-9000 r-xp 00000000 00:00 0 \n"
      "a000-b000 r--p 00000000 fe:00 19                         /lib/libc.so.6\n" +
      std::string("b000-c000 r-xp 00001000 fe:00 19           /") + std::string(3000, 'x') +
      "/libc.so.6\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";
  const auto places = FindIn(maps, {0x2345, 0x5001, 0x7002, 0xb010, 0xffffffffff600004});
  CHECK(std::string(places[0].module) == "stepscope");
  CHECK(places[0].offset == 0x1345);
  CHECK(std::string(places[1].module).empty());
  CHECK(std::string(places[2].module).empty());
  CHECK(places[2].offset == 2);
  CHECK(std::string(places[3].module) == "libc.so.6");
  CHECK(places[3].offset == 0x1010);
  CHECK(std::string(places[4].module) == "[vsyscall]");
  CHECK(places[4].offset == 4);
}

TEST_CASE("code places: text that is no maps file names nothing") {
  const auto places = FindIn("zz-- x\n\n-\n7-\n" + std::string(5000, '-'), {1, 2, 3, 4, 5});
  for (const CodePlace& place : places) CHECK(std::string(place.module).empty());
}

TEST_CASE("code places: code of this program and of the C library") {
  std::array<CodePlace, 2> places;
  places[0].address = reinterpret_cast<uintptr_t>(&FindModules);
  places[1].address =
      reinterpret_cast<uintptr_t>(&gnu_get_libc_version);  // no sanitizer has its own
  const int fd = ::open("/proc/self/maps", O_RDONLY);
  REQUIRE(fd >= 0);
  FindModules(fd, places);
  ::close(fd);
  CHECK(std::string(places[0].module).find("test_app") == 0);
  CHECK(places[0].offset > 0);
  CHECK(std::string(places[1].module).find("libc") == 0);
}

}  // namespace
}  // namespace stepscope
