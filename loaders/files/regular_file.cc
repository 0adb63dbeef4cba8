#include "loaders/files/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stepscope {

Result<int> OpenRegularFile(const std::string& path, struct stat* info) {
  // O_NONBLOCK: a FIFO must not hang the open; it is refused below.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return Status(ErrorCode::kIo, path + ": cannot be opened: " + std::strerror(errno));
  if (fstat(fd, info) != 0 || !S_ISREG(info->st_mode)) {
    close(fd);
    return Status(ErrorCode::kIo, path + ": not a regular file");
  }
  return fd;
}

}  // namespace stepscope
