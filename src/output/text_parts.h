// Pieces that the text, shell and Markdown renderers share.
#pragma once

#include <string>
#include <vector>

#include "advice/advice.h"
#include "output/render.h"

namespace fsadvise {

// ANSI colours, empty strings when colour is off.
class Palette {
  public:
    explicit Palette(bool on) : on_(on) {}
    [[nodiscard]] std::string bold(const std::string& text) const { return paint("1", text); }
    [[nodiscard]] std::string green(const std::string& text) const { return paint("32", text); }
    [[nodiscard]] std::string yellow(const std::string& text) const { return paint("33", text); }
    [[nodiscard]] std::string red(const std::string& text) const { return paint("31", text); }
    [[nodiscard]] std::string dim(const std::string& text) const { return paint("2", text); }

  private:
    [[nodiscard]] std::string paint(const char* code, const std::string& text) const {
        return on_ ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
    }
    bool on_;
};

// Source as people read it: an evidence record as "title (date): what it says", anything else as it is.
std::string source_text(const Knowledge& knowledge, const std::string& source);
// "Linux 6.18.44, Debian 12, 4 cores, 16 GiB memory, disk: unknown".
std::string host_line(const Host& host);
// "+8.1 % (95 % interval +6.0 to +10.3 %)".
std::string effect_text(const EffectEstimate& effect);
// A prediction of the model: shown as such, never as a result.
bool is_prediction(const EffectEstimate& effect);
// Device to write in commands: the stable name, the path, or a placeholder.
std::string device_word(const Request& request);
std::string mount_point_of(const Request& request, const Knowledge& knowledge);
std::string filesystem_title(const Knowledge& knowledge, const std::string& id);

}  // namespace fsadvise
