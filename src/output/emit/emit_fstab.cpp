// fstab(5): the mount of a filesystem that is there; mkfs options have no place in it.
#include <fmt/format.h>

#include "base/fstab_field.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {

Result<Emitted> emit_fstab(const EmitPlan& plan) {
    Emitted emitted;
    lose_mkfs(plan, "fstab", emitted.lost);
    lose_settings(plan, "fstab", emitted.lost);
    std::string text = head_comment(
        plan, "Mounts what carries this label; nothing is formatted, whatever is on the disk.", emitted.lost);
    text += comment_lines(fmt::format("To format: {}", mkfs_line(plan)));
    text += fmt::format("{} {} {} {} 0 {}\n", plan.spec(), escape_fstab_field(plan.directory),
                        plan.filesystem, escape_fstab_field(plan.options_text()), plan.fstab_pass);
    emitted.files.push_back({"fstab", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
