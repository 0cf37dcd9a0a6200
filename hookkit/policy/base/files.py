"""Deleting and overwriting: the machine, the home, the project, whole disks."""

from hookkit.policy.base.table import each, rules
from hookkit.programs.paths import EMPTY, TOP

_SYSTEM = " ".join(f"/{name}" for name in TOP)
_DISKS = (
    "/dev/sd* /dev/hd* /dev/nvme* /dev/vd* /dev/xvd* /dev/disk* /dev/rdisk* /dev/mmcblk* /dev/mapper/* /dev/dm-*"
    " /dev/md* /dev/pmem* /dev/dax* /dev/ada* /dev/da0* /dev/da1* /dev/nda* /dev/vtbd* /dev/nbd* /dev/rbd* /dev/drbd*"
    " /dev/zd* /dev/zvol/* /dev/bcache* /dev/block/* /dev/mtd* /dev/ubi* /dev/mem /dev/kmem /dev/port"
)
# Looking at a disk, by programs whose other uses write to the disk.
_LOOKS = """
    Bash(sgdisk *)
    Bash(parted -l)
    Bash(parted -h *)
    Bash(parted ** print)
    Bash(parted ** unit ** print)
    Bash(wipefs -n *)
    Bash(wipefs --no-act *)
    Bash(wipefs -h *)
    Bash(blkdiscard -h *)
"""
_SGDISK = (
    "-Z -z -o -G -d -n -N -l -R -g -m -t -s -r --zap-all --zap --clear --randomize-guids --delete --new --largest-new"
    " --load-backup --replicate --mbrtogpt --gpttombr --typecode --sort --transpose"
)
_SCRATCH = "/tmp/* /var/tmp/* /private/tmp/* /dev/shm/* ~/.cache/*"  # noqa: S108 - named to be left alone
_EMPTY = "Bash(rmdir *)"  # deletes only empty directories
_TAKES = "This would delete, move or change the rights of"
_GIT = "objects objects/* refs refs/* logs logs/* packed-refs worktrees worktrees/* HEAD"

RULES = [
    *rules("delete.root", "deny", f"{_TAKES} every file on the machine.", "Delete(/)", unless=_EMPTY),
    *rules("delete.home", "deny", f"{_TAKES} your whole home directory.", "Delete(~)", unless=_EMPTY),
    *rules("delete.system", "deny", f"{_TAKES} a directory of the operating system.",
           each("Delete({})", _SYSTEM), unless=_EMPTY),
    *rules("delete.parent", "deny", f"{_TAKES} a directory that holds the project.", "Delete(..)",
           instead="name the directory inside the project", unless=_EMPTY),
    *rules("disk.overwrite", "deny", "This overwrites a disk, or the memory of the machine.",
           each("Write({})", _DISKS), unless=_LOOKS),
    *rules("disk.erase", "deny", "This erases or re-partitions a disk, or destroys a storage pool.", """
        Bash(diskutil eraseDisk *)
        Bash(diskutil eraseVolume *)
        Bash(diskutil zeroDisk *)
        Bash(diskutil randomDisk *)
        Bash(diskutil secureErase *)
        Bash(diskutil reformat *)
        Bash(diskutil partitionDisk *)
        Bash(diskutil apfs deleteContainer *)
        Bash(diskutil apfs deleteVolume *)
        Bash(zpool destroy *)
        Bash(zpool labelclear *)
        Bash(zfs destroy *)
        Bash(cryptsetup luksFormat *)
        Bash(cryptsetup erase *)
        Bash(cryptsetup luksErase *)
        Bash(nvme format *)
        Bash(nvme sanitize *)
        Bash(hdparm --security-erase *)
        """ + each("Bash(sgdisk {} *)", _SGDISK), unless="Bash(zfs destroy -n *)", runs=True),
    *rules("disk.volumes", "ask", "This deletes or stops a volume of a disk.", each("Bash({} *)",
           "lvremove vgremove pvremove badblocks") + """
        Bash(btrfs subvolume delete *)
        Bash(mdadm --zero-superblock *)
        Bash(mdadm --stop *)
        Bash(mdadm --remove *)
        """, unless="Bash(* --test *)\nBash(* -h *)"),
    *rules("disk.partition", "ask", "This changes the partitions of a disk, or wipes it.",
           each("Bash({} *)", "fdisk sfdisk gdisk cfdisk blkdiscard wipefs parted"),
           unless=each("Bash(* {} *)", "-l --list -h -V --version --dump") + f"Bash(sfdisk -d *){_LOOKS}"),
    *rules("delete.unset-variable", "ask", "This deletes below / if the variable is empty.", f"Delete({EMPTY})",
           unless=_EMPTY),
    *rules("delete.git", "ask", "This would delete commits, branches or the record of them.",
           "Delete(.git)\n" + each("Delete(.git/{})", _GIT), unless=_EMPTY),
    *rules("delete.project", "ask", "This would delete the whole project, with work that is not committed.",
           "Delete(.)", unless=_EMPTY),
    *rules("delete.outside", "ask", "This deletes files outside the project.", "Delete(!./*)",
           unless=each("Delete({})", f"{_SCRATCH} .") + f"\n{_EMPTY}"),
    *rules("delete.outside", "ask", "This deletes files outside the project.", "Bash(rm * ~/* *)",
           unless=f"Delete(./*)\nDelete(~/.cache/*)\nDelete(.)\n{_EMPTY}"),
    *rules("files.git-internals", "ask", "This overwrites git's own records: commits or branches may be lost.",
           each("Write|Edit(.git/{})", _GIT)),
    *rules("files.open-to-all", "ask", "This lets every user of the machine change these files.",
           each("Bash(chmod -R {} *)", "777 0777 a+rwx ugo+rwx a=rwx o+w a+w o+rwx 666 0666"), runs=True),
]  # fmt: skip
