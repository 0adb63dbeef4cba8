#include "capi/arrow_table.h"

#include <cerrno>
#include <cstring>
#include <new>

namespace stepscope {
namespace {

// Empty buffers point here, because some readers take a null pointer for an error.
alignas(8) constexpr char kNoBytes[8] = {};

// A parent releases its exported structures, except those that a reader has moved out.
template <typename T>
void Release(T* exported) {
  if (exported != nullptr && exported->release != nullptr) exported->release(exported);
}

template <typename T>
struct Children {
  explicit Children(size_t count) : items(count) {
    for (T& item : items) pointers.push_back(&item);
  }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;
  ~Children() {
    for (T& item : items) Release(&item);
    Release(dictionary.get());
  }

  std::vector<T> items;
  std::vector<T*> pointers;
  std::unique_ptr<T> dictionary;
};

// The length is in the byte order of the machine, as the specification wants it.
void AppendText(const std::string& text, std::string* out) {
  const auto size = static_cast<int32_t>(text.size());
  char bytes[sizeof(size)];
  std::memcpy(bytes, &size, sizeof(size));
  out->append(bytes, sizeof(size));
  *out += text;
}

std::string EncodeMetadata(const ArrowField& field) {
  std::string out;
  if (field.metadata.empty()) return out;
  const auto count = static_cast<int32_t>(field.metadata.size());
  out.append(reinterpret_cast<const char*>(&count), sizeof(count));
  for (const auto& [key, value] : field.metadata) {
    AppendText(key, &out);
    AppendText(value, &out);
  }
  return out;
}

struct SchemaOwner {
  SchemaOwner(const ArrowField& field)
      : name(field.name),
        format(field.format),
        metadata(EncodeMetadata(field)),
        children(field.children.size()) {}
  std::string name, format, metadata;
  Children<ArrowSchema> children;
};

struct ArrayOwner {
  ArrayOwner(const ArrowColumn& column)
      : buffers(column.buffers), children(column.children.size()) {
    // The first buffer is the validity bitmap, which may be absent.
    for (size_t i = 0; i < buffers.size(); ++i)
      pointers.push_back(buffers[i] || i == 0 ? buffers[i].get() : kNoBytes);
  }
  std::vector<ArrowBuffer> buffers;
  std::vector<const void*> pointers;
  Children<ArrowArray> children;
};

template <typename Owner, typename T>
void ReleaseOwned(T* exported) {
  delete static_cast<Owner*>(exported->private_data);
  exported->release = nullptr;
}

// Exports the parts of `from` with one(part, place), and hands `owner` over to `out`.
template <typename Owner, typename From, typename T, typename Fn>
void ExportParts(const From& from, std::unique_ptr<Owner> owner, Fn one, T* out) {
  Children<T>& parts = owner->children;
  for (size_t i = 0; i < from.children.size(); ++i) one(from.children[i], &parts.items[i]);
  if (from.dictionary) {
    parts.dictionary = std::make_unique<T>();
    one(*from.dictionary, parts.dictionary.get());
  }
  out->n_children = static_cast<int64_t>(from.children.size());
  out->children = parts.pointers.data();
  out->dictionary = parts.dictionary.get();
  out->release = ReleaseOwned<Owner, T>;
  out->private_data = owner.release();
}

void ExportField(const ArrowField& field, ArrowSchema* out) {
  auto owner = std::make_unique<SchemaOwner>(field);
  *out = {};
  out->format = owner->format.c_str();
  out->name = owner->name.c_str();
  out->metadata = owner->metadata.empty() ? nullptr : owner->metadata.data();
  out->flags = field.nullable ? ARROW_FLAG_NULLABLE : 0;
  ExportParts(field, std::move(owner), ExportField, out);
}

void ExportColumn(const ArrowColumn& column, ArrowArray* out) {
  auto owner = std::make_unique<ArrayOwner>(column);
  *out = {};
  out->length = column.length;
  out->null_count = column.nulls;
  out->n_buffers = static_cast<int64_t>(owner->pointers.size());
  out->buffers = owner->pointers.data();
  ExportParts(column, std::move(owner), ExportColumn, out);
}

struct StreamOwner {
  std::shared_ptr<const ArrowTable> table;
  size_t next = 0;
};

// The type of a stream is a structure whose fields are the columns.
int GetSchema(ArrowArrayStream* stream, ArrowSchema* out) {
  try {
    ArrowField all{"", "+s"};
    all.children = static_cast<StreamOwner*>(stream->private_data)->table->fields;
    ExportField(all, out);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int GetNext(ArrowArrayStream* stream, ArrowArray* out) {
  auto* owner = static_cast<StreamOwner*>(stream->private_data);
  *out = {};
  if (owner->next == owner->table->batches.size()) return 0;  // a released array means the end
  try {
    const ArrowBatch& batch = owner->table->batches[owner->next];
    ExportColumn({batch.rows, 0, {nullptr}, batch.columns}, out);
    ++owner->next;
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

const char* GetLastError(ArrowArrayStream*) { return nullptr; }  // the error number says it all

}  // namespace

int64_t ArrowTable::rows() const {
  int64_t sum = 0;
  for (const ArrowBatch& batch : batches) sum += batch.rows;
  return sum;
}

void ExportStream(std::shared_ptr<const ArrowTable> table, ArrowArrayStream* out) {
  auto owner = std::make_unique<StreamOwner>();
  owner->table = std::move(table);
  *out = {GetSchema, GetNext, GetLastError, ReleaseOwned<StreamOwner, ArrowArrayStream>,
          owner.release()};
}

}  // namespace stepscope
