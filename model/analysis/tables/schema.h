// Schema: declares a table once, beside the struct that its rows are. Each field is a column: its
// id, label, unit, how to get its value from a row, and how the value is computed. Make() fills a
// ResultTable column by column; Properties() makes the properties of one struct in the same way.
// Schemas are immutable; any thread may use one.
//
//   const Schema<Kernel> kKernels("kernels", "Kernels", {
//       {"kernel_name", "Kernel", Unit::kNone, &Kernel::name, "", kKeyColumn},
//       {"total_us", "Total", Unit::kUs, &Kernel::total, "sum of durations"},  // a Ps becomes us
//       {"share", "Share", Unit::kFraction, [](const Kernel& k, const All& all) { … }}});
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/analysis/tables/in_unit.h"
#include "model/analysis/tables/result_table.h"

namespace stepscope {

// What the rows of a table share, where a field needs nothing of the kind.
struct NoFacts {};

enum ColumnRole : bool { kPlainColumn = false, kKeyColumn = true };  // ColumnDesc::key

// The columns of a table without its rows, for documents.
struct TableDesc {
  std::string id, title;
  std::vector<ColumnDesc> columns;
};

namespace schema {

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

// A whole number with the unit us or ms is a Ps.
constexpr bool IsDuration(Unit unit) { return unit == Unit::kUs || unit == Unit::kMs; }

template <typename T>
constexpr ValueType TypeOf(Unit unit) {
  if constexpr (IsOptional<T>::value) {
    return TypeOf<typename T::value_type>(unit);
  } else if constexpr (std::is_same_v<T, bool>) {
    return ValueType::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    return IsDuration(unit) ? ValueType::kReal : ValueType::kInt;
  } else if constexpr (std::is_floating_point_v<T>) {
    return ValueType::kReal;
  } else {
    static_assert(std::is_constructible_v<SharedText, const T&>);
    return ValueType::kString;
  }
}

template <typename T>
void Add(const T& value, Unit unit, ColumnValues* column) {
  if constexpr (IsOptional<T>::value) {
    value ? Add(*value, unit, column) : column->AddAbsent();
  } else if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
    column->Add(value);
  } else if constexpr (std::is_integral_v<T>) {
    if (unit == Unit::kUs) return column->Add(InUs(static_cast<Ps>(value)));
    if (unit == Unit::kMs) return column->Add(InMs(static_cast<Ps>(value)));
    column->Add(static_cast<int64_t>(value));
  } else {
    column->Add(SharedText(value));
  }
}

}  // namespace schema

template <typename Row, typename Facts = NoFacts>
class Schema {
 public:
  class Field {
   public:
    // `get`: a member of Row, or a function of (row), (row, facts) or (row, facts, index).
    template <typename Get>
    Field(const char* id, const char* label, Unit unit, Get get, const char* how = "",
          ColumnRole role = kPlainColumn)
        : desc_{id, label, unit, schema::TypeOf<Result<Get>>(unit), how, role},
          write_([get, unit](const Row& row, const Facts& facts, size_t index, ColumnValues* to) {
            schema::Add(Call(get, row, facts, index), unit, to);
          }) {}
    // Leaves the column out where `shown` is false.
    Field When(std::function<bool(const Facts&)> shown) && {
      shown_ = std::move(shown);
      return std::move(*this);
    }

   private:
    friend class Schema;
    template <typename Get>
    static decltype(auto) Call(const Get& get, const Row& row, const Facts& facts, size_t index) {
      if constexpr (std::invocable<const Get&, const Row&>) {
        return std::invoke(get, row);
      } else if constexpr (std::invocable<const Get&, const Row&, const Facts&>) {
        return std::invoke(get, row, facts);
      } else {
        return std::invoke(get, row, facts, index);
      }
    }
    template <typename Get>
    using Result = std::remove_cvref_t<decltype(Call(
        std::declval<const Get&>(), std::declval<const Row&>(), std::declval<const Facts&>(), 0))>;

    ColumnDesc desc_;
    std::function<void(const Row&, const Facts&, size_t, ColumnValues*)> write_;
    std::function<bool(const Facts&)> shown_;  // empty: always
  };
  using Link = std::function<RowLink(const Row&, const Facts&)>;
  using Readable = std::function<SharedText(const Row&, const Facts&)>;

  Schema(const char* id, const char* title, std::vector<Field> fields, Link link = {})
      : id_(id), title_(title), fields_(std::move(fields)), link_(std::move(link)) {}
  // People see `readable` in place of the cells of a column, where it is not empty.
  Schema WithReadable(const char* column, Readable readable) && {
    readable_column_ = column;
    readable_ = std::move(readable);
    return std::move(*this);
  }

  // O(rows x columns).
  ResultTable Make(std::span<const Row> rows, const Facts& facts = {}) const {
    ResultTable table(id_, title_);
    for (const Field& field : fields_) {
      if (field.shown_ && !field.shown_(facts)) continue;
      ColumnValues& values = table.columns.emplace_back(field.desc_).values;
      values.Reserve(rows.size());
      for (size_t i = 0; i < rows.size(); ++i) field.write_(rows[i], facts, i, &values);
    }
    AddLinks(rows, facts, &table);
    AddReadable(rows, facts, &table);
    return table;
  }

  // The fields as properties of one value.
  std::vector<Property> Properties(const Row& value, const Facts& facts = {}) const {
    std::vector<Property> properties;
    for (const Field& field : fields_) {
      if (field.shown_ && !field.shown_(facts)) continue;
      ColumnValues one(field.desc_.type);
      field.write_(value, facts, 0, &one);
      properties.push_back(
          {field.desc_.id, field.desc_.label, one.Own(0), field.desc_.unit, field.desc_.how});
    }
    return properties;
  }

  TableDesc Describe() const {
    TableDesc desc{id_, title_, {}};
    for (const Field& field : fields_) desc.columns.push_back(field.desc_);
    return desc;
  }

 private:
  void AddLinks(std::span<const Row> rows, const Facts& facts, ResultTable* table) const {
    if (!link_) return;
    table->links.reserve(rows.size());
    for (const Row& row : rows) table->links.push_back(link_(row, facts));
  }
  void AddReadable(std::span<const Row> rows, const Facts& facts, ResultTable* table) const {
    if (!readable_) return;
    for (size_t i = 0; i < rows.size(); ++i) {
      SharedText text = readable_(rows[i], facts);
      if (text.empty()) continue;
      table->readable.resize(rows.size());
      table->readable[i] = std::move(text);
    }
    if (!table->readable.empty()) table->readable_column = table->Column(readable_column_);
  }

  std::string id_, title_;
  std::vector<Field> fields_;
  Link link_;
  std::string readable_column_;
  Readable readable_;
};

}  // namespace stepscope
