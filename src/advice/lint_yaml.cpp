#include "advice/lint_yaml.h"

#include <algorithm>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "base/text.h"

namespace fsadvise {
namespace {

constexpr std::size_t kMostBytes = 1u << 20, kMostJsonBytes = 4u << 20;
constexpr std::size_t kMostDepth = 64;
constexpr int kMostNodes = 200'000;
constexpr int kMostDocuments = 1000;

// Thrown through yaml-cpp and caught in parse_yaml: the only way to stop its parser.
struct Beyond {
    std::string what;
    int line;
};

int count_nodes(const YamlNode& node) {
    int count = 1;
    for (const auto& item : node.items) count += count_nodes(item);
    for (const auto& entry : node.entries) count += count_nodes(entry.second);
    return count;
}

std::size_t depth_of(const YamlNode& node) {
    std::size_t depth = 0;
    for (const auto& item : node.items) depth = std::max(depth, depth_of(item));
    for (const auto& entry : node.entries) depth = std::max(depth, depth_of(entry.second));
    return depth + 1;
}

class TreeBuilder final : public YAML::EventHandler {
  public:
    explicit TreeBuilder(std::string_view text) : text_(text) {}
    YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark&) override {
        root_ = {};
        open_.clear();
        anchors_.clear();
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        YamlNode node;
        node.line = mark.line + 1;
        leaf(std::move(node), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        YamlNode node;
        node.line = mark.line + 1;
        // The parser knows the anchor, and its node is not complete yet.
        if (found == anchors_.end())
            throw Beyond{"has an alias inside the node that it stands for: unfolded, it would never end",
                         node.line};
        if (open_.size() + depth_of(found->second) > kMostDepth) too_deep(node.line);
        count(count_nodes(found->second), node.line);
        node = found->second;
        leaf(std::move(node), 0);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode node;
        node.kind = YamlNode::Kind::kScalar;
        node.text = value;
        node.quoted = tag == "!";
        node.line = mark.line + 1;
        const auto position = static_cast<std::size_t>(std::max(mark.pos, 0));
        if (position < text_.size() && (text_[position] == '|' || text_[position] == '>')) {
            node.block = true;
            ++node.line;
        }
        leaf(std::move(node), anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::kList, mark, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(YamlNode::Kind::kMap, mark, anchor);
    }
    void OnMapEnd() override { close(); }

  private:
    struct Open {
        YamlNode node;
        YAML::anchor_t anchor = 0;
        std::string key;
        bool has_key = false;
    };

    [[noreturn]] static void too_deep(int line) {
        throw Beyond{fmt::format("is nested deeper than {} levels", kMostDepth), line};
    }
    void count(int nodes, int line) {
        nodes_ += nodes;
        if (nodes_ > kMostNodes) {
            throw Beyond{fmt::format("has more than {} nodes, aliases expanded", kMostNodes), line};
        }
    }
    void open(YamlNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (open_.size() >= kMostDepth) too_deep(mark.line + 1);
        count(1, mark.line + 1);
        Open entry;
        entry.node.kind = kind;
        entry.node.line = mark.line + 1;
        entry.anchor = anchor;
        open_.push_back(std::move(entry));
    }
    void close() {
        auto entry = std::move(open_.back());
        open_.pop_back();
        remember(entry.node, entry.anchor);
        place(std::move(entry.node));
    }
    void leaf(YamlNode node, YAML::anchor_t anchor) {
        count(1, node.line);
        remember(node, anchor);
        place(std::move(node));
    }
    void remember(const YamlNode& node, YAML::anchor_t anchor) {
        if (anchor == 0) return;
        count(count_nodes(node), node.line);
        anchors_[anchor] = node;
    }
    void place(YamlNode node) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        auto& parent = open_.back();
        if (parent.node.kind == YamlNode::Kind::kList) {
            parent.node.items.push_back(std::move(node));
        } else if (!parent.has_key) {
            parent.has_key = true;
            parent.key = node.kind == YamlNode::Kind::kScalar ? std::move(node.text) : std::string();
        } else {
            parent.has_key = false;
            if (parent.key == "<<" && node.kind == YamlNode::Kind::kMap) {
                for (auto& entry : node.entries) parent.node.entries.push_back(std::move(entry));
            } else if (!parent.key.empty()) {
                parent.node.entries.push_back({std::move(parent.key), std::move(node)});
            }
            parent.key.clear();
        }
    }

    std::string_view text_;
    YamlNode root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, YamlNode> anchors_;
    int nodes_ = 0;
};

tl::unexpected<Error> bad(const std::string& what, const std::string& file, int line) {
    return fail(ErrorCode::kBadInput, what, fmt::format("{}:{}", file, std::max(line, 1)));
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &YamlEntry::first);
    return found == entries.end() ? nullptr : &found->second;
}

const YamlNode* YamlNode::find_any(std::initializer_list<std::string_view> keys) const {
    for (const auto key : keys) {
        if (const auto* node = find(key)) return node;
    }
    return nullptr;
}

std::string YamlNode::value(std::string_view key) const {
    const auto* node = find(key);
    return node != nullptr && node->is_scalar() ? node->text : std::string();
}

bool YamlNode::is_true() const {
    const auto word = lower(text);
    return word == "true" || word == "yes" || word == "on" || word == "1";
}

Result<std::vector<YamlNode>> parse_yaml(std::string_view text, const std::string& file) {
    const bool json = trim(text.substr(0, 256)).starts_with('{');
    if (text.size() > (json ? kMostJsonBytes : kMostBytes)) {
        return fail(ErrorCode::kBadInput, json ? "JSON larger than 4 MiB" : "YAML larger than 1 MiB", file,
                    "check a smaller file");
    }
    // JSON may be indented by tabs, YAML must not.
    std::string content(text);
    if (json) std::ranges::replace(content, '\t', ' ');
    std::vector<YamlNode> documents;
    try {
        std::istringstream stream(content);
        YAML::Parser parser(stream);
        TreeBuilder builder(content);
        while (parser.HandleNextDocument(builder)) {
            documents.push_back(builder.take());
            if (static_cast<int>(documents.size()) > kMostDocuments) {
                return bad(fmt::format("has more than {} documents", kMostDocuments), file, 1);
            }
        }
    } catch (const Beyond& beyond) {
        return bad(beyond.what, file, beyond.line);
    } catch (const YAML::Exception& error) {
        return bad("is not valid YAML: " + error.msg, file, error.mark.line + 1);
    } catch (const std::exception& error) {
        return bad(std::string("is not valid YAML: ") + error.what(), file, 1);
    }
    return documents;
}

std::vector<std::string> words_of(const YamlNode* node) {
    std::vector<std::string> words;
    if (node == nullptr) return words;
    if (node->is_list()) {
        for (const auto& item : node->items) words.push_back(item.text);
        return words;
    }
    std::istringstream stream(node->text);
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

std::string options_of(const YamlNode* node) {
    if (node == nullptr) return {};
    if (!node->is_list()) return node->text;
    std::string options;
    for (const auto& item : node->items) options += (options.empty() ? "" : ",") + item.text;
    return options;
}

}  // namespace fsadvise
