// Puts the sections together: head, style, cover, one article a study, scripts.
#include <fmt/format.h>

#include "base/text.h"
#include "output/report/html.h"
#include "output/report/parts.h"
#include "output/report/report.h"
#include "output/text_parts.h"

namespace fsadvise {
namespace {

constexpr std::size_t kMostLogoBytes = 512u << 10;

// Colours with a contrast of at least 4.5 on their ground; the six of groups differ in lightness too.
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--block:#f6f8fa;--mark:#0550ae;
--g0:#0550ae;--g1:#b35900;--g2:#116329;--g3:#82071e;--g4:#6639ba;--g5:#57606a}
@media (prefers-color-scheme:dark){:root{--ground:#0d1117;--text:#e6edf3;--soft:#9da7b3;--line:#30363d;--block:#161b22;--mark:#79c0ff;
--g0:#79c0ff;--g1:#ffa657;--g2:#7ee787;--g3:#ff7b72;--g4:#d2a8ff;--g5:#9da7b3}}
*{box-sizing:border-box}body{margin:0 auto;max-width:60rem;padding:2rem 1.25rem 4rem;background:var(--ground);color:var(--text);
font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif}
h1{font-size:1.9rem;line-height:1.2;margin:.2em 0}h2{font-size:1.45rem;margin:2.5rem 0 .5rem;border-bottom:2px solid var(--line);padding-bottom:.3rem}
h3{font-size:1.15rem;margin:2rem 0 .5rem}h4{font-size:1rem;margin:1.2rem 0 .3rem}
.cover{display:flex;gap:1rem;justify-content:space-between;align-items:flex-start}.cover img{max-height:72px;max-width:220px}
.for{color:var(--soft);margin:0}.verdict{font-size:1.15rem;font-weight:600;border-left:4px solid var(--mark);padding:.4rem .8rem;background:var(--block)}
code,pre{font:.88em/1.45 ui-monospace,"DejaVu Sans Mono","Liberation Mono",monospace}code{overflow-wrap:anywhere}
pre{background:var(--block);border:1px solid var(--line);border-radius:6px;padding:.8rem;overflow-x:auto}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.92rem;margin:.8rem 0}caption{text-align:left;color:var(--soft);padding:.2rem 0}
th,td{border-bottom:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top}th{font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums}td.number{white-space:nowrap}
figure{margin:1rem 0}figcaption{font-weight:600;margin-bottom:.3rem}.chart{width:100%;height:auto;max-width:46rem}.live{width:100%}
.chart text{fill:var(--text);font-size:12px}.chart .tick{fill:var(--soft)}.end{text-anchor:end}.middle{text-anchor:middle}
.grid{stroke:var(--line)}.reference{stroke:var(--soft);stroke-dasharray:5 4}.line{fill:none;stroke:var(--mark);stroke-width:2}
.c0{fill:var(--g0);stroke:var(--g0)}.c1{fill:var(--g1);stroke:var(--g1)}.c2{fill:var(--g2);stroke:var(--g2)}.c3{fill:var(--g3);stroke:var(--g3)}.c4{fill:var(--g4);stroke:var(--g4)}.c5{fill:var(--g5);stroke:var(--g5)}
.muted{fill:var(--soft);stroke:var(--soft)}line.c0,line.c1,line.c2,line.muted{stroke-width:3}
.legend span{margin-right:1rem;font-size:.9rem}nav ul{columns:2;padding-left:1.2rem}a{color:var(--mark)}footer{margin-top:3rem;color:var(--soft);font-size:.88rem}
@media print{:root{--ground:#fff;--text:#000;--soft:#444;--line:#bbb;--block:#f4f4f4;--mark:#0550ae;--g0:#0550ae;--g1:#b35900;--g2:#116329;--g3:#82071e;--g4:#6639ba;--g5:#57606a}
body{max-width:none;padding:0;font-size:10.5pt}nav{display:none}figure,tr,pre{break-inside:avoid}h2,h3{break-after:avoid}details>*{display:block}article+article{break-before:page}}
)css";

// Replaces each static chart by a live one; on any error the static one stays.
constexpr std::string_view kDraw = R"js(
(function(){if(typeof vegaEmbed!=="function")return;
var dark=window.matchMedia&&matchMedia("(prefers-color-scheme: dark)").matches;
document.querySelectorAll("figure").forEach(function(f){var s=f.querySelector("script.vega-lite");if(!s)return;
var live=f.querySelector(".live"),still=f.querySelector(".static"),svg=still.querySelector("svg");
live.hidden=false;live.style.width="100%";
vegaEmbed(live,JSON.parse(s.textContent),{actions:false,renderer:"svg",ast:true,theme:dark?"dark":undefined,config:{background:"transparent"}})
.then(function(){live.setAttribute("role","img");if(svg)live.setAttribute("aria-label",svg.getAttribute("aria-label"));
if(window.matchMedia&&matchMedia("print").matches)return;still.hidden=true})
.catch(function(e){live.hidden=true;console.error(e)})})})();
)js";

struct Part {
    const char* id;
    const char* title;
    std::string (*section)(const SectionInput&);
};
constexpr Part kParts[] = {{"summary", "Summary", summary_section},
                           {"commands", "What to run", commands_section},
                           {"confirmed-differences", "Confirmed comparison", confirmation_section},
                           {"latencies", "Latency", latency_section},
                           {"compromises", "Best compromises", front_section},
                           {"search", "What was tried", search_section},
                           {"alternatives", "Alternatives and rejected options", alternatives_section},
                           {"risk", "Risk and durability", risk_section},
                           {"operations", "Operations", operations_section},
                           {"host", "Machine and workload", host_section},
                           {"sources", "Sources", sources_section},
                           {"reproduce", "Reproduce", reproduce_section}};

std::string article(const ReportedStudy& study, const Knowledge& knowledge, std::size_t number,
                    std::size_t of) {
    const SectionInput input{study, knowledge, of > 1 ? fmt::format("s{}-", number) : ""};
    std::string body, links;
    for (const Part& part : kParts) {
        const std::string text = part.section(input);
        if (text.empty()) continue;
        links += fmt::format("<li><a href=\"#{}{}\">{}</a></li>\n", input.prefix, part.id, part.title);
        body += text;
    }
    std::string title = study.advice.workload_title;
    if (!study.name.empty()) title += ": " + study.name;
    return fmt::format(
        "<article>\n<h2>{}</h2>\n<nav aria-label=\"Contents of {}\"><ul>\n{}</ul></nav>\n{}</article>\n",
        escaped(title), escaped(title), links, body);
}

// One line a study, for a file of several.
std::string comparison(const std::vector<ReportedStudy>& studies, const Knowledge& knowledge) {
    if (studies.size() < 2) return "";
    HtmlTable table{"The studies side by side",
                    {"study", "workload", "advice", "against the default", "verdict"},
                    {},
                    {3}};
    for (const ReportedStudy& study : studies) {
        const Advice& advice = study.advice;
        const bool any = !advice.ranked.empty();
        table.rows.push_back(
            {study.name, advice.workload_title,
             any ? "`" + configuration_words(knowledge, advice.ranked.front().configuration) : "none",
             any && advice.ranked.front().effect ? effect_text(*advice.ranked.front().effect) : "",
             advice.measured ? advice.measured->verdict : "not measured"});
    }
    return "<section aria-labelledby=\"side-by-side\"><h2 id=\"side-by-side\">Side by side</h2>\n" +
           table.html() + "</section>\n";
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        const std::size_t held = std::min<std::size_t>(3, bytes.size() - i);
        for (std::size_t j = 0; j < 3; ++j)
            group = (group << 8) | (j < held ? static_cast<unsigned char>(bytes[i + j]) : 0u);
        for (std::size_t j = 0; j < 4; ++j) out += j <= held ? kLetters[(group >> (18 - 6 * j)) & 63] : '=';
    }
    return out;
}

}  // namespace

Result<std::string> logo_url(const std::string& bytes, const std::string& name) {
    if (bytes.size() > kMostLogoBytes)
        return fail(ErrorCode::kBadInput, "the logo is larger than 512 KiB", name, "scale it down");
    const std::string_view text = bytes;
    const char* type = text.starts_with("\x89PNG")                                  ? "image/png"
                       : text.starts_with("\xff\xd8\xff")                           ? "image/jpeg"
                       : text.starts_with("GIF8")                                   ? "image/gif"
                       : text.starts_with("RIFF") && text.substr(8, 4) == "WEBP"    ? "image/webp"
                       : text.substr(0, 512).find("<svg") != std::string_view::npos ? "image/svg+xml"
                                                                                    : nullptr;
    if (type == nullptr)
        return fail(ErrorCode::kBadInput, "the logo is no PNG, JPEG, GIF, WebP or SVG", name,
                    "name an image file");
    return fmt::format("data:{};base64,{}", type, base64(bytes));  // in an <img> an SVG runs no script
}

std::string render_html(const std::vector<ReportedStudy>& studies, const Knowledge& knowledge,
                        const ReportCover& cover) {
    const std::string subject = studies.size() == 1 ? studies.front().advice.workload_title
                                                    : fmt::format("{} studies", studies.size());
    const std::string title = "Filesystem advice: " + subject;
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\">\n";
    out += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escaped(title), kStyle);
    out += fmt::format(
        "<header class=\"cover\"><div><h1>{}</h1>\n{}</div>{}</header>\n<main>\n", escaped(title),
        cover.customer.empty() ? "" : "<p class=\"for\">for " + escaped(cover.customer) + "</p>\n",
        cover.logo.empty() ? ""
                           : fmt::format("<img src=\"{}\" alt=\"Logo{}\">", escaped(cover.logo),
                                         cover.customer.empty() ? "" : " of " + escaped(cover.customer)));
    out += comparison(studies, knowledge);
    for (std::size_t i = 0; i < studies.size(); ++i)
        out += article(studies[i], knowledge, i + 1, studies.size());
    out +=
        "</main>\n<footer>Made by fsadvise. The file holds everything it shows; it loads nothing.</footer>\n";
    if (const std::string_view bundle = chart_bundle();
        !bundle.empty() && out.find("class=\"vega-lite\"") != std::string::npos)
        out += fmt::format("<script>{}</script>\n<script>{}</script>\n", bundle, kDraw);
    return out + "</body>\n</html>\n";
}

}  // namespace fsadvise
