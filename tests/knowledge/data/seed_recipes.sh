# Six recipes for a database and a web server, as a hosting article published them in good faith.
# Source: "VPS Filesystem Optimization: Benchmarking ext4, XFS, and Btrfs for Database and Web Workloads".
# On Linux 6.x only the last two mount; tests format and mount all six and compare with what lint says.

# 1: ext4, database
mkfs.ext4 -O ^has_journal -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb1
mount -o noatime,nodiratime,nobarrier,data=ordered /dev/vdb1 /var/lib/postgresql

# 2: XFS, database
mkfs.xfs -f -m reflink=0 -d agcount=4 -l size=128m -n size=8192 /dev/vdb1
mount -o noatime,nodiratime,nobarrier,allocsize=1m,largeio,inode64 /dev/vdb1 /var/lib/postgresql

# 3: Btrfs, database
mkfs.btrfs -f -m single -d single /dev/vdb1
mount -o noatime,nodiratime,nospace_cache,autodefrag /dev/vdb1 /var/lib/postgresql
chattr +C /var/lib/postgresql

# 4: ext4, web server
mkfs.ext4 -O ^has_journal -E lazy_itable_init=0 /dev/vdb1
mount -o noatime,nodiratime,data=writeback /dev/vdb1 /var/www

# 5: XFS, web server
mkfs.xfs -f -m reflink=0 -d agcount=4 /dev/vdb1
mount -o noatime,nodiratime,allocsize=256k /dev/vdb1 /var/www

# 6: Btrfs, web server
mkfs.btrfs -f -m single -d single /dev/vdb1
mount -o noatime,nodiratime,compress=zstd:1,autodefrag /dev/vdb1 /var/www
