// A playbook with community.general.filesystem and ansible.posix.mount. Source: the documentation of both
// modules.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "output/emit/emit_parts.h"

namespace fsadvise {

Result<Emitted> emit_ansible(const EmitPlan& plan) {
    Emitted emitted;
    const auto [files, commands] = settings_parts(plan);
    std::vector<std::string> options = plan.mkfs_options;
    if (!plan.label_flag.empty()) options.insert(options.begin(), {plan.label_flag, plan.label});
    // The module splits at blanks and knows no quotes.
    const bool blank = std::ranges::any_of(
        options, [](const std::string& word) { return word.find(' ') != std::string::npos; });
    if (blank)
        return fail(ErrorCode::kUnavailable,
                    "an mkfs option holds a blank, which community.general.filesystem splits", "ansible",
                    "use --format shell");
    std::string text = "---\n";
    text += head_comment(
        plan,
        "A filesystem of this type is kept as it is, and changed options do not reach it; one of another "
        "type makes the task fail.",
        emitted.lost);
    text += fmt::format("- name: {}\n  hosts: all\n  become: true\n  tasks:\n", json_quoted(plan.title));
    text += fmt::format(
        "    - name: Install the tools\n      ansible.builtin.package:\n        name: {}\n        state: "
        "present\n",
        json_quoted(plan.tool));
    text += fmt::format(
        "    - name: Make the filesystem\n      community.general.filesystem:\n        dev: {}\n        "
        "fstype: {}\n        opts: {}\n        force: false\n",
        json_quoted(plan.device), plan.filesystem, json_quoted(join(options, " ")));
    text += fmt::format(
        "    - name: Mount it, now and at boot\n      ansible.posix.mount:\n        path: {}\n        src: "
        "{}\n        fstype: {}\n"
        "        opts: {}\n        dump: \"0\"\n        passno: \"{}\"\n        state: mounted\n",
        json_quoted(plan.directory), json_quoted(plan.spec()), plan.filesystem,
        json_quoted(plan.options_text()), plan.fstab_pass);
    for (const SettingsFile& file : files)
        text += fmt::format(
            "    - name: {}\n      ansible.builtin.copy:\n        dest: {}\n        content: {}\n        "
            "mode: \"0644\"\n",
            json_quoted("Write " + file.path), json_quoted(file.path), json_quoted(file.content));
    for (const std::string& command : commands)
        text += fmt::format("    - name: {}\n      ansible.builtin.command: {}\n      changed_when: false\n",
                            json_quoted("Run " + command), json_quoted(command));
    emitted.files.push_back({"playbook.yml", std::move(text)});
    return emitted;
}

}  // namespace fsadvise
