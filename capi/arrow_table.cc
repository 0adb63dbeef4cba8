#include "capi/arrow_table.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "model/base/terminal_text.h"

namespace stepscope {
namespace {

void AddBit(bool bit, int64_t row, std::vector<uint8_t>* bits) {
  if (row % 8 == 0) bits->push_back(0);
  if (bit) bits->back() = static_cast<uint8_t>(bits->back() | 1u << (row % 8));
}

// The number of bytes that follow the first byte of a character; 0 for other bytes, and for ASCII.
size_t FollowersOf(unsigned char first) {
  if (first >= 0xc2 && first <= 0xdf) return 1;
  if (first >= 0xe0 && first <= 0xef) return 2;
  return first >= 0xf0 && first <= 0xf4 ? 3 : 0;
}

// The length of the invalid or incomplete character at the start of a text: as many bytes as can
// start a valid character, at least 1.
size_t BrokenBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t followers = FollowersOf(first);
  size_t i = 1;
  for (; i <= followers && i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    unsigned low = 0x80, high = 0xbf;
    if (i == 1 && first == 0xe0) low = 0xa0;
    if (i == 1 && first == 0xed) high = 0x9f;
    if (i == 1 && first == 0xf0) low = 0x90;
    if (i == 1 && first == 0xf4) high = 0x8f;
    if (c < low || c > high) break;
  }
  return i;
}

// Empty buffers point here: a null pointer is an error for some readers.
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

void AppendUtf8(std::string_view text, std::vector<char>* out) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  while (!text.empty()) {
    const auto plain =
        static_cast<size_t>(std::find_if_not(text.begin(), text.end(), ascii) - text.begin());
    const size_t good = plain > 0 ? plain : DecodeUtf8(text).bytes;
    const std::string_view piece = good > 0 ? text.substr(0, good) : "\xef\xbf\xbd";
    out->insert(out->end(), piece.begin(), piece.end());
    text.remove_prefix(good > 0 ? good : BrokenBytes(text));
  }
}

void Validity::Add(bool valid) {
  AddBit(valid, rows_++, &bits_);
  if (!valid) ++nulls_;
}

void TextColumn::Add(std::string_view text) {
  AppendUtf8(text, &bytes_);
  offsets_.push_back(static_cast<int64_t>(bytes_.size()));
  validity_.Add(true);
}

void TextColumn::AddNull() {
  offsets_.push_back(offsets_.back());
  validity_.Add(false);
}

ArrowColumn TextColumn::Take() {
  const auto rows = static_cast<int64_t>(offsets_.size()) - 1;
  const int64_t nulls = validity_.nulls();
  return {
      rows, nulls, {validity_.Take(), BufferOf(std::move(offsets_)), BufferOf(std::move(bytes_))}};
}

void FlagColumn::Add(bool value) {
  AddBit(value, rows_++, &bits_);
  validity_.Add(true);
}

void FlagColumn::AddNull() {
  AddBit(false, rows_++, &bits_);
  validity_.Add(false);
}

ArrowColumn FlagColumn::Take() {
  const int64_t nulls = validity_.nulls();
  return {rows_, nulls, {validity_.Take(), BufferOf(std::move(bits_))}};
}

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
