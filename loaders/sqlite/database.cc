#include "loaders/sqlite/database.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace stepscope::sqlite {
namespace {

constexpr int kMostValueBytes = 1 << 20;
constexpr sqlite3_int64 kMostMemory = sqlite3_int64{256} << 20;
constexpr int kStepsBetweenLooks = 1000;  // of SQLite's virtual machine, between calls of Look()
constexpr size_t kHeaderBytes = 100;

// The file as SQLite sees it. Pages that the header counts and that are missing read as zeros: then
// only they are damaged, and not the whole file.
struct Bytes {
  std::shared_ptr<const ByteSource> source;
  uint64_t claimed = 0;  // the file's size as its header says
  Progress* progress = nullptr;
  uint64_t read = 0, told = 0;

  uint64_t size() const { return std::max(source->size(), claimed); }

  void Tell(uint64_t bytes) {
    if (progress == nullptr || source->size() == 0) return;
    read = std::min(read + bytes, source->size());
    const bool inflated = source->file_bytes() != source->size();
    const uint64_t share =
        source->file_bytes() - (inflated ? InflateShare(source->file_bytes()) : 0);
    const auto done = static_cast<uint64_t>(static_cast<double>(share) * static_cast<double>(read) /
                                            static_cast<double>(source->size()));
    if (done > told) progress->bytes_done += done - told;
    told = std::max(told, done);
  }
};

struct OpenFile {
  sqlite3_file base;  // must be the first member
  Bytes* bytes;
};

Bytes& Of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file)->bytes; }

int Read(sqlite3_file* file, void* to, int count, sqlite3_int64 offset) {
  Bytes& bytes = Of(file);
  const std::span<std::byte> out(static_cast<std::byte*>(to), static_cast<size_t>(count));
  const Result<size_t> n = bytes.source->Read(static_cast<uint64_t>(offset), out);
  if (!n.ok()) return SQLITE_IOERR_READ;
  bytes.Tell(*n);
  if (*n == out.size()) return SQLITE_OK;
  std::memset(out.data() + *n, 0, out.size() - *n);
  return static_cast<uint64_t>(offset) + out.size() <= bytes.size() ? SQLITE_OK
                                                                    : SQLITE_IOERR_SHORT_READ;
}

const sqlite3_io_methods kMethods = {
    .iVersion = 1,
    .xClose = [](sqlite3_file*) { return SQLITE_OK; },
    .xRead = Read,
    .xWrite = [](sqlite3_file*, const void*, int, sqlite3_int64) { return SQLITE_READONLY; },
    .xTruncate = [](sqlite3_file*, sqlite3_int64) { return SQLITE_READONLY; },
    .xSync = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xFileSize =
        [](sqlite3_file* file, sqlite3_int64* size) {
          *size = static_cast<sqlite3_int64>(Of(file).size());
          return SQLITE_OK;
        },
    .xLock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; },
    .xCheckReservedLock =
        [](sqlite3_file*, int* locked) {
          *locked = 0;
          return SQLITE_OK;
        },
    .xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; },
    .xSectorSize = [](sqlite3_file*) { return 4096; },
    .xDeviceCharacteristics = [](sqlite3_file*) { return SQLITE_IOCAP_IMMUTABLE; },
    .xShmMap = nullptr,
    .xShmLock = nullptr,
    .xShmBarrier = nullptr,
    .xShmUnmap = nullptr,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int OpenMain(sqlite3_vfs* vfs, const char*, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return SQLITE_CANTOPEN;  // no temporary files or journals
  auto* open = reinterpret_cast<OpenFile*>(file);
  open->base.pMethods = &kMethods;
  open->bytes = static_cast<Bytes*>(vfs->pAppData);
  if (out_flags != nullptr) *out_flags = SQLITE_OPEN_READONLY;
  return SQLITE_OK;
}

sqlite3_vfs MakeVfs(const char* name, Bytes* bytes) {
  sqlite3_vfs vfs{};
  vfs.iVersion = 1;
  vfs.szOsFile = sizeof(OpenFile);
  vfs.mxPathname = 64;
  vfs.zName = name;
  vfs.pAppData = bytes;
  vfs.xOpen = OpenMain;
  vfs.xDelete = [](sqlite3_vfs*, const char*, int) { return SQLITE_READONLY; };
  vfs.xAccess = [](sqlite3_vfs*, const char*, int, int* there) {
    *there = 0;
    return SQLITE_OK;
  };
  vfs.xFullPathname = [](sqlite3_vfs*, const char* path, int size, char* out) {
    sqlite3_snprintf(size, out, "%s", path);
    return SQLITE_OK;
  };
  vfs.xRandomness = [](sqlite3_vfs*, int size, char* out) {
    std::memset(out, 0, static_cast<size_t>(size));
    return size;
  };
  vfs.xSleep = [](sqlite3_vfs*, int) { return 0; };
  vfs.xCurrentTime = [](sqlite3_vfs*, double* now) {
    *now = 0;
    return SQLITE_OK;
  };
  vfs.xGetLastError = [](sqlite3_vfs*, int, char*) { return 0; };
  return vfs;
}

uint64_t BigEndian(const std::byte* at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | static_cast<uint8_t>(at[i]);
  return value;
}

// Page size times page count, where the header says that the count is valid.
uint64_t ClaimedSize(const ByteSource& source) {
  std::byte header[kHeaderBytes];
  const Result<size_t> n = source.Read(0, header);
  if (!n.ok() || *n < kHeaderBytes) return 0;
  const uint64_t size = BigEndian(header + 16, 2);
  if (BigEndian(header + 24, 4) != BigEndian(header + 92, 4)) return 0;
  return BigEndian(header + 28, 4) * (size == 1 ? 65'536 : size);
}

int Allow(void*, int action, const char*, const char*, const char*, const char*) {
  return action == SQLITE_SELECT || action == SQLITE_READ ? SQLITE_OK : SQLITE_DENY;
}

void Restrict(sqlite3* db) {
  for (const int off :
       {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
        SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_DQS_DML})
    sqlite3_db_config(db, off, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kMostValueBytes);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, kMostValueBytes);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
  sqlite3_set_authorizer(db, Allow, nullptr);
}

bool IsVirtual(std::string_view sql) {
  constexpr std::string_view kVirtual = "CREATE VIRTUAL";
  return sqlite3_strnicmp(std::string(sql.substr(0, kVirtual.size())).c_str(), kVirtual.data(),
                          static_cast<int>(kVirtual.size())) == 0;
}

}  // namespace

Query::~Query() { sqlite3_finalize(statement_); }

bool Query::Next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if ((code & 0xff) == SQLITE_NOMEM) throw std::bad_alloc();
  damaged_ = code != SQLITE_DONE;
  return false;
}

void Query::Start(int64_t value) {
  sqlite3_reset(statement_);
  sqlite3_bind_int64(statement_, 1, value);
  damaged_ = false;
}

int Query::columns() const { return sqlite3_column_count(statement_); }
const char* Query::ColumnName(int column) const { return sqlite3_column_name(statement_, column); }
bool Query::IsNull(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool Query::IsText(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  return type == SQLITE_TEXT || type == SQLITE_BLOB;
}
bool Query::IsReal(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_FLOAT;
}
int64_t Query::Int(int column, int64_t missing) const {
  return IsNull(column) ? missing : sqlite3_column_int64(statement_, column);
}
double Query::Real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Query::Text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

struct Database::Connection {
  Bytes bytes;
  std::string name;
  sqlite3_vfs vfs{};
  sqlite3* db = nullptr;
  std::stop_token stop;
  bool out_of_memory = false;

  ~Connection() {
    sqlite3_close(db);
    if (!name.empty()) sqlite3_vfs_unregister(&vfs);
  }

  // SQLite stops when this is not 0. Its memory is counted for the whole process, where nothing
  // else uses SQLite.
  int Look() {
    if (sqlite3_memory_used() > kMostMemory) out_of_memory = true;
    return out_of_memory || stop.stop_requested() ? 1 : 0;
  }
};

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::~Database() = default;

bool Database::truncated() const {
  return connection_->bytes.claimed > connection_->bytes.source->size() ||
         connection_->bytes.source->truncated();
}
bool Database::out_of_memory() const { return connection_->out_of_memory; }
bool Database::Has(std::string_view table) const {
  return std::binary_search(tables_.begin(), tables_.end(), table);
}

Result<std::unique_ptr<Database>> Database::Open(std::shared_ptr<const ByteSource> source,
                                                 std::stop_token stop, Progress* progress) {
  auto connection = std::make_unique<Connection>();
  Connection& c = *connection;
  c.bytes.claimed = ClaimedSize(*source);
  c.bytes.source = std::move(source);
  c.bytes.progress = progress;
  c.stop = std::move(stop);
  c.name = "stepscope-" + std::to_string(reinterpret_cast<uintptr_t>(&c));
  c.vfs = MakeVfs(c.name.c_str(), &c.bytes);
  sqlite3_vfs_register(&c.vfs, 0);
  const int code = sqlite3_open_v2("database", &c.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
                                   c.name.c_str());
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code != SQLITE_OK) return Status(ErrorCode::kFormat, "not a SQLite database");
  Restrict(c.db);
  sqlite3_progress_handler(
      c.db, kStepsBetweenLooks, [](void* self) { return static_cast<Connection*>(self)->Look(); },
      &c);
  std::unique_ptr<Database> database(new Database(std::move(connection)));
  if (Status s = database->ListTables(); !s.ok()) return s;
  return database;
}

Status Database::ListTables() {
  const std::unique_ptr<Query> query =
      Select("SELECT name, sql FROM sqlite_master WHERE type = 'table'");
  if (query != nullptr) {
    while (query->Next()) {
      if (!query->IsText(1) || IsVirtual(query->Text(1))) continue;
      tables_.emplace_back(query->Text(0));
    }
  }
  std::sort(tables_.begin(), tables_.end());
  if (connection_->stop.stop_requested()) return {ErrorCode::kCancelled, "cancelled"};
  if (out_of_memory())
    return {ErrorCode::kLimit, "the tables of the database need more than 256 MiB"};
  if (query == nullptr || tables_.empty())
    return {ErrorCode::kFormat,
            std::string("no tables can be read: ") + sqlite3_errmsg(connection_->db)};
  return {};
}

std::unique_ptr<Query> Database::Select(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(connection_->db, sql.c_str(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code == SQLITE_NOMEM) throw std::bad_alloc();
  if (code != SQLITE_OK || statement == nullptr) return nullptr;
  return std::make_unique<Query>(connection_->db, statement);
}

std::string Quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

}  // namespace stepscope::sqlite
