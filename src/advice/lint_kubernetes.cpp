// Kubernetes StorageClass and PersistentVolume. Source: Kubernetes API reference storage.k8s.io/v1 and v1;
// what the drivers take is in the knowledge (csi_drivers.h).
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "advice/csi_drivers.h"
#include "advice/lint_format.h"
#include "advice/lint_fstab.h"
#include "advice/lint_shell.h"
#include "advice/lint_volume.h"
#include "advice/lint_yaml.h"
#include "base/text.h"
#include "base/units.h"
#include "space/fact_table.h"

namespace fsadvise {
namespace {

constexpr std::string_view kRefusal = "pods that use the volume do not start: the mount fails";

class StorageObject {
  public:
    StorageObject(const LintInput& input, const YamlNode& root, LintResult& result)
        : input_(input), root_(root), target_(input.target), result_(result) {}

    void storage_class() {
        ++result_.checked;
        provisioner_ = root_.value("provisioner");
        driver_ = csi_driver(input_.knowledge, provisioner_);
        describe_target();
        const LintChecker checker(input_.knowledge, target_, input_.file);
        checker_ = &checker;
        if (provisioner_.empty()) incomplete("provisioner");
        const auto* parameters = root_.find("parameters");
        std::string type = "ext4";  // what drivers make if nothing is said
        std::string extra_text;
        int line = root_.line;
        std::vector<const YamlNode*> seen;
        if (parameters != nullptr && parameters->is_map()) {
            line = parameters->line;
            for (const auto& [key, node] : parameters->entries) {
                if (use_of(key) == CsiUse::kType && !node.text.empty()) type = node.text;
            }
            for (const auto& [key, node] : parameters->entries) parameter(key, node, type);
        }
        const auto* known = input_.knowledge.filesystem(type);
        if (known == nullptr) {
            check_type(checker, type, {line, std::string(kRefusal)}, result_);
            return;
        }
        VolumeLinter volumes(checker, result_);
        volumes.format(options_line_ > 0 ? options_line_ : line, mkfs_argv(*known), {"VOLUME"});
        mount_options(root_.find("mountOptions"), type, volumes);
    }

    void persistent_volume() {
        const auto* spec = root_.find("spec");
        if (spec == nullptr || !spec->is_map()) return;
        ++result_.checked;
        std::string type;
        if (const auto* sources = input_.knowledge.table("volume-sources")) {
            for (const auto& row : sources->rows) {
                const auto* body = spec->find(row["member"]);
                if (body == nullptr) continue;
                type = body->value("fsType");
                if (const auto driver = body->value("driver"); !driver.empty())
                    driver_ = csi_driver(input_.knowledge, driver);
            }
        }
        describe_target();
        if (const auto* capacity = spec->find("capacity")) {
            const auto size = parse_size(capacity->value("storage"));
            if (size && *size > 0) {
                if (!target_.host.device) target_.host.device = BlockDevice{};
                target_.host.device->size_bytes = *size;
            }
        }
        const LintChecker checker(input_.knowledge, target_, input_.file);
        checker_ = &checker;
        const auto* options = spec->find("mountOptions");
        if (lower(spec->value("volumeMode")) == "block" && options != nullptr) {
            auto& item = add("k8s-block-mount-options", Severity::kWarning, options->line, "mountOptions");
            item.what = "volumeMode: Block has no filesystem, so mountOptions mean nothing";
            item.consequence = "nothing: it is accepted and changes nothing";
            item.fix = "remove mountOptions or volumeMode: Block";
        }
        if (const auto* known = input_.knowledge.filesystem(type)) {
            VolumeLinter volumes(checker, result_);
            volumes.format(spec->line, {known->mkfs, "VOLUME"}, {"VOLUME"});
            mount_options(options, type, volumes);
        }
    }

  private:
    Finding& add(std::string id, Severity severity, int line, std::string subject) {
        result_.findings.push_back(checker_->finding(std::move(id), severity, line, std::move(subject)));
        result_.findings.back().sources = {"Kubernetes documentation: Storage Classes"};
        return result_.findings.back();
    }

    // The driver says what is below the volume, unless the user said so.
    void describe_target() {
        if (!driver_) return;
        if (target_.host.cloud.empty()) target_.host.cloud = driver_->cloud;
        if (driver_->backing.empty()) return;
        if (!target_.host.device) target_.host.device = BlockDevice{};
        if (target_.host.device->backing.empty()) target_.host.device->backing = driver_->backing;
    }

    void incomplete(const std::string& key) {
        auto& item = add("k8s-incomplete", Severity::kError, root_.line, key);
        item.what = fmt::format("the StorageClass has no {}", key);
        item.consequence = "the API server rejects it";
        item.fix = fmt::format("add {}:", key);
    }

    [[nodiscard]] const CsiKey* key_of(std::string_view key) const {
        return driver_ ? driver_->key(key) : nullptr;
    }
    [[nodiscard]] CsiUse use_of(std::string_view key) const {
        if (const auto* known = key_of(key)) return known->use;
        return key == "csi.storage.k8s.io/fstype" || key == "fsType" || key == "fstype" ? CsiUse::kType
                                                                                        : CsiUse::kOther;
    }

    void parameter(const std::string& key, const YamlNode& node, const std::string& type) {
        const bool number_or_bool = node.is_scalar() && !node.quoted && !node.text.empty() &&
                                    (node.text == "true" || node.text == "false" ||
                                     node.text.find_first_not_of("0123456789") == std::string::npos);
        if (number_or_bool || node.is_list() || node.is_map()) {
            auto& item = add("k8s-parameter-not-string", Severity::kError, node.line, key);
            item.what = fmt::format("the value of {} is no string", key);
            item.consequence = "the API server rejects the StorageClass";
            item.fix = node.is_scalar() ? fmt::format("write {}: \"{}\"", key, node.text)
                                        : "write one string in quotes";
            item.sources = {"Kubernetes API reference: StorageClass.parameters, map of strings"};
        }
        const auto* known = key_of(key);
        if (known == nullptr) {
            unknown(key, node);
            return;
        }
        if (known->ext_only && !type.starts_with("ext")) {
            auto& item = add("k8s-parameter-foreign", Severity::kError, node.line, key);
            item.what = fmt::format("{} is for ext2, ext3 and ext4 only, and this class makes {}", key, type);
            item.consequence = "the driver rejects the volume, or mkfs stops with an error";
            item.fix = type == "xfs" ? "remove it: XFS allocates inodes as they are needed" : "remove it";
            item.sources = {fmt::format("{}: StorageClass parameters", driver_->provisioner)};
            return;
        }
        collect(*known, node, type);
    }

    void unknown(const std::string& key, const YamlNode& node) {
        if (key.starts_with("csi.storage.k8s.io/") || use_of(key) == CsiUse::kType) return;
        const auto owner = csi_driver_with(input_.knowledge, key);
        const bool says_something = owner && owner->key(key)->use != CsiUse::kOther;
        const bool complete = driver_ && driver_->complete;
        if (!says_something && !complete) return;
        std::vector<std::string> names;
        std::string own;
        if (driver_) {
            for (const auto& entry : driver_->keys) {
                names.emplace_back(entry.name);
                if (entry.use == CsiUse::kMkfsOptions) own = entry.name;
            }
        }
        auto& item = add("k8s-parameter-unknown", Severity::kWarning, node.line, key);
        item.what =
            fmt::format("{} is no known parameter of {}{}", key,
                        provisioner_.empty() ? "this driver" : provisioner_, did_you_mean(key, names));
        if (says_something) item.what += fmt::format("; {} takes it", owner->provisioner);
        item.consequence =
            "drivers ignore or reject what they do not know: the format is not what you asked for";
        item.fix = !own.empty()
                       ? fmt::format("use {}", own)
                       : "leave it out; if the driver takes no mkfs options, format the volume yourself";
        item.ignore_if = "the driver's documentation names it";
    }

    void collect(const CsiKey& key, const YamlNode& node, const std::string& type) {
        const auto add_words = [&](std::initializer_list<std::string> words) {
            mkfs_.insert(mkfs_.end(), words);
            options_line_ = node.line;
        };
        const bool xfs = type == "xfs";
        switch (key.use) {
            case CsiUse::kMkfsOptions:
                for (const auto& part : split_shell(node.text))
                    mkfs_.insert(mkfs_.end(), part.words.begin(), part.words.end());
                options_line_ = node.line;
                break;
            case CsiUse::kBlockSize:
                xfs ? add_words({"-b", "size=" + node.text}) : add_words({"-b", node.text});
                break;
            case CsiUse::kInodeSize:
                xfs ? add_words({"-i", "size=" + node.text}) : add_words({"-I", node.text});
                break;
            case CsiUse::kBytesPerInode:
                add_words({"-i", node.text});
                break;
            case CsiUse::kInodeCount:
                add_words({"-N", node.text});
                break;
            case CsiUse::kBigalloc:
                if (node.text == "true") add_words({"-O", "bigalloc"});
                break;
            case CsiUse::kClusterSize:
                add_words({"-C", node.text});
                break;
            case CsiUse::kEncrypt:
                if (node.text == "true") add_words({"-O", "encrypt"});
                break;
            case CsiUse::kType:
            case CsiUse::kOther:
                break;
        }
    }

    [[nodiscard]] std::vector<std::string> mkfs_argv(const Filesystem& filesystem) const {
        std::vector<std::string> argv = {filesystem.mkfs};
        argv.insert(argv.end(), mkfs_.begin(), mkfs_.end());
        argv.emplace_back("VOLUME");
        return argv;
    }

    void mount_options(const YamlNode* node, const std::string& type, VolumeLinter& volumes) {
        if (node == nullptr) return;
        if (node->is_scalar()) {
            auto& item = add("k8s-mount-options-not-list", Severity::kError, node->line, node->text);
            item.what = "mountOptions is no list";
            item.consequence = "the API server rejects the object";
            item.fix = fmt::format("write mountOptions: [{}]", node->text);
        }
        for (const auto& word : node->items) {
            if (!word.is_scalar() || trim(word.text).find(' ') == std::string_view::npos ||
                word.text.find('=') < word.text.find(' '))
                continue;
            auto& item = add("k8s-mount-options-joined", Severity::kError, word.line, word.text);
            item.what = "one element of mountOptions holds two options with a blank between them";
            item.consequence = kRefusal;
            item.fix = "write one option an element";
        }
        // The options of a list on several lines are judged together and reported where each stands.
        const auto before = result_.findings.size();
        const auto options = options_of(node);
        volumes.mount({node->line, type, options, "VOLUME", "VOLUME", std::string(kRefusal)});
        check_redundant_options(*checker_, type, options, node->line, result_);
        for (auto i = before; i < result_.findings.size(); ++i) {
            const auto item = std::ranges::find(node->items, result_.findings[i].subject, &YamlNode::text);
            if (item != node->items.end()) result_.findings[i].line = item->line;
        }
    }

    const LintInput& input_;
    const YamlNode& root_;
    LintTarget target_;
    LintResult& result_;
    const LintChecker* checker_ = nullptr;
    std::optional<CsiDriver> driver_;
    std::string provisioner_;
    std::vector<std::string> mkfs_;
    int options_line_ = 0;
};

bool recognises(std::string_view, std::string_view text) {
    if (trim(text.substr(0, 256)).starts_with('{')) {
        return text.find("\"apiVersion\"") != std::string_view::npos &&
               text.find("\"kind\"") != std::string_view::npos;
    }
    return has_line_starting(text, "apiVersion:") && has_line_starting(text, "kind:");
}

void object(const LintInput& input, const YamlNode& node, LintResult& result) {
    const auto kind = node.value("kind");
    if (kind == "StorageClass") StorageObject(input, node, result).storage_class();
    if (kind == "PersistentVolume") StorageObject(input, node, result).persistent_volume();
    // kubectl get -o yaml
    if (const auto* items = node.find("items"); kind.ends_with("List") && items != nullptr) {
        for (const auto& item : items->items) object(input, item, result);
    }
}

Result<void> check(const LintInput& input, LintResult& result) {
    FSADVISE_ASSIGN(const auto documents, parse_yaml(input.text, input.file));
    for (const auto& document : documents) object(input, document, result);
    return {};
}

}  // namespace

LintFormat kubernetes_format() {
    return {"Kubernetes", recognises, check};
}

}  // namespace fsadvise
