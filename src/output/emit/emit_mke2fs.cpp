// A usage type of mke2fs.conf(5), for callers that pass a type and nothing else: mke2fs -t ext4 -T NAME.
#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {
namespace {

// Relations that say the same as a flag. Source: mke2fs.conf(5) of e2fsprogs 1.47.
std::string_view relation_of(std::string_view flag) {
    struct Relation {
        std::string_view flag, name;
    };
    constexpr Relation kRelations[] = {{"-b", "blocksize"},  {"-C", "cluster_size"},   {"-i", "inode_ratio"},
                                       {"-I", "inode_size"}, {"-m", "reserved_ratio"}, {"-G", "flex_bg_size"},
                                       {"-O", "features"},   {"-E", "options"}};
    for (const Relation& relation : kRelations)
        if (relation.flag == flag) return relation.name;
    return {};
}

constexpr std::string_view kErrors = "errors=";

// Mount options that a superblock keeps. Source: tune2fs(8), -o.
std::string kept_option(const std::string& option) {
    if (option == "data=journal") return "journal_data";
    if (option == "data=ordered") return "journal_data_ordered";
    if (option == "data=writeback") return "journal_data_writeback";
    for (const char* same : {"debug", "bsdgroups", "user_xattr", "acl", "uid16", "nobarrier",
                             "block_validity", "discard", "nodelalloc"})
        if (option == same) return option;
    return {};
}

}  // namespace

Result<Emitted> emit_mke2fs(const EmitPlan& plan) {
    if (plan.filesystem != "ext4")
        return fail(ErrorCode::kUnavailable,
                    fmt::format("mke2fs makes no {}, which is advised here", plan.filesystem), "mke2fs",
                    "--fs ext4 asks for ext4");
    Emitted emitted;
    std::string relations;
    for (const MkfsOption& option : mkfs_pairs(plan)) {
        const auto name = relation_of(option.flag);
        if (name.empty() || option.value.empty())
            emitted.lost.push_back(fmt::format("mke2fs.conf has no relation for {} {}: add it to the command",
                                               option.flag, option.value));
        else
            relations += fmt::format("\t\t{} = {}\n", name, option.value);
    }
    std::vector<std::string> kept;
    for (const std::string& option : plan.mount_options) {
        if (option.starts_with(kErrors))
            relations += fmt::format("\t\terrors = {}\n", option.substr(kErrors.size()));
        else if (std::string word = kept_option(option); !word.empty())
            kept.push_back(std::move(word));
        else
            emitted.lost.push_back(fmt::format("the superblock keeps no '{}': give it to mount", option));
    }
    if (!kept.empty()) relations += fmt::format("\t\tdefault_mntopts = acl,user_xattr,{}\n", join(kept, ","));
    lose_settings(plan, "mke2fs.conf", emitted.lost);
    const std::string type = "fsadvise-" + plan.workload;
    std::string text = head_comment(plan,
                                    fmt::format("Add this to /etc/mke2fs.conf, then: mke2fs -t ext4 -T {} "
                                                "DEVICE. mke2fs asks before it overwrites a filesystem.",
                                                type),
                                    emitted.lost, false);
    text += fmt::format("[fs_types]\n\t{} = {{\n{}\t}}\n", type, relations);
    emitted.files.push_back({"mke2fs.conf", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
