# Database recipes as an article of 2024 gives them; checked by check-recipes.sh, never to be run.
mkfs.ext4 -O ^has_journal -E lazy_itable_init=0,lazy_journal_init=0 /dev/vdb1
mount -o noatime,nodiratime,nobarrier,data=ordered /dev/vdb1 /var/lib/postgresql
mkfs.xfs -f -m reflink=0 -d agcount=4 -l size=128m -n size=8192 /dev/vdb1
mount -o noatime,nodiratime,nobarrier,allocsize=1m,largeio,inode64 /dev/vdb1 /var/lib/postgresql
mkfs.btrfs -f -m single -d single /dev/vdb1
mount -o noatime,nodiratime,nospace_cache,autodefrag /dev/vdb1 /var/lib/postgresql
# and its web server recipes
mkfs.ext4 -O ^has_journal -E lazy_itable_init=0 /dev/vdb1
mount -o noatime,nodiratime,data=writeback /dev/vdb1 /var/www
mkfs.xfs -f -m reflink=0 -d agcount=4 /dev/vdb1
mount -o noatime,nodiratime,allocsize=256k /dev/vdb1 /var/www
mkfs.btrfs -f -m single -d single /dev/vdb1
mount -o noatime,nodiratime,compress=zstd:1,autodefrag /dev/vdb1 /var/www
