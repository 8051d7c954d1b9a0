#include <random>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/interrupt.h"
#include "tuner/capture/watchers.h"

namespace fsadvise::tuner {
namespace {

constexpr std::size_t kMostPending = 100'000;

// Reading a directory sets its access time; whoever owns it may ask for that not to happen.
Fd open_directory(const std::string& path) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Fd directory(::open(path.c_str(), kFlags | O_NOATIME));
    if (!directory.valid() && errno == EPERM) directory = Fd(::open(path.c_str(), kFlags));
    return directory;
}

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

TreeFacts walk(const std::string& path, std::chrono::milliseconds limit, std::size_t most_entries) {
    TreeFacts facts;
    struct stat top {};
    if (::stat(path.c_str(), &top) != 0) return facts;
    const auto stop = std::chrono::steady_clock::now() + limit;
    std::vector<std::string> pending = {path};
    std::mt19937 random(1);  // the same tree, the same sample
    std::size_t entries = 0;
    while (!pending.empty()) {
        const std::size_t chosen = random() % pending.size();
        std::swap(pending[chosen], pending.back());
        const std::string folder = std::move(pending.back());
        pending.pop_back();
        Fd opened = open_directory(folder);
        if (!opened.valid()) continue;
        std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(opened.get()));
        if (!directory) continue;
        const int number = opened.release();  // closed with the stream
        ++facts.directories;
        while (const dirent* entry = ::readdir(directory.get())) {
            const std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            const bool late =
                entries % 256 == 0 && (std::chrono::steady_clock::now() > stop || interrupted() != 0);
            if (++entries > most_entries || late) {
                facts.complete = false;
                std::sort(facts.sizes.begin(), facts.sizes.end());
                return facts;
            }
            struct stat status {};
            if (::fstatat(number, entry->d_name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0)
                continue;
            if (status.st_dev != top.st_dev) continue;
            if (S_ISDIR(status.st_mode)) {
                if (pending.size() < kMostPending) {
                    pending.push_back(folder + "/" + name);
                } else {
                    facts.complete = false;
                }
            } else if (S_ISREG(status.st_mode)) {
                ++facts.files;
                facts.bytes += static_cast<std::uint64_t>(status.st_size);
                facts.sizes.push_back(static_cast<std::uint64_t>(status.st_size));
            }
        }
    }
    std::sort(facts.sizes.begin(), facts.sizes.end());
    return facts;
}

}  // namespace fsadvise::tuner
