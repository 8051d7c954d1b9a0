// Internal: a JSON text parsed into a flat array of nodes that point into the text.
//
// The knowledge is read at every start of the program. A general document object costs about 15 ms a MiB to
// build and free, this 1.5 ms; see docs/adr/. A test holds it against nlohmann-json.
//
// Errors: kBadInput with "file:line:column" as context.
// Bounds: nesting depth 64, text below 1 GiB. The text must outlive the document.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fsadvise {

enum class JsonType : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
std::string_view to_text(JsonType type);

class JsonDocument;

// A node of a document; cheap to copy, valid as long as the document stays where it is.
class JsonValue {
  public:
    JsonValue(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}

    [[nodiscard]] JsonType type() const;
    [[nodiscard]] std::string_view key() const;   // of this member; empty for elements and the root
    [[nodiscard]] std::string_view text() const;  // a string without quotes and escapes; else the JSON text
    [[nodiscard]] bool boolean() const { return text() == "true"; }
    [[nodiscard]] const JsonDocument& document() const { return *document_; }
    [[nodiscard]] std::uint32_t index() const { return index_; }
    // "/rules/3/when"
    [[nodiscard]] std::string pointer() const;
    // "rules/databases.json#/rules/3/when"
    [[nodiscard]] std::string location() const;

    class Iterator {
      public:
        Iterator(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
        JsonValue operator*() const { return {document_, index_}; }
        Iterator& operator++();
        bool operator==(const Iterator& other) const { return index_ == other.index_; }

      private:
        const JsonDocument* document_;
        std::uint32_t index_;
    };
    // Members or elements.
    [[nodiscard]] Iterator begin() const { return {document_, index_ + 1}; }
    [[nodiscard]] Iterator end() const;

  private:
    const JsonDocument* document_;
    std::uint32_t index_;
};

// Invariant: nodes_[0] is the root; a node's children follow it, nodes_[i].next is the first node after its
// tree.
class JsonDocument {
  public:
    JsonDocument(std::string_view name, std::string_view text) : name_(name), text_(text) {}
    Result<void> parse();
    [[nodiscard]] JsonValue root() const { return {this, 0}; }
    [[nodiscard]] std::string_view name() const { return name_; }

  private:
    friend class JsonValue;
    friend class JsonParser;
    struct Node {
        std::string_view key;
        std::string_view text;
        std::uint32_t next = 0;
        JsonType type = JsonType::kNull;
    };
    std::string_view name_;
    std::string_view text_;
    std::vector<Node> nodes_;
    std::deque<std::string> unescaped_;  // strings that had escapes; a deque never moves them
};

inline JsonType JsonValue::type() const {
    return document_->nodes_[index_].type;
}
inline std::string_view JsonValue::key() const {
    return document_->nodes_[index_].key;
}
inline std::string_view JsonValue::text() const {
    return document_->nodes_[index_].text;
}
inline JsonValue::Iterator JsonValue::end() const {
    return {document_, document_->nodes_[index_].next};
}
inline JsonValue::Iterator& JsonValue::Iterator::operator++() {
    index_ = document_->nodes_[index_].next;
    return *this;
}

}  // namespace fsadvise
