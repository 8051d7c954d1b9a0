#include "host/mount_table.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include <libmount/libmount.h>

namespace fsadvise {

namespace {

std::string text_or_empty(const char* text) {
    return text ? std::string(text) : std::string();
}

bool is_prefix_path(std::string_view directory, std::string_view path) {
    if (directory == "/") return path.starts_with('/');
    return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

std::vector<MountEntry> parse_mountinfo(const std::string& text) {
    std::vector<MountEntry> entries;
    if (text.empty()) return entries;
    // fmemopen wants a mutable buffer even for reading.
    std::string buffer = text;
    std::unique_ptr<FILE, int (*)(FILE*)> stream(fmemopen(buffer.data(), buffer.size(), "r"), &fclose);
    std::unique_ptr<libmnt_table, void (*)(libmnt_table*)> table(mnt_new_table(), &mnt_unref_table);
    std::unique_ptr<libmnt_iter, void (*)(libmnt_iter*)> cursor(mnt_new_iter(MNT_ITER_FORWARD),
                                                                &mnt_free_iter);
    if (!stream || !table || !cursor) return entries;
    // A bad line makes libmount stop or skip; what it understood is still in the table.
    (void)mnt_table_parse_stream(table.get(), stream.get(), "mountinfo");
    libmnt_fs* filesystem = nullptr;
    while (mnt_table_next_fs(table.get(), cursor.get(), &filesystem) == 0) {
        MountEntry entry;
        entry.directory = text_or_empty(mnt_fs_get_target(filesystem));
        entry.source = text_or_empty(mnt_fs_get_source(filesystem));
        entry.filesystem = text_or_empty(mnt_fs_get_fstype(filesystem));
        if (std::unique_ptr<char, void (*)(void*)> options(mnt_fs_strdup_options(filesystem), &std::free);
            options) {
            entry.options = options.get();
        }
        entry.device_number = mnt_fs_get_devno(filesystem);
        entries.push_back(std::move(entry));
    }
    return entries;
}

const MountEntry* mount_of(const std::vector<MountEntry>& entries, std::string_view path) {
    const MountEntry* best = nullptr;
    for (const MountEntry& entry : entries) {
        if (!is_prefix_path(entry.directory, path)) continue;
        if (!best || entry.directory.size() >= best->directory.size()) best = &entry;
    }
    return best;
}

}  // namespace fsadvise
