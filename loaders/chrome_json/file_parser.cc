#include "loaders/chrome_json/file_parser.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "loaders/chrome_json/event_reader.h"

namespace stepscope::chrome {

using namespace json;

namespace {

constexpr size_t kReadBlock = size_t{256} << 10;
constexpr size_t kMostWaiting = 16;  // batches
// One thread reads and cuts the text, and helps. So many others parse it faster than it comes, and
// each has two megabytes of memory.
constexpr unsigned kMostThreads = 8;
constexpr size_t kEventsPerRead = 65'536;
constexpr size_t kBaseSample = 4096;
constexpr uint64_t kBaseText = uint64_t{1} << 20;
constexpr size_t kMostWithoutTime = 256;  // batches

// The median of the first timestamps, in whole microseconds: one stray timestamp must not decide
// what is out of range. None where no timestamp but 0 is in the text.
std::optional<Int128> EstimateBase(std::string_view text) {
  std::vector<Int128> times;
  constexpr std::string_view kKey = "\"ts\"";
  for (size_t at = text.find(kKey); at != std::string_view::npos && times.size() < kBaseSample;
       at = text.find(kKey, at + 1)) {
    Cursor cursor(text.data() + at + kKey.size(), text.data() + text.size());
    cursor.SkipSpace();
    if (cursor.peek() != ':') continue;
    cursor.Advance();
    cursor.SkipSpace();
    std::string_view token;
    cursor.Value(&token);
    const std::optional<Int128> time = ParseMicros(token);
    if (time && *time != 0) times.push_back(*time);
  }
  if (times.empty()) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle / kPsPerUs * kPsPerUs;
}

struct Batch {
  uint64_t begin, end;
};

// The state that one worker owns. A name is interned once per worker.
struct Worker {
  WorkerNames names;
  WorkerMap map;
};

class Pipeline {
 public:
  Pipeline(const char* text, const ParseOptions& options, std::stop_token stop, Progress* progress,
           FileEvents* events)
      : text_(text),
        options_(options),
        stop_(std::move(stop)),
        progress_(progress),
        events_(events) {}

  ~Pipeline() { Close(); }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void Start(unsigned threads) {
    for (unsigned i = 0; i <= threads; ++i) workers_.push_back(std::make_unique<Worker>());
    for (unsigned i = 0; i < threads; ++i) {
      threads_.emplace_back([this, i] { Work(workers_[i].get()); });
    }
  }
  void Push(Batch batch, Int128 base_ps) {
    {
      std::lock_guard lock(mutex_);
      base_ps_ = base_ps;
      queue_.push_back({pushed_++, batch});
      begins_.push_back(batch.begin);
    }
    ready_.notify_one();
  }
  // The calling thread parses too while many batches wait: their text is still in the caches.
  void Help() {
    while (ParseOne(workers_.back().get(), kMostWaiting)) {
    }
  }
  // The offset before which no text is needed any more.
  uint64_t keep_from() {
    std::lock_guard lock(mutex_);
    return begins_.empty() ? ~uint64_t{0} : begins_.front();
  }
  // Says that no more batches come, helps with the rest, and joins the workers.
  Status Finish() {
    Close();
    if (!workers_.empty()) Work(workers_.back().get());
    threads_.clear();
    return error_;
  }
  // Reads the rest with EventReader on the calling thread, after Finish(). Returns where the
  // event list ended, or 0.
  uint64_t ReadRest(uint64_t begin, uint64_t end, Int128 base_ps, bool through_ends) {
    Worker& worker = *workers_.back();
    EventReader reader({text_ + begin, static_cast<size_t>(end - begin)}, begin, true);
    while (!stop_.stop_requested()) {
      BatchResult result;
      const EventReader::State state = reader.Read(kEventsPerRead, base_ps, &worker.names, &result);
      events_->Consume(result, &worker.map, {text_, static_cast<size_t>(end)}, stop_);
      if (progress_ != nullptr) progress_->events += result.events.size();
      if (state == EventReader::State::kTextEnd) return 0;
      if (state == EventReader::State::kArrayEnd && !through_ends) {
        return static_cast<uint64_t>(reader.at() - text_);
      }
    }
    return 0;
  }

 private:
  void Close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

  struct Item {
    uint64_t number;
    Batch batch;
  };
  struct Done {
    std::unique_ptr<BatchResult> result;
    Worker* worker;
    uint64_t end;
  };

  void Work(Worker* worker) {
    while (true) {
      {
        std::unique_lock lock(mutex_);
        ready_.wait(lock, [this] { return !queue_.empty() || closed_; });
        if (queue_.empty()) return;
      }
      ParseOne(worker, 0);
    }
  }

  // Parses the next batch, if more than `leave` wait.
  bool ParseOne(Worker* worker, size_t leave) {
    Item item;
    Int128 base_ps;
    std::unique_ptr<BatchResult> result;
    {
      std::lock_guard lock(mutex_);
      if (queue_.size() <= leave) return false;
      item = queue_.front();
      queue_.pop_front();
      base_ps = base_ps_;
      if (!spare_.empty()) {
        result = std::move(spare_.back());
        spare_.pop_back();
        result->new_metas.clear();
        result->new_threads.clear();
      }
    }
    if (stop_.stop_requested()) return true;
    try {
      if (result == nullptr) result = std::make_unique<BatchResult>();
      Parse(worker, item.batch, base_ps, result.get());
      Deliver(item, worker, std::move(result));
    } catch (const std::bad_alloc&) {
      std::lock_guard lock(mutex_);
      error_ = Status(ErrorCode::kLimit, "not enough memory for the events");
      queue_.clear();
    }
    return true;
  }

  void Parse(Worker* worker, Batch batch, Int128 base_ps, BatchResult* result) {
    const std::string_view text(text_ + batch.begin, static_cast<size_t>(batch.end - batch.begin));
    result->Clear();
    EventReader reader(text, batch.begin, false);
    while (reader.Read(~size_t{0}, base_ps, &worker->names, result) !=
           EventReader::State::kTextEnd) {
    }
  }

  // Adds finished batches to the events in file order. One thread at a time does so while the
  // others go on parsing.
  void Deliver(const Item& item, Worker* worker, std::unique_ptr<BatchResult> result) {
    std::unique_lock lock(mutex_);
    done_[item.number] = {std::move(result), worker, item.batch.end};
    if (draining_) return;
    draining_ = true;
    // Workers may be many batches ahead of the one that comes next.
    while (!done_.empty() && done_.begin()->first == next_ && !stop_.stop_requested()) {
      Done done = std::move(done_.begin()->second);
      done_.erase(done_.begin());
      ++next_;
      lock.unlock();
      events_->Consume(*done.result, &done.worker->map, {text_, static_cast<size_t>(done.end)},
                       stop_);
      if (progress_ != nullptr) progress_->events += done.result->events.size();
      lock.lock();
      begins_.pop_front();
      spare_.push_back(std::move(done.result));
    }
    draining_ = false;
  }

  const char* text_;
  const ParseOptions& options_;
  std::stop_token stop_;
  Progress* progress_;
  FileEvents* events_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Item> queue_;
  std::deque<uint64_t> begins_;  // begins of the batches that are not in the events yet, in order
  std::map<uint64_t, Done> done_;
  std::vector<std::unique_ptr<BatchResult>> spare_;
  uint64_t pushed_ = 0, next_ = 0;
  Int128 base_ps_ = 0;
  bool closed_ = false, draining_ = false;
  Status error_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
};

// Reads one file with the splitter and the pipeline.
class FileParse {
 public:
  FileParse(const std::string& path, InflateStream* stream, const ParseOptions& options,
            const std::stop_token& stop, Progress* progress, FileEvents* events, ParsedFile* out)
      : path_(path),
        stream_(stream),
        options_(options),
        stop_(stop),
        progress_(progress),
        events_(events),
        out_(out),
        text_(out->text->data()),
        splitter_(text_, [this](uint64_t begin, uint64_t end) { OnBatch(begin, end); }),
        pipeline_(text_, options_, stop, progress, events) {}

  Status Run() {
    const unsigned threads =
        options_.threads != 0 ? options_.threads : std::min(WorkerCount(), kMostThreads);
    // A small text is parsed sooner than threads start.
    const bool small = stream_ == nullptr ? out_->text->size() <= Splitter::kTargetBatch
                                          : !stream_->compressed() &&
                                                stream_->file_bytes() <= Splitter::kTargetBatch;
    pipeline_.Start(small ? 0 : threads);
    Status status = stream_ == nullptr ? Status::Ok() : ReadStream();
    if (status.ok()) splitter_.Advance(out_->text->size(), true);
    // The rest of the text, which ReadRemainder reads, may have times.
    if (!waiting_.empty()) FindBase(splitter_.batch_begin(), out_->text->size());
    PushWaiting();
    if (progress_ != nullptr) progress_->SetStage("Parsing");
    const Status parsed = pipeline_.Finish();
    if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    if (!status.ok()) return status;
    if (!parsed.ok()) return {parsed.code(), path_ + ": " + parsed.message()};
    ReadRemainder();
    if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
    out_->members = splitter_.members();
    out_->base_ps = base_ps_;
    out_->cut = IsCut();
    if (out_->text->size() == 0) return {ErrorCode::kFormat, path_ + ": the file is empty"};
    if (!found_events_ && !splitter_.saw_events()) {
      return {ErrorCode::kFormat,
              path_ + ": no list of trace events (\"traceEvents\" or an array) in this JSON"};
    }
    return Status::Ok();
  }

 private:
  // The format allows a bare list without its last bracket, but an object must be closed.
  bool IsCut() const {
    const ChromeDiagnostics& diagnostics = events_->diagnostics;
    return diagnostics.count(ChromeDiagnostic::kTruncatedStream) > 0 ||
           diagnostics.count(ChromeDiagnostic::kTruncatedEvent) > 0 ||
           (diagnostics.count(ChromeDiagnostic::kUnterminated) > 0 && !splitter_.bare_array());
  }

  // Batches without a time, such as those of names or of events that lost their times, wait for one
  // that has some: what is out of range cannot be said before.
  void OnBatch(uint64_t begin, uint64_t end) {
    FindBase(begin, end);
    waiting_.push_back({begin, end});
    if (has_base_ || waiting_.size() >= kMostWithoutTime) PushWaiting();
  }
  void PushWaiting() {
    has_base_ = has_base_ || !waiting_.empty();
    for (const Batch& batch : waiting_) pipeline_.Push(batch, base_ps_);
    waiting_.clear();
  }
  void FindBase(uint64_t begin, uint64_t end) {
    if (has_base_) return;
    const auto bytes = static_cast<size_t>(std::min(end - begin, kBaseText));
    const std::optional<Int128> base = EstimateBase({text_ + begin, bytes});
    base_ps_ = base.value_or(0);
    has_base_ = base.has_value();
  }
  // The offset before which no text is needed any more.
  uint64_t keep_from() {
    const uint64_t waiting = waiting_.empty() ? ~uint64_t{0} : waiting_.front().begin;
    return std::min({splitter_.keep_from(), pipeline_.keep_from(), waiting});
  }

  Status ReadStream() {
    TraceText& text = *out_->text;
    if (progress_ != nullptr) progress_->SetStage(stream_->compressed() ? "Inflating" : "Reading");
    uint64_t counted = 0;
    while (true) {
      if (stop_.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
      const std::span<char> room = text.Room(kReadBlock);
      if (room.empty() || text.size() > options_.max_inflated_bytes) {
        return {ErrorCode::kLimit,
                path_ + ": inflates to more than the limit of " +
                    std::to_string(std::min(options_.max_inflated_bytes, text.size()) >> 20) +
                    " MiB (--max-inflated raises it)"};
      }
      const Result<size_t> n = stream_->Read(room);
      if (!n.ok()) return n.status();
      text.Grow(*n);
      if (progress_ != nullptr) {
        progress_->bytes_done += stream_->file_done() - counted;
        counted = stream_->file_done();
      }
      if (*n == 0) break;
      splitter_.Advance(text.size(), false);
      pipeline_.Help();
      if (text.passing()) text.Release(keep_from());
    }
    if (stream_->truncated())
      events_->diagnostics.Count(ChromeDiagnostic::kTruncatedStream, text.size());
    text.Finish();
    return Status::Ok();
  }

  // Reads what the splitter could not cut: the end of a list that is not closed, or the text after
  // broken quotes or brackets.
  void ReadRemainder() {
    const uint64_t size = out_->text->size();
    while (splitter_.place() == Splitter::Place::kEvents && !stop_.stop_requested()) {
      FindBase(splitter_.batch_begin(), size);
      has_base_ = true;  // the events that are read next count from it
      const uint64_t end = pipeline_.ReadRest(splitter_.batch_begin(), size, base_ps_, false);
      if (end == 0) {
        events_->diagnostics.Count(ChromeDiagnostic::kUnterminated, size);
        return;
      }
      splitter_.EventsEndedAt(end);
      splitter_.Advance(size, true);
      PushWaiting();
      // Finishes what was cut from a further list. Errors of memory were reported before.
      if (!pipeline_.Finish().ok()) return;
    }
    if (splitter_.place() == Splitter::Place::kEnd || splitter_.place() == Splitter::Place::kBad) {
      const std::string_view rest = std::string_view(text_, size).substr(splitter_.position());
      if (rest.find_first_not_of(" \t\r\n,;\0") == std::string_view::npos) return;
      events_->diagnostics.Count(ChromeDiagnostic::kMisplacedText, splitter_.position());
      ReadMisplaced(splitter_.position());
    } else if (size > 0) {
      events_->diagnostics.Count(ChromeDiagnostic::kUnterminated, size);
      if (!splitter_.saw_events()) ReadMisplaced(splitter_.position());
    }
  }

  // Reads events after what looked like the end of the list, or in a list whose beginning was not
  // recognised.
  void ReadMisplaced(uint64_t from) {
    const uint64_t size = out_->text->size();
    const std::string_view rest = std::string_view(text_, size).substr(from);
    if (rest.find("\"ph\"") == std::string_view::npos) return;
    const size_t list = rest.find("\"traceEvents\"");
    if (!splitter_.saw_events() && list == std::string_view::npos) return;
    found_events_ = true;
    const size_t bracket =
        list == std::string_view::npos ? std::string_view::npos : rest.find('[', list);
    const uint64_t begin = from + (bracket == std::string_view::npos ? 0 : bracket + 1);
    FindBase(begin, size);
    pipeline_.ReadRest(begin, size, base_ps_, true);
  }

  const std::string& path_;
  InflateStream* stream_;
  const ParseOptions& options_;
  std::stop_token stop_;
  Progress* progress_;
  FileEvents* events_;
  ParsedFile* out_;
  const char* text_;
  Int128 base_ps_ = 0;
  bool has_base_ = false, found_events_ = false;
  std::vector<Batch> waiting_;  // until base_ps_ is known
  Splitter splitter_;
  Pipeline pipeline_;
};

}  // namespace

Status ParseFile(const std::string& path, InflateStream* stream, const ParseOptions& options,
                 const std::stop_token& stop, Progress* progress, FileEvents* events,
                 ParsedFile* out) {
  return FileParse(path, stream, options, stop, progress, events, out).Run();
}

}  // namespace stepscope::chrome
