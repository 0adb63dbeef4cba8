#include "loaders/bucket.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "loaders/common/first_error.h"
#include "loaders/remote/child_process.h"
#include "loaders/remote/remote_path.h"

namespace stepscope {
namespace {

using remote::ChildProcess;

constexpr int kBucketPollMs = 50;
constexpr size_t kMaxListing = size_t{64} << 20;
constexpr unsigned kFetches = 4;  // at a time

using Arguments = std::vector<std::string>;

// How the tool of a scheme reads a file, and lists all that lies below a folder.
struct Tool {
  const char* scheme;
  Arguments (*read)(const std::string& url);
  Arguments (*list)(const std::string& url);  // null: it cannot
};

Arguments Curl(const std::string& url) {
  return {"curl", "--fail", "--silent", "--show-error", "--location", "--globoff", "--", url};
}

const Tool kTools[] = {
    {"gs://",
     [](const std::string& url) {
       return Arguments{"gcloud", "storage", "cat", url};
     },
     [](const std::string& url) {
       return Arguments{"gcloud", "storage", "ls", "--long", url + "**"};
     }},
    {"s3://",
     [](const std::string& url) {
       return Arguments{"aws", "s3", "cp", "--only-show-errors", url, "-"};
     },
     [](const std::string& url) {
       return Arguments{"aws", "s3", "ls", "--recursive", url};
     }},
    {"https://", Curl, nullptr},
    {"http://", Curl, nullptr},
};

const Tool& ToolOf(std::string_view address) {
  return *std::find_if(std::begin(kTools), std::end(kTools),
                       [&](const Tool& tool) { return address.starts_with(tool.scheme); });
}

Status Failed(const std::string& address, const std::string& tool, int status,
              std::string_view errors) {
  const std::string_view line = remote::LastLine(errors);
  if (!line.empty()) return {ErrorCode::kIo, address + ": " + std::string(line)};
  return {ErrorCode::kIo, address + ": " + tool + " failed, with status " + std::to_string(status)};
}

// All that a tool prints.
Result<std::string> OutputOf(const std::string& address, const Arguments& arguments, uint64_t most,
                             const std::stop_token& stop, Progress* progress) {
  const std::string& tool = arguments[0];
  Result<std::unique_ptr<ChildProcess>> started = ChildProcess::Start(arguments);
  if (!started.ok()) {
    return Status(ErrorCode::kIo, address + ": " + tool + " reads such addresses, and " +
                                      started.status().message());
  }
  ChildProcess& process = **started;
  process.CloseInput();
  std::string bytes;
  for (auto got = ChildProcess::Got::kNothing; got != ChildProcess::Got::kEnd;) {
    if (stop.stop_requested()) return Status(ErrorCode::kCancelled, "cancelled");
    const size_t before = bytes.size();
    got = process.Receive(&bytes, kBucketPollMs);
    if (progress != nullptr) progress->bytes_done += bytes.size() - before;
    if (bytes.size() > most)
      return Status(ErrorCode::kLimit, address + ": more comes than --max-inflated allows");
  }
  const int status = process.Finish();
  if (status != 0) return Failed(address, tool, status, process.errors());
  return bytes;
}

std::string WithSlash(const std::string& address) {
  return address.ends_with('/') ? address : address + '/';
}

std::string_view NameOf(std::string_view address) {
  address = address.substr(0, address.find_first_of("?#"));
  return address.substr(address.rfind('/') + 1);
}

// The key of a URL: what follows the name of the bucket.
std::string_view KeyOf(std::string_view address) {
  address.remove_prefix(address.find("//") + 2);
  const size_t slash = address.find('/');
  return slash == std::string_view::npos ? std::string_view() : address.substr(slash + 1);
}

// Takes the next word off the line.
std::string_view Word(std::string_view* line) {
  line->remove_prefix(std::min(line->find_first_not_of(" \t"), line->size()));
  const std::string_view word = line->substr(0, line->find_first_of(" \t"));
  line->remove_prefix(word.size());
  return word;
}

uint64_t SizeIn(std::string_view word) {
  uint64_t bytes = 0;
  std::from_chars(word.data(), word.data() + word.size(), bytes);
  return bytes;
}

// "2026-11-25 10:00:00  1234 logs/plugins/profile/…": the key counts from the bucket.
ListedFile FileOfAws(std::string_view line, std::string_view folder) {
  Word(&line);
  Word(&line);
  const uint64_t bytes = SizeIn(Word(&line));
  line.remove_prefix(std::min<size_t>(line.size(), 1));
  const std::string_view key = KeyOf(folder);
  if (!line.starts_with(key)) return {};
  return {std::string(line.substr(key.size())), bytes};
}

// "  1234  2026-11-25T10:00:00Z  gs://bucket/logs/…".
ListedFile FileOfGcloud(std::string_view line, std::string_view folder) {
  const size_t url = line.find(folder);
  if (url == std::string_view::npos) return {};
  const std::string path(line.substr(url + folder.size()));
  return {path, SizeIn(Word(&line))};
}

ProfileRun RunOfFile(const std::string& address) {
  ProfileRun run;
  run.name = std::string(NameOf(address));
  run.directory = address.substr(0, address.rfind('/'));
  const FileName kind = ClassifyFileName(run.name);
  run.files.push_back(
      {address, kind.host.empty() ? run.name.substr(0, run.name.find('.')) : kind.host, nullptr});
  return run;
}

Result<ProfileRun> FindRun(const std::string& address, const LoadOptions& options,
                           const std::stop_token& stop, Progress* progress,
                           std::vector<std::string>* runs) {
  const Tool& tool = ToolOf(address);
  const FileName name = ClassifyFileName(NameOf(address));
  if (tool.list == nullptr || name.loader != nullptr || name.foreign) {
    if (runs != nullptr) runs->emplace_back(NameOf(address));
    return RunOfFile(address);
  }
  progress->SetStage("Listing the files");
  const std::string folder = WithSlash(address);
  Result<std::string> listing = OutputOf(address, tool.list(folder), kMaxListing, stop, nullptr);
  if (!listing.ok()) return listing.status();
  const std::vector<ListedFile> files = FilesOfListing(folder, *listing);
  Result<std::vector<ProfileRun>> found = RunsOfListing(address, files);
  if (!found.ok()) return found.status();
  for (const ProfileRun& run : *found) {
    if (runs != nullptr) runs->push_back(run.name);
  }
  return PickRun(std::move(found).value(), options.run, address);
}

// Calls fn(i) for i in [0, n), kFetches at a time, on threads of their own: they wait for the
// network, and not for processors.
void FetchEach(size_t n, const std::function<void(size_t)>& fn) {
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i; (i = next++) < n;) fn(i);
  };
  std::vector<std::future<void>> others;
  try {
    while (others.size() + 1 < std::min<size_t>(n, kFetches))
      others.push_back(std::async(std::launch::async, work));
  } catch (const std::system_error&) {
    // The machine has no thread to give. Those that are there do the work.
  }
  work();
  for (std::future<void>& other : others) other.get();
}

}  // namespace

std::vector<ListedFile> FilesOfListing(std::string_view address, std::string_view listing) {
  const std::string folder = WithSlash(std::string(address));
  std::vector<ListedFile> files;
  while (!listing.empty()) {
    std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(line.size() + 1, listing.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ListedFile file =
        folder.starts_with("s3://") ? FileOfAws(line, folder) : FileOfGcloud(line, folder);
    if (!file.path.empty() && !file.path.ends_with('/')) files.push_back(std::move(file));
  }
  return files;
}

Result<ProfileRun> FetchRun(const std::string& address, const LoadOptions& options,
                            const std::stop_token& stop, Progress* progress,
                            std::vector<std::string>* runs) {
  progress->SetStage("Connecting");
  Result<ProfileRun> run = FindRun(address, options, stop, progress, runs);
  if (!run.ok()) return run;
  progress->SetStage("Receiving the profile");
  std::vector<InputFile>& files = run.value().files;
  const auto other = [&](const InputFile& f) {
    return !options.host.empty() && f.host != options.host;
  };
  // Files of other hosts need not come. Where no host has the name, the loader says so.
  if (!std::all_of(files.begin(), files.end(), other)) std::erase_if(files, other);
  FirstError error;
  FetchEach(files.size(), [&](size_t i) {
    if (error.any()) return;
    const uint64_t most = options.max_inflated_bytes;
    Result<std::string> bytes =
        OutputOf(files[i].path, ToolOf(address).read(files[i].path), most, stop, progress);
    if (!bytes.ok()) return error.Set(bytes.status());
    auto source = MakeByteSource(files[i].path, std::move(bytes).value(), most);
    if (!source.ok()) return error.Set(source.status());
    files[i].opened = std::move(source).value();
  });
  if (Status s = error.Take(); !s.ok()) return s;
  progress->bytes_done = 0;  // the loader counts them once more
  return run;
}

}  // namespace stepscope
