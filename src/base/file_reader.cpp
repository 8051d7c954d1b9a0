#include "base/file_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/fd.h"

namespace fsadvise {

std::optional<std::string> SystemFileReader::read(const std::string& path) const {
    auto content = read_file(root_ + path, 64u << 20);
    if (!content) return std::nullopt;
    return std::move(*content);
}

std::vector<std::string> SystemFileReader::list(const std::string& path) const {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(root_ + path, error), end; !error && it != end;
         it.increment(error)) {
        names.push_back(it->path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<std::string> SystemFileReader::link(const std::string& path) const {
    std::error_code error;
    auto target = std::filesystem::read_symlink(root_ + path, error);
    if (error) return std::nullopt;
    return target.string();
}

std::optional<std::string> FakeFileReader::read(const std::string& path) const {
    accesses.push_back(path);
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
}

std::vector<std::string> FakeFileReader::list(const std::string& path) const {
    accesses.push_back(path);
    const std::string prefix = path.empty() || path.back() == '/' ? path : path + "/";
    std::vector<std::string> names;
    const auto collect = [&](const std::map<std::string, std::string>& entries) {
        for (auto it = entries.lower_bound(prefix); it != entries.end() && it->first.starts_with(prefix);
             ++it) {
            const std::string rest = it->first.substr(prefix.size());
            names.push_back(rest.substr(0, rest.find('/')));
        }
    };
    collect(files);
    collect(links);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::optional<std::string> FakeFileReader::link(const std::string& path) const {
    accesses.push_back(path);
    const auto found = links.find(path);
    if (found == links.end()) return std::nullopt;
    return found->second;
}

}  // namespace fsadvise
