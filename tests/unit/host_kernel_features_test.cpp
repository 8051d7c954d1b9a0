#include <doctest/doctest.h>

#include "host/kernel_features.h"

using namespace fsadvise;

TEST_CASE("a kernel configuration tells every feature") {
    const auto features = features_of_config(
        "CONFIG_QUOTA=y\n# CONFIG_UNICODE is not set\nCONFIG_XFS_QUOTA=m\nCONFIG_FS_DAX=n\n");
    CHECK_FALSE(features.at("quota"));  // the format of its files is missing
    CHECK(features.at("xfs_quota"));
    CHECK_FALSE(features.at("unicode"));
    CHECK_FALSE(features.at("dax"));
    CHECK(features_of_config("CONFIG_QUOTA=y\nCONFIG_QFMT_V2=m\n").at("quota"));
}

TEST_CASE("without a configuration only what the kernel shows is told") {
    FakeFileReader files;
    CHECK(probe_kernel_features(files, "6.1.0").empty());
    files.files["/proc/sys/fs/file-max"] = "1";
    files.files["/sys/fs/ext4/features/casefold"] = "supported";
    auto features = probe_kernel_features(files, "6.1.0");
    CHECK_FALSE(features.at("quota"));
    CHECK(features.at("unicode"));
    CHECK_FALSE(features.at("verity"));
    CHECK(features.count("xfs_v4") == 0);
    files.files["/boot/config-6.1.0"] = "CONFIG_XFS_SUPPORT_V4=y\n";
    CHECK(probe_kernel_features(files, "6.1.0").at("xfs_v4"));
    CHECK(probe_kernel_features(files, "6.1.1").count("xfs_v4") == 0);
}
