// The parts of apply that need no disk: fstab as text, file edits and their way back, rules for disks, names.
#include <cstdio>
#include <filesystem>

#include <doctest/doctest.h>
#include <libmount/libmount.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "advice/advise.h"
#include "base/fd.h"
#include "base/text.h"
#include "space/knowledge.h"
#include "tuner/apply/advised.h"
#include "tuner/apply/file_edit.h"
#include "tuner/apply/fstab.h"
#include "tuner/apply/hook.h"
#include "tuner/apply/match.h"
#include "tuner/apply/plan.h"

#include "support/temporary_folder.h"

using namespace fsadvise;
using namespace fsadvise::tuner;

namespace {

const FstabWish kWish{"UUID=11111111-2222-8333-8444-555555555555", "/srv/data", "xfs", "noatime,nofail", 0};

SameSource never() {
    return [](const std::string&) { return false; };
}

FstabEdit edited(const std::string& text, const FstabWish& wish = kWish, const SameSource& same = never()) {
    const auto edit = edit_fstab(text, wish, "fstab", same);
    REQUIRE_MESSAGE(edit, to_text(edit.error()));
    return *edit;
}

const Knowledge& shipped() {
    static const Knowledge knowledge = *Knowledge::load(embedded_knowledge());
    return knowledge;
}

}  // namespace

TEST_CASE("apply: a line is added to fstab and everything else stays") {
    const std::string line = kWish.line() + "\n";
    CHECK(line == "UUID=11111111-2222-8333-8444-555555555555 /srv/data xfs noatime,nofail 0 0\n");
    CHECK(edited("").after == line);
    const std::string before = "# a comment\r\n\n/dev/sda1\t/  ext4 defaults 0 1 # root\n";
    CHECK(edited(before).after == before + line);
    // A last line without a newline, also one of blanks and one that is a comment.
    for (const std::string last : {"/dev/sda2 none swap sw 0 0", "   ", "# end"})
        CHECK(edited(before + last).after == before + last + "\n" + line);
    CHECK(edited(before + line).changed == false);
    CHECK(edited(before + line).after == before + line);
}

TEST_CASE("apply: the line of the same source is changed in place") {
    const std::string before =
        "UUID=1 / ext4 defaults 0 1\n  LABEL=data\t/srv//data/   xfs\trw,user_xattr  0 0 # mine\nx";
    const auto edit = edited(before, kWish, [](const std::string& spec) { return spec == "LABEL=data"; });
    CHECK(edit.after ==
          "UUID=1 / ext4 defaults 0 1\n  LABEL=data\t/srv//data/   xfs\tnoatime,nofail  0 0 # mine\nx");
    CHECK(edit.replaced == "  LABEL=data\t/srv//data/   xfs\trw,user_xattr  0 0 # mine");
    CHECK(edit.line == "  LABEL=data\t/srv//data/   xfs\tnoatime,nofail  0 0 # mine");
    const auto short_line =
        edited("LABEL=data /srv/data ext4", kWish, [](const std::string&) { return true; });
    CHECK(short_line.after == "LABEL=data /srv/data xfs noatime,nofail");
}

TEST_CASE("apply: another source at the mount point is refused") {
    for (const std::string other : {"UUID=9", "/dev/sdb1", "server:/export", "tmpfs"}) {
        const auto edit =
            edit_fstab("\n" + other + " /srv/data/ auto defaults 0 0\n", kWish, "/etc/fstab", never());
        REQUIRE_FALSE(edit);
        CHECK(edit.error().code == ErrorCode::kUnavailable);
        CHECK(edit.error().context == "/etc/fstab:2");
        CHECK(edit.error().message == "/srv/data is the mount point of " + other + " already");
    }
    // One that is ours does not excuse another one.
    CHECK_FALSE(edit_fstab(kWish.line() + "\nUUID=9 /srv/data xfs defaults 0 0\n", kWish, "f", never()));
    CHECK(edited("# UUID=9 /srv/data xfs defaults 0 0\nUUID=9 /srv/data2 xfs defaults 0 0\n").changed);
}

TEST_CASE("apply: fields are written and read as libmount does") {
    FstabWish wish = kWish;
    for (const std::string directory :
         {"/srv/a b", "/srv/tab\there", "/srv/back\\slash", "/srv/#hash", "/srv/\\040"}) {
        wish.directory = directory;
        const std::string text =
            edited("# c\n\n  UUID=1  /  ext4  defaults,x=\\0401  0  1\nUUID=2 none swap sw\n", wish).after;
        libmnt_table* table = mnt_new_table();
        std::string copy = text;
        FILE* stream = fmemopen(copy.data(), copy.size(), "r");
        REQUIRE(mnt_table_parse_stream(table, stream, "fstab") == 0);
        std::fclose(stream);
        const auto entries = fstab_entries(text);
        REQUIRE(mnt_table_get_nents(table) == static_cast<int>(entries.size()));
        libmnt_iter* iterator = mnt_new_iter(MNT_ITER_FORWARD);
        libmnt_fs* filesystem = nullptr;
        for (const FstabEntry& entry : entries) {
            REQUIRE(mnt_table_next_fs(table, iterator, &filesystem) == 0);
            CHECK(entry.directory == mnt_fs_get_target(filesystem));
            CHECK(entry.spec == mnt_fs_get_source(filesystem));
            CHECK(entry.type == mnt_fs_get_fstype(filesystem));
            CHECK(entry.options == mnt_fs_get_options(filesystem));
        }
        mnt_free_iter(iterator);
        mnt_unref_table(table);
        CHECK(entries.back().directory == directory);
    }
}

TEST_CASE("apply: options of the user's own stay in a line that is changed") {
    Configuration configuration{"ext4", {{"ext4.mount.atime", std::string("noatime")}}};
    const auto merged = [&](const std::string& options) {
        return merged_options(shipped(), configuration, options);
    };
    CHECK(merged("defaults") == "noatime");
    CHECK(merged("defaults,nofail,x-systemd.device-timeout=9s,relatime") ==
          "nofail,x-systemd.device-timeout=9s,noatime");
    CHECK(merged("noatime") == "noatime");
    configuration.values.clear();
    CHECK(merged("defaults") == "defaults");
    CHECK(merged("nosuid,relatime") == "nosuid,relatime");
}

TEST_CASE("apply: a file is replaced with a copy beside it, and put back") {
    const test::TemporaryFolder folder("apply");
    const std::string path = folder.write("fstab", "old");
    std::filesystem::permissions(path, std::filesystem::perms(0640));
    const auto edit = replace_file(path, "old", "new", "20260102-030405");
    REQUIRE_MESSAGE(edit, to_text(edit.error()));
    CHECK(*read_file(path) == "new");
    CHECK(edit->backup == path + ".fsadvise-20260102-030405");
    CHECK(*read_file(edit->backup) == "old");
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms(0640));
    CHECK(std::filesystem::status(edit->backup).permissions() == std::filesystem::perms(0640));

    const auto stale = replace_file(path, "old", "newer", "20260102-030405");
    REQUIRE_FALSE(stale);
    CHECK(stale.error().message.find("changed by someone else") != std::string::npos);
    // A second copy in the same second has a name of its own.
    const auto second = replace_file(path, "new", "newer", "20260102-030405");
    REQUIRE(second);
    CHECK(second->backup == path + ".fsadvise-20260102-030405-2");
    CHECK(*read_file(edit->backup) == "old");

    const auto undo = plan_undo(*second);
    REQUIRE(undo);
    CHECK(undo->difference.empty());
    REQUIRE(carry_out(*undo));
    CHECK(*read_file(path) == "new");
    CHECK(plan_undo(*second)->done);
}

TEST_CASE("apply: a file that was edited since is not put back, and the difference is told") {
    const test::TemporaryFolder folder("apply");
    const std::string path = folder.write("fstab", "one\ntwo\n");
    const auto edit = replace_file(path, "one\ntwo\n", "one\ntwo\nours\n", "s");
    REQUIRE(edit);
    (void)folder.write("fstab", "one\nours\ntheirs\n");
    const auto undo = plan_undo(*edit);
    REQUIRE(undo);
    CHECK(undo->difference == "- two\n+ ours\n+ theirs\n");
    CHECK_FALSE(carry_out(*undo));
    CHECK(*read_file(path) == "one\nours\ntheirs\n");

    const std::string rule = folder.path("61.rules");
    const auto made = replace_file(rule, std::nullopt, "rule\n", "s");
    REQUIRE(made);
    CHECK(made->backup.empty());
    REQUIRE(carry_out(*plan_undo(*made)));
    CHECK_FALSE(std::filesystem::exists(rule));
    CHECK(plan_undo(*made)->done);
}

TEST_CASE("apply: temporary files of killed writers are swept, others stay") {
    const test::TemporaryFolder folder("apply");
    const std::string path = folder.write("fstab", "");
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    REQUIRE(::waitpid(child, nullptr, 0) == child);  // a number that nobody has now
    const std::string dead = folder.write("fstab.tmp-" + std::to_string(child), "half");
    const std::string backup = folder.write("fstab.fsadvise-x.tmp-" + std::to_string(child), "half");
    const std::string living = folder.write("fstab.tmp-" + std::to_string(::getpid()), "half");
    const std::string theirs = folder.write("fstab.tmp-old", "kept");
    sweep_temporaries(path);
    CHECK_FALSE(std::filesystem::exists(dead));
    CHECK_FALSE(std::filesystem::exists(backup));
    CHECK(std::filesystem::exists(living));
    CHECK(std::filesystem::exists(theirs));
}

TEST_CASE("apply: rules for disks") {
    DiskIdentity disk;
    disk.name = "vdb";
    disk.size_bytes = 20ull << 30;
    disk.serial = "DATA-1";
    disk.by_id = {"/dev/disk/by-id/virtio-DATA-1"};
    const auto fits = [&](const std::string& text) {
        const auto rule = parse_match(text);
        REQUIRE_MESSAGE(rule, to_text(rule.error()));
        return matches(*rule, disk, "ssd");
    };
    for (const char* text :
         {"size>=10G", "size=20G", "size<=20G", "size<21G", "by-id=virtio-*", "by-id=/dev/disk/by-id/*",
          "name=vd?", "name!=sda", "serial=DATA*,size>1G", "media=ssd", " size >= 10G , name = vdb "})
        CHECK_MESSAGE(fits(text), text);
    for (const char* text :
         {"size>20G", "size>=10G,name=sd*", "by-id=nvme*", "by-id!=*DATA*", "model=?*", "media=hdd"})
        CHECK_MESSAGE(!fits(text), text);
    for (const char* text :
         {"", "size", "size>=", "size>=much", "bigness>=1G", "name>=vdb", "size!=1G", "name=vdb,,"}) {
        const auto rule = parse_match(text);
        REQUIRE_MESSAGE(!rule, text);
        CHECK(rule.error().code == ErrorCode::kUsage);
    }
    CHECK(parse_match("sise>=1G").error().message.find("did you mean 'size'") != std::string::npos);
    CHECK(parse_match("name=loop7")->names_virtual_disks());
    CHECK_FALSE(parse_match("name=*")->names_virtual_disks());
    CHECK_FALSE(parse_match("name!=loop7")->names_virtual_disks());
}

TEST_CASE("apply: names of what is made") {
    CHECK(default_label("postgres") == "postgres");
    CHECK(default_label("a very long workload name") == "averylongwor");
    CHECK(default_label("@@") == "data");
    for (const char* bad : {"", "-x", "with blank", "thirteenbytes", "a/b", "\xc3\xa4"})
        CHECK_FALSE(check_label(bad));
    CHECK(check_label("pg-data_1.x:"));

    Wish wish;
    wish.configuration = {"ext4", {}};
    wish.directory = "/srv";
    DiskIdentity disk;
    disk.serial = "S1";
    const std::string uuid = derived_uuid("machine", disk, wish);
    CHECK(uuid == derived_uuid("machine", disk, wish));
    CHECK(uuid.size() == 36);
    CHECK(uuid[14] == '8');
    CHECK(std::string("89ab").find(uuid[19]) != std::string::npos);
    CHECK(uuid.find_first_not_of("0123456789abcdef-") == std::string::npos);
    disk.attachment = "another boot";
    CHECK(uuid == derived_uuid("machine", disk, wish));  // a serial says more than a boot
    CHECK(uuid != derived_uuid("other machine", disk, wish));
    disk.serial = "S2";
    CHECK(uuid != derived_uuid("machine", disk, wish));
    disk.serial.clear();
    const std::string nameless = derived_uuid("machine", disk, wish);
    disk.attachment = "a third boot";
    CHECK(nameless != derived_uuid("machine", disk, wish));
}

TEST_CASE("apply: one disk is told from another") {
    DiskIdentity then;
    then.size_bytes = 1 << 30;
    then.attachment = "boot/vdb/7";
    DiskIdentity now = then;
    CHECK(difference(then, now).empty());
    now.attachment = "boot/vdb/8";
    CHECK(difference(then, now).find("attachment") != std::string::npos);
    then.serial = now.serial = "S1";
    CHECK(difference(then, now).empty());  // the same disk at another place
    now.serial = "S2";
    CHECK(difference(then, now) == "its serial was 'S1' and is 'S2'");
    now = then;
    now.size_bytes *= 2;
    CHECK(difference(then, now) == "its size was '1GiB' and is '2GiB'");
    CHECK(to_json(*disk_identity_from_json(to_json(then), "x")) == to_json(then));
}

TEST_CASE("apply: an advice is read back, and an edited one is refused") {
    const auto network = RuleNetwork::build(shipped());
    REQUIRE(network);
    Request request;
    request.workload = "postgres";
    request.host.kernel = "6.1";
    request.host.distribution = "debian";
    request.host.distribution_version = "12";
    request.host.device = BlockDevice{};
    request.host.device->size_bytes = 100ull << 30;
    request.host.device->media = "hdd";
    const auto advice = advise(shipped(), *network, request);
    REQUIRE_MESSAGE(advice, to_text(advice.error()));
    const nlohmann::json document = to_json(*advice, shipped());
    const auto read = [&](const nlohmann::json& text, int rank = 1) {
        return advised_from_text(shipped(), text.dump(), "a.json", rank);
    };
    for (std::size_t rank = 1; rank <= advice->ranked.size(); ++rank) {
        const auto advised = read(document, static_cast<int>(rank));
        REQUIRE_MESSAGE(advised, to_text(advised.error()));
        CHECK(canonical_text(advised->configuration) ==
              canonical_text(advice->ranked[rank - 1].configuration));
        CHECK(advised->request.workload == "postgres");
    }
    CHECK(read(document, 99).error().code == ErrorCode::kUsage);
    CHECK_FALSE(advised_from_text(shipped(), "{", "a.json", 1));
    CHECK_FALSE(advised_from_text(shipped(), "[]", "a.json", 1));
    CHECK_FALSE(advised_from_text(shipped(), "{}", "a.json", 1));

    auto edited = document;
    edited["schema_version"] = 99;
    CHECK(read(edited).error().message.find("schema version 99") != std::string::npos);
    edited = document;
    edited["ranked"][0]["mkfs"].push_back("; rm -rf /");
    CHECK(read(edited).error().message.find("not those of its configuration") != std::string::npos);
    edited = document;
    edited["ranked"][0]["configuration"]["values"]["ext4.mount.nonsense"] = 1;
    CHECK(read(edited).error().code == ErrorCode::kBadInput);
    edited = document;
    edited["ranked"][0]["block_settings"] = {{{"parameter", "block.scheduler"}, {"value", "fastest"}}};
    CHECK(read(edited).error().code == ErrorCode::kBadInput);
    edited["ranked"][0]["block_settings"] = {{{"parameter", "block.read_ahead_kb"}, {"value", 131072}}};
    CHECK(read(edited)->queue.size() == 1);
}

TEST_CASE("apply: the result for Terraform is a flat object of strings") {
    Hooked hooked;
    hooked.state = "formatted";
    hooked.changed = true;
    const auto flat = to_flat_json(hooked);
    for (const auto& value : flat) CHECK(value.is_string());
    CHECK(flat.at("changed") == "true");
    CHECK(to_json(hooked).at("changed") == true);
}
