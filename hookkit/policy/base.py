"""The policy that ships: stops the well-known disasters, asks on the doubtful, blocks nothing ordinary.

Rows of verdict, pattern, reason, and a way out where there is one.
"""

_ROOT = "It would take far more with it than a project."
_DISK = "It writes to a whole disk."
_LOST = "Work that is not committed would be lost."
_SHARED = "Others work with what this changes."
_CREDENTIALS = "These are credentials; they do not belong in a conversation."
_GUARD = "It changes the rules that guard this session."
_STRANGER = "It runs what a server sends, unseen."
_HOST = "It changes the machine, not the project."
_DATA = "It destroys data that no commit brings back."
_PUBLIC = "It makes something public."

_TOP = (
    "/ /\\* /bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /sbin /srv /sys /usr /var /Users /System /Library"
)
_KEYS = "~/.ssh/* ~/.aws/* ~/.gnupg/* ~/.netrc ~/.kube/config ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.config/gh/*"
_SHELLS = "sh bash zsh dash ksh fish python python3 perl ruby node"
_DISKS = "/dev/sd* /dev/hd* /dev/nvme* /dev/vd* /dev/xvd* /dev/disk* /dev/mmcblk* /dev/mapper/*"
_MKFS = "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat"
_START = "~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zprofile ~/.zshenv ~/.config/fish/config.fish"

RULES: tuple[tuple[str, ...], ...] = (
    # What cannot be undone.
    *(("deny", f"Delete({path})", _ROOT) for path in _TOP.split()),
    ("deny", "Delete(~)", _ROOT),
    ("deny", "Delete(~/\\*)", _ROOT),
    ("deny", "Delete(..)", _ROOT, "name the directory inside the project"),
    ("ask", "Delete(.)", _LOST),
    ("ask", "Delete(./\\*)", _LOST),
    ("ask", "Delete(.git)", "The history goes with it."),
    *(("deny", f"Bash({program} -R * {path})", _ROOT)
      for program in ("chmod", "chown", "chgrp") for path in ("/", "~")),
    *(("deny", f"Write({disk})", _DISK) for disk in _DISKS.split()),
    *(("deny", f"Bash({tool} *)", _DISK)
      for tool in (*_MKFS.split(), "mke2fs", "wipefs", "fdisk", "sfdisk", "parted")),
    # What a stranger sends.
    *(("deny", f"Bash({get} * | {shell})", _STRANGER, "download it, read it, then run it")
      for get in ("curl", "wget") for shell in _SHELLS.split()),
    # Credentials, and the rules themselves.
    *(("deny", f"Read({path})", _CREDENTIALS) for path in _KEYS.split()),
    *(("deny", f"Write({path})", _CREDENTIALS) for path in _KEYS.split()),
    *(("deny", f"Edit({path})", _CREDENTIALS) for path in _KEYS.split()),
    *(("ask", f"{tool}({path})", _GUARD) for tool in ("Write", "Edit") for path in (
        ".claude/settings*.json", "~/.claude/settings*.json", "hookkit.toml", "hookkit.local.toml",
        "~/.config/hookkit/*", "/etc/hookkit/*", ".mentu/genesis.key", ".git/hooks/*")),
    *(("ask", f"{tool}({path})", _HOST) for tool in ("Write", "Edit") for path in (
        *_START.split(), "/etc/*", "/usr/*", "/boot/*")),
    # Git: what others see, and what is not committed.
    ("ask", "Bash(git push --force *)", _SHARED, "git push --force-with-lease"),
    ("ask", "Bash(git push * +*)", _SHARED, "git push --force-with-lease"),
    ("ask", "Bash(git push --delete *)", _SHARED),
    ("ask", "Bash(git push --mirror *)", _SHARED),
    ("ask", "Bash(git reset --hard *)", _LOST, "git stash"),
    ("ask", "Bash(git clean -f *)", _LOST, "git clean -n"),
    ("ask", "Bash(git checkout -- *)", _LOST, "git stash"),
    ("ask", "Bash(git checkout .)", _LOST, "git stash"),
    ("ask", "Bash(git checkout -f *)", _LOST, "git stash"),
    ("ask", "Bash(git restore .)", _LOST, "git stash"),
    ("ask", "Bash(git restore --worktree *)", _LOST, "git stash"),
    ("ask", "Bash(git stash drop *)", _LOST),
    ("ask", "Bash(git stash clear *)", _LOST),
    ("ask", "Bash(git branch -D *)", _LOST, "git branch -d"),
    ("ask", "Bash(git filter-branch *)", _SHARED),
    ("ask", "Bash(git reflog expire *)", _LOST),
    ("ask", "Bash(git config --global *)", _HOST, "git config"),
    ("ask", "Bash(git config * core.hooksPath *)", _GUARD),
    # Data and infrastructure.
    ("ask", "Bash(docker system prune *)", _DATA),
    ("ask", "Bash(docker volume rm *)", _DATA),
    ("ask", "Bash(docker volume prune *)", _DATA),
    ("ask", "Bash(docker compose down -v *)", _DATA),
    ("ask", "Bash(docker-compose down -v *)", _DATA),
    ("ask", "Bash(kubectl delete *)", _SHARED),
    ("ask", "Bash(kubectl drain *)", _SHARED),
    ("ask", "Bash(helm uninstall *)", _SHARED),
    ("ask", "Bash(helm delete *)", _SHARED),
    *(("ask", f"Bash({tool} {word} *)", _SHARED)
      for tool in ("terraform", "tofu", "pulumi") for word in ("destroy", "apply")),
    ("ask", "Bash(terragrunt destroy *)", _SHARED),
    ("ask", "Bash(aws s3 rb *)", _DATA),
    ("ask", "Bash(aws s3 rm --recursive *)", _DATA),
    ("ask", "Bash(aws * delete-* *)", _DATA),
    ("ask", "Bash(aws * terminate-* *)", _DATA),
    ("ask", "Bash(gcloud * delete *)", _DATA),
    ("ask", "Bash(az * delete *)", _DATA),
    ("ask", "Bash(gsutil rm *)", _DATA),
    ("ask", "Bash(dropdb *)", _DATA),
    ("ask", "Bash(redis-cli * flushall *)", _DATA),
    ("ask", "Bash(redis-cli * FLUSHALL *)", _DATA),
    # The machine.
    *(("deny", f"Bash({program} *)", _HOST) for program in ("shutdown", "reboot", "halt", "poweroff")),
    ("deny", "Bash(init 0)", _HOST),
    ("deny", "Bash(init 6)", _HOST),
    ("deny", "Bash(systemctl poweroff *)", _HOST),
    ("deny", "Bash(systemctl reboot *)", _HOST),
    ("deny", "Bash(kill * -1)", _HOST),
    ("ask", "Bash(sudo *)", _HOST),
    ("ask", "Bash(doas *)", _HOST),
    ("ask", "Bash(su *)", _HOST),
    ("ask", "Bash(crontab -r *)", _HOST),
    ("ask", "Bash(iptables -F *)", _HOST),
    ("ask", "Bash(ufw disable *)", _HOST),
    ("ask", "Bash(killall *)", _HOST),
    ("ask", "Bash(pkill -9 *)", _HOST),
    ("ask", "Bash(history -c *)", _HOST),
    ("ask", "Bash(systemctl stop *)", _HOST),
    ("ask", "Bash(systemctl disable *)", _HOST),
    # What goes out.
    *(("ask", f"Bash({line} *)", _PUBLIC) for line in (
        "npm publish", "yarn publish", "pnpm publish", "cargo publish", "twine upload", "gem push", "poetry publish",
        "uv publish", "gh release create", "gh repo delete", "gh repo create --public", "vsce publish")),
)  # fmt: skip
