#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "model/query/event_args.h"
#include "sql/event_plan.h"
#include "sql/table.h"

namespace stepscope {
namespace {

// The arguments of the events in a span of ids. The cursor reads those of an event when it gets
// there.
class ArgsCursor final : public SqlCursor {
 public:
  ArgsCursor(const SqlSession* session, const Trace& trace)
      : session_(session), trace_(trace), reader_(trace) {}

  int Begin(std::string_view plan, std::span<sqlite3_value*> values, std::string* error) override {
    IntegerSpan ids;
    for (size_t i = 0; i < values.size() && i < plan.size(); ++i)
      Narrow(static_cast<PlanOp>(plan[i]), values[i], &ids);
    event_ = std::max<int64_t>(ids.first, 0);
    end_ = std::min(ids.last, int64_t{trace_.set.rows} - 1) + 1;
    if (ids.empty()) end_ = event_;
    args_.clear();
    at_ = 0;
    serial_ = 0;
    return event_ < end_ ? Read(error) : SQLITE_OK;
  }
  int Next(std::string* error) override {
    ++serial_;
    if (++at_ < args_.size()) return SQLITE_OK;
    ++event_;
    return event_ < end_ ? Read(error) : SQLITE_OK;
  }
  bool AtEnd() const override { return event_ >= end_; }
  sqlite3_int64 RowId() const override { return serial_; }

  int Column(sqlite3_context* to, int column) override {
    const Stat& stat = args_[at_];
    if (column == 0) {
      sqlite3_result_int64(to, event_);
    } else if (column == 1) {
      Copy(to, stat.name);
    } else {
      std::visit([&](const auto& value) { Give(to, value); }, stat.value);
    }
    return SQLITE_OK;
  }

 private:
  // Goes to the next event that has arguments.
  int Read(std::string* error) {
    at_ = 0;
    for (; event_ < end_; ++event_) {
      if (event_ % 4096 == 0 && session_->budget->Over()) return SQLITE_INTERRUPT;
      Result<std::vector<Stat>> args = reader_.Read(EventRow(static_cast<uint32_t>(event_)));
      if (!args.ok()) {
        *error = args.status().message();
        return SQLITE_ERROR;
      }
      args_ = std::move(args).value();
      if (!args_.empty()) return SQLITE_OK;
    }
    return SQLITE_OK;
  }
  static void Copy(sqlite3_context* to, const std::string& text) {
    sqlite3_result_text64(to, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  static void Give(sqlite3_context* to, int64_t value) { sqlite3_result_int64(to, value); }
  static void Give(sqlite3_context* to, double value) { sqlite3_result_double(to, value); }
  static void Give(sqlite3_context* to, const std::string& value) { Copy(to, value); }
  static void Give(sqlite3_context* to, uint64_t value) {  // SQL has no such integers
    if (value >> 63 != 0) return Copy(to, std::to_string(value));
    sqlite3_result_int64(to, static_cast<int64_t>(value));
  }

  const SqlSession* session_;
  const Trace& trace_;
  ArgsReader reader_;
  int64_t event_ = 0, end_ = 0, serial_ = 0;
  std::vector<Stat> args_;
  size_t at_ = 0;
};

class ArgsTable final : public SqlTable {
 public:
  ArgsTable(SqlSession* session, size_t profile)
      : session_(session), profile_(profile), source_(session->schemas[profile].source.get()) {}
  std::string Declaration() const override {
    return DeclarationOf(SqlTables()[static_cast<size_t>(SqlTableId::kArgs)], profile_);
  }
  int Plan(sqlite3_index_info* info) override {
    // The first value of an event costs a read of the event from the file.
    double rows = 8.0 * source_->trace().set.rows;
    std::string plan;
    for (int i = 0; i < info->nConstraint; ++i) {
      const auto& constraint = info->aConstraint[i];
      const std::optional<PlanOp> op = PlanOpOf(constraint.op);
      const bool text = op == PlanOp::kLike || op == PlanOp::kGlob;
      if (!constraint.usable || !op || text || constraint.iColumn != 0) continue;
      plan += static_cast<char>(*op);
      info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size());
      rows = *op == PlanOp::kEqual ? 8 : rows / 4;
    }
    info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
    info->estimatedCost = 10 + rows * 20;
    info->idxStr = sqlite3_mprintf("%s", plan.c_str());
    info->needToFreeIdxStr = 1;
    return info->idxStr != nullptr ? SQLITE_OK : SQLITE_NOMEM;
  }
  std::unique_ptr<SqlCursor> Open() override {
    return std::make_unique<ArgsCursor>(session_, source_->trace());
  }

 private:
  SqlSession* session_;
  size_t profile_;
  SqlSource* source_;
};

}  // namespace

std::unique_ptr<SqlTable> MakeArgsTable(SqlSession* session, size_t profile) {
  return std::make_unique<ArgsTable>(session, profile);
}

}  // namespace stepscope
