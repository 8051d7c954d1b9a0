// Advice for people at a terminal.
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

class TextWriter {
  public:
    TextWriter(const Advice& advice, const Knowledge& knowledge, const TextStyle& style)
        : advice_(advice), knowledge_(knowledge), style_(style), paint_(style.color) {}

    std::string write() {
        header();
        if (!advice_.ranked.empty()) {
            commands(advice_.ranked.front());
            reasons(advice_.ranked.front());
        }
        if (!advice_.ranked.empty()) block_settings(advice_.ranked.front());
        measured();
        runners_up();
        list("Not considered", advice_.excluded);
        rejected();
        application();
        warnings();
        confidence();
        return std::move(out_);
    }

  private:
    void line(const std::string& text = {}) { out_ += text + "\n"; }
    void title(const std::string& text) {
        line();
        line(paint_.bold(text));
    }
    void item(const std::string& text) { line(wrap(text, style_.width, "  - ", "    ")); }
    void body(const std::string& text, std::string_view indent = "    ") {
        line(wrap(text, style_.width, indent, indent));
    }

    void block_settings(const Recommendation& best) {
        if (best.settings.empty()) return;
        title("Block layer (shown, not applied)");
        for (const BlockSetting& setting : best.settings) {
            line("  " + setting.line);
            body(setting.why + " [" + setting.rule + "; " + setting.goes_to + "]");
        }
    }

    void header() {
        const std::string name =
            advice_.workload_title.empty() ? advice_.request.workload : advice_.workload_title;
        if (advice_.ranked.empty()) {
            line(paint_.bold("No filesystem fits " + name + " on this target."));
        } else {
            const Recommendation& best = advice_.ranked.front();
            std::string text =
                name + ": " + paint_.green(filesystem_title(knowledge_, best.configuration.filesystem));
            if (best.configuration.values.empty()) text += " with default options";
            if (best.effect && best.effect->ratio != 1.0 && !is_prediction(*best.effect))
                text += ", " + effect_text(*best.effect);
            line(paint_.bold(text));
        }
        line(wrap("for " + host_line(advice_.request.host) +
                      "; durability: " + advice_.request.requirements.durability,
                  style_.width, "", "    "));
    }

    void commands(const Recommendation& best) {
        const std::string device = device_word(advice_.request);
        const std::string directory = mount_point_of(advice_.request, knowledge_);
        const Filesystem* filesystem = knowledge_.filesystem(best.configuration.filesystem);
        title("Commands");
        line("  " + shell_join(best.commands.mkfs_argv(device)));
        line("  " + shell_join(best.commands.mount_argv(device, directory)));
        line("  fstab: " + best.commands.fstab_line("UUID=<from blkid>", directory,
                                                    filesystem != nullptr ? filesystem->fstab_pass : 0));
    }

    void sources(const std::vector<std::string>& sources) {
        constexpr std::size_t kShown = 2;  // the rest is in --json
        for (std::size_t i = 0; i < sources.size() && i < kShown; ++i) {
            line(paint_.dim(
                wrap(source_text(knowledge_, sources[i]), style_.width, "      source: ", "        ")));
        }
        if (sources.size() > kShown)
            line(paint_.dim(fmt::format("      and {} more", sources.size() - kShown)));
    }

    void reasons(const Recommendation& best) {
        title("Why");
        for (const Choice& choice : best.choices) {
            const std::string strength = choice.strength.empty() ? "" : " [" + choice.strength + "]";
            const std::string spelled = choice.parameter == "filesystem"
                                            ? filesystem_title(knowledge_, best.configuration.filesystem)
                                            : choice.spelled;
            line("  " + paint_.bold(spelled) + strength + (choice.rule.empty() ? "" : "  " + choice.rule));
            body(choice.why);
            sources(choice.sources);
        }
        list("What it costs", best.against);
    }

    void measured() {
        if (!advice_.measured) return;
        const MeasuredSummary& measured = *advice_.measured;
        title("Measured");
        item((measured.material ? paint_.green(measured.verdict) : measured.verdict));
        item(fmt::format("{} trials, {} of them failed; default for comparison: {}", measured.trials,
                         measured.failed, measured.anchor));
        item("metric: " + measured.metric);
        if (!measured.objective.empty()) item("objective: " + measured.objective);
        item("stands for: " + measured.stands_for);
        for (const std::string& text : measured.drifts) item(paint_.yellow("drift: " + text));
        for (const std::string& text : measured.outliers) item("outlier: " + text);
        if (!measured.repeats.empty()) item("repeats: " + measured.repeats);
        if (!measured.complete)
            item(paint_.yellow("the study is not finished; go on with: fsadvise tune --resume --study " +
                               shell_quote(measured.study)));
        std::vector<std::string> front;
        for (const FrontEntry& entry : measured.front)
            front.push_back(canonical_text(entry.configuration) + ": " + entry.text);
        list("Best compromises: no other measured configuration is better in every figure", front);
        list("Break a constraint", measured.violations);
        list("Fitted effects against each filesystem's own default", measured.effects);
    }

    void runners_up() {
        if (advice_.ranked.size() < 2) return;
        title("Runners-up");
        for (std::size_t i = 1; i < advice_.ranked.size(); ++i) {
            const Recommendation& other = advice_.ranked[i];
            std::string text = filesystem_title(knowledge_, other.configuration.filesystem);
            if (other.effect && !is_prediction(*other.effect)) text += ", " + effect_text(*other.effect);
            line("  " + paint_.bold(text));
            line("    " + shell_join(other.commands.mkfs_argv("DEVICE")) +
                 (other.commands.mount_options.empty() ? "" : "   mount -o " + other.commands.mount_options));
            for (const std::string& reason : other.against)
                line(wrap(reason, style_.width, "    - ", "      "));
        }
    }

    // In full what concerns the recommended filesystem, by name what concerns the others.
    void rejected() {
        if (advice_.rejected.empty()) return;
        title("Often recommended, rejected here");
        const std::string winner =
            advice_.ranked.empty() ? "" : advice_.ranked.front().configuration.filesystem;
        std::map<std::string, std::vector<std::string>> others;
        for (const Rejected& entry : advice_.rejected) {
            const std::string versions = entry.versions.empty() ? "" : " (" + entry.versions + ")";
            if (entry.filesystem.empty() || winner.empty() || entry.filesystem == winner) {
                item(entry.option + ": " + entry.why + versions);
            } else {
                others[entry.filesystem].push_back(entry.option);
            }
        }
        for (const auto& [filesystem, options] : others) {
            item("on " + filesystem_title(knowledge_, filesystem) + ": " + join(options, "; ") +
                 " (reasons: --json)");
        }
    }

    void application() {
        if (advice_.application.empty()) return;
        title("Settings of the application that belong with it");
        for (const ApplicationSetting& setting : advice_.application) {
            item(fmt::format("{}: {} = {}: {}", setting.application, setting.name, setting.value,
                             setting.why));
        }
    }

    void warnings() {
        std::vector<std::string> all = advice_.warnings;
        if (!advice_.ranked.empty()) {
            const auto& own = advice_.ranked.front().warnings;
            all.insert(all.end(), own.begin(), own.end());
        }
        if (!all.empty()) {
            title("Warnings");
            for (const std::string& warning : all) item(paint_.yellow(warning));
        }
        list("Notes", advice_.notes);
    }

    // What the model lets expect of each, one line together.
    void expectations() {
        std::vector<std::string> parts;
        std::string basis;
        for (const Recommendation& entry : advice_.ranked) {
            if (!entry.effect || !is_prediction(*entry.effect)) continue;
            parts.push_back(filesystem_title(knowledge_, entry.configuration.filesystem) + " " +
                            effect_text(*entry.effect));
            if (basis.empty()) basis = entry.effect->basis;
        }
        if (!parts.empty())
            body("Against the default of ext4: " + join(parts, "; ") + "; " + basis + ".", "  ");
    }

    void confidence() {
        title("Confidence: " + advice_.confidence.word);
        body(advice_.confidence.rests_on, "  ");
        expectations();
        if (!advice_.prove_command.empty()) {
            line();
            line("Prove it on your disk:");
            line("  " + advice_.prove_command);
        }
    }

    void list(const std::string& heading, const std::vector<std::string>& entries) {
        if (entries.empty()) return;
        title(heading);
        for (const std::string& entry : entries) item(entry);
    }

    const Advice& advice_;
    const Knowledge& knowledge_;
    TextStyle style_;
    Palette paint_;
    std::string out_;
};

}  // namespace

std::string render_text(const Advice& advice, const Knowledge& knowledge, const TextStyle& style) {
    return TextWriter(advice, knowledge, style).write();
}

}  // namespace fsadvise
