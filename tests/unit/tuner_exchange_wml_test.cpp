// filebench personalities. The ones below are written for this test, in the manner of the classic ones.
#include <cmath>

#include <doctest/doctest.h>

#include "tuner/exchange/exchange.h"

#include "tuner_exchange_support.h"

using namespace fsadvise;
using namespace fsadvise::testing;
using namespace fsadvise::tuner;

namespace {

WorkloadDocument imported(const std::string& text, bool lenient = false) {
    ImportOptions options;
    options.lenient = lenient;
    return must_import(import_text("mine.f", text, options));
}

std::string operations(const Stream& stream) {
    std::string text;
    for (const Step& step : stream.steps) text += (text.empty() ? "" : " ") + step.operation;
    return text;
}

void check_refused(const std::string& text, const std::vector<std::string>& parts) {
    check_bad_input(import_text("mine.f", text), parts);
}

constexpr const char* kSet = "define fileset name=s,path=/x,size=16k,entries=2000,dirwidth=20,prealloc\n";

}  // namespace

TEST_CASE("a file server: whole files written, appended to, read, removed and looked at") {
    const auto document = imported(
        "# files of many users\n"
        "set $count=5000\nset $clients=12\nset "
        "$mean=cvar(type=cvar-gamma,parameters=mean:131072;gamma:1.5)\nset mode quit firstdone\n"
        "define fileset name=\"share\",path=/x,size=$mean,entries=$count,dirwidth=20,prealloc=80\n"
        "define process name=users,instances=1 {\n"
        "  thread name=user,memsize=10m,instances=$clients {\n"
        "    flowop createfile name=c1,filesetname=share,fd=1\n"
        "    flowop writewholefile name=w1,srcfd=1,fd=1,iosize=256k\n"
        "    flowop closefile name=x1,fd=1\n"
        "    flowop openfile name=o1,filesetname=share,fd=1\n"
        "    flowop appendfilerand name=a1,iosize=16k,fd=1\n"
        "    flowop closefile name=x2,fd=1\n"
        "    flowop openfile name=o2,filesetname=share,fd=1\n"
        "    flowop readwholefile name=r1,fd=1,iosize=1m\n"
        "    flowop closefile name=x3,fd=1\n"
        "    flowop deletefile name=d1,filesetname=share\n"
        "    flowop statfile name=s1,filesetname=share\n"
        "  }\n}\n"
        "echo \"ready\"\nrun 60\n");
    REQUIRE(document.load.streams.size() == 1);
    const Stream& stream = document.load.streams[0];
    CHECK(operations(stream) == "create append read-file unlink stat");
    CHECK(stream.threads * stream.depth == 12);
    CHECK(stream.steps[0].block_bytes == 256u << 10);
    CHECK(stream.steps[1].block_bytes == 8192);
    CHECK(stream.steps[2].block_bytes == 1u << 20);
    const FileSet& set = document.load.file_sets[0];
    CHECK(set.files == 5000);
    CHECK(set.directory_width == 20);
    CHECK(static_cast<double>(set.size_max_bytes - set.size_min_bytes) / std::log(20.0) ==
          doctest::Approx(131072).epsilon(0.01));
    CHECK(has(document.traits, "many-small-files"));
    CHECK(has(document.traits, "namespace-heavy"));
    CHECK(has(document.notes, "prealloc=80"));
}

TEST_CASE("mail: deliver with fsync, read, mark with fsync") {
    const auto load = imported(std::string(kSet) +
                               "define process name=p {\n thread name=t,instances=16 {\n"
                               "  flowop deletefile name=d,filesetname=s\n"
                               "  flowop createfile name=c,filesetname=s,fd=1\n"
                               "  flowop appendfilerand name=a,iosize=16k,fd=1\n"
                               "  flowop fsync name=f,fd=1\n"
                               "  flowop closefile name=x,fd=1\n"
                               "  flowop openfile name=o,filesetname=s,fd=1\n"
                               "  flowop readwholefile name=r,fd=1,iosize=1m\n"
                               "  flowop appendfilerand name=b,iosize=16k,fd=1\n"
                               "  flowop fsync name=g,fd=1\n"
                               "  flowop closefile name=y,fd=1\n"
                               " }\n}\n");
    CHECK(operations(load.load.streams[0]) == "unlink create fsync read-file append fsync");
    CHECK(has(load.traits, "create-fsync"));
    CHECK(has(load.traits, "synchronous-commits"));
    CHECK_FALSE(load.load.flush_in_window);
}

TEST_CASE("web server and proxy: files opened and read whole, one log appended to") {
    const auto web = imported(std::string(kSet) +
                              "define fileset name=log,path=/x,size=1m,entries=1,prealloc\n"
                              "define process name=web,instances=2 {\n thread name=worker,instances=5 {\n"
                              "  flowop openfile name=o,filesetname=s,fd=3\n"
                              "  flowop readwholefile name=r,fd=3,iosize=1m,iters=2\n"
                              "  flowop closefile name=x,fd=3\n"
                              "  flowop openfile name=o2,filesetname=s,fd=3\n"
                              "  flowop closefile name=x2,fd=3\n"
                              "  flowop appendfilerand name=l,filesetname=log,iosize=16k,fd=9\n"
                              "  flowop opslimit name=lim\n"
                              " }\n}\n");
    const Stream& stream = web.load.streams[0];
    CHECK(operations(stream) == "read-file open-close append");
    CHECK(stream.steps[0].repeat == 2);
    CHECK(stream.steps[2].file_set == "log");
    CHECK(stream.threads * stream.depth == 10);
    CHECK(has(web.notes, "opslimit"));
}

TEST_CASE("a database: random direct reads, synchronous writes, a log") {
    const auto db = imported(
        "define file name=tables,path=/x,size=1g,prealloc,reuse\n"
        "define file name=journal,path=/x,size=64m,prealloc\n"
        "define process name=lw {\n thread name=logger {\n"
        "  flowop aiowrite name=w,filename=journal,iosize=256k,dsync,directio\n  flowop aiowait name=aw\n  "
        "flowop semblock name=sb,value=10\n }\n}\n"
        "define process name=rd,instances=3 {\n thread name=reader {\n"
        "  flowop read name=r,filename=tables,iosize=2k,random,directio\n  flowop hog name=h,value=1000\n  "
        "flowop delay name=z,value=0.5\n }\n}\n"
        "define process name=wr {\n thread name=writer {\n"
        "  flowop write name=w,filename=tables,iosize=2k,iters=10,random,dsync,directio\n }\n}\nrun\n");
    REQUIRE(db.load.streams.size() == 3);
    CHECK(operations(db.load.streams[0]) == "write fdatasync");
    CHECK(db.load.streams[0].steps[0].sequential);
    CHECK(operations(db.load.streams[1]) == "read think");
    CHECK(db.load.streams[1].steps[1].think_ns == 500'000'000);
    CHECK_FALSE(db.load.streams[1].steps[0].sequential);
    CHECK(db.load.streams[2].steps[0].repeat == 10);
    CHECK(db.load.streams[2].direct);
    CHECK(has(db.notes, "semblock"));
    CHECK(has(db.notes, "hog"));
    CHECK(has(db.traits, "database"));
}

TEST_CASE("what a personality says and a load cannot is named with its line") {
    const std::string in = std::string(kSet) + "define process name=p {\n thread name=t {\n";
    const std::string out = " }\n}\n";
    check_refused(in + "  flowop raed name=r,filesetname=s\n" + out,
                  {"mine.f:4", "raed", "did you mean 'read'"});
    check_refused(in + "  flowop read name=r,filesetname=q\n" + out, {"mine.f:4", "'q'"});
    check_refused(in + "  flowop read name=r,fd=7\n" + out, {"mine.f:4", "fd=7"});
    check_refused(in + "  flowop read name=r,filesetname=s,iosize=$none\n" + out, {"mine.f:4", "$none"});
    check_refused(in + "  flowop read name=r,filesetname=s,iosze=4k\n" + out,
                  {"mine.f:4", "iosze", "did you mean 'iosize'"});
    check_refused(in + "  flowop deletefile name=d,filesetname=s\n" + out, {"mine.f:4", "creates no files"});
    check_refused(in, {"mine.f:4", "flowop"});
    check_refused("define fileset name=s,size=1k\ndefine process name=p {\n}\n", {"mine.f:1", "entries"});
    check_refused("define fileset name=\"s\n", {"mine.f:1", "does not end"});
    check_refused("define flowop name=x {\n}\n", {"mine.f:1", "composite"});
    check_refused(std::string(kSet), {"no thread"});
    const auto document =
        imported(in + "  flowop frobnicate name=r\n  flowop statfile name=s1,filesetname=s\n" + out, true);
    CHECK(operations(document.load.streams[0]) == "stat");
    CHECK(has(document.notes, "mine.f:4"));
}
