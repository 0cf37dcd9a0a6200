"""The policy that ships: stops the well-known disasters, asks on the doubtful, blocks nothing ordinary."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROOT = "It would take far more with it than a project."
_DISK = "It writes to a whole disk."
_LOST = "Work that is not committed would be lost."
_SHARED = "Others work with what this changes."
_KEYS = "These are credentials; they do not belong in a conversation."
_GUARD = "It weakens what guards this session."
_STRANGER = "It runs what a server sends, unseen."
_HOST = "It changes the machine, not the project."
_DATA = "It destroys data that no commit brings back."
_PUBLIC = "It makes something public."
_SHELL = "It hands a shell to somebody else."
_TRACES = "It hides what was done."


def _rows(verdict: str, reason: str, patterns: str, instead: str = "", unless: str = "") -> "list[dict[str, Any]]":
    """One rule a line, all with the same reason and way out."""
    more: dict[str, Any] = {"instead": instead} if instead else {}
    if unless:
        more["unless"] = [line.strip() for line in unless.strip().splitlines()]
    return [
        {"type": verdict, "match": line.strip(), "reason": reason, **more}
        for line in patterns.splitlines()
        if line.strip()
    ]


def _each(form: str, words: str) -> str:
    return "\n".join(form.replace("@", word) for word in words.split())


_TOP = "/bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /sbin /srv /sys /usr /var /Users /System /Library"
_DISKS = "/dev/sd* /dev/hd* /dev/nvme* /dev/vd* /dev/xvd* /dev/disk* /dev/rdisk* /dev/mmcblk* /dev/mapper/* /dev/dm-*"
_CREDENTIALS = (
    "~/.ssh ~/.ssh/* ~/.aws ~/.aws/* ~/.gnupg ~/.gnupg/* ~/.netrc ~/.git-credentials ~/.pgpass ~/.kube/config"
    " ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.config/gh/* ~/.config/gcloud/* /etc/shadow"
)
_STARTUP = "~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zprofile ~/.zshenv ~/.config/fish/config.fish"
_HISTORY = "~/.bash_history ~/.zsh_history"
_SETTINGS = (
    ".claude/settings*.json ~/.claude/settings*.json hookkit.toml hookkit.local.toml ~/.config/hookkit/*"
    " /etc/hookkit/* .mentu/genesis.key .git/hooks/* .claude"
)
_SHELLS = "sh bash zsh dash ksh fish python python3 perl ruby node"

RULES: "list[dict[str, Any]]" = [
    # What cannot be undone.
    *_rows("deny", _ROOT, "Delete(/)\nDelete(/\\*)\nDelete(~)\nDelete(~/\\*)"),
    *_rows("deny", _ROOT, _each("Delete(@)", _TOP) + "\n" + _each("Delete(@/\\*)", _TOP)),
    *_rows("deny", _ROOT, "Delete(..)", "name the directory inside the project"),
    *_rows("deny", _ROOT, _each("Bash(chmod -R * @)\nBash(chown -R * @)\nBash(chgrp -R * @)", f"/ ~ {_TOP}")),
    *_rows("deny", _DISK, _each("Write(@)", _DISKS)),
    *_rows("deny", _DISK, "Bash(diskutil eraseDisk *)\nBash(zpool destroy *)\nBash(cryptsetup luksFormat *)"),
    *_rows("ask", _DISK, _each("Bash(@ *)", "fdisk sfdisk gdisk sgdisk blkdiscard wipefs parted"),
           unless="Bash(* -l *)\nBash(* --list *)\nBash(* -p *)"),
    *_rows("ask", "It deletes outside the project.", "Delete(!./*)",
           unless="Delete(/tmp/*)\nDelete(/var/tmp/*)\nDelete(/private/tmp/*)\nDelete(~/.cache/*)\nDelete(.)"),
    *_rows("ask", _LOST, "Delete(.)\nDelete(./\\*)\nDelete(.git)"),
    *_rows("ask", _HOST, "Bash(chmod -R 777 *)"),
    # What a stranger sends, or gets.
    *_rows("ask", _STRANGER, _each("Bash(curl * | @)\nBash(wget * | @)", _SHELLS), "download it, read it, then run it",
           unless="Bash(* -m *)\nBash(* -c *)\nBash(* -e *)"),
    *_rows("deny", _SHELL, "Write(/dev/tcp/*)\nRead(/dev/tcp/*)",
           unless="Read(/dev/tcp/localhost/*)\nRead(/dev/tcp/127.0.0.1/*)"),
    *_rows("deny", _SHELL, "Bash(socat * EXEC:* *)\nBash(socat * SYSTEM:* *)"),
    *_rows("deny", _SHELL,
           _each("Bash(@ -e *)\nBash(@ -c *)\nBash(@ --exec *)\nBash(@ --sh-exec *)", "nc ncat netcat")),
    *_rows("deny", _SHELL, _each("Bash(@ -i | nc)\nBash(@ -i | ncat)", "sh bash zsh")),
    # Credentials, and what guards them.
    *_rows("deny", _KEYS, _each("Read(@)", _CREDENTIALS),
           unless="Read(~/.ssh/*.pub)\nRead(~/.ssh/known_hosts)\nRead(~/.ssh/config)"),
    *_rows("deny", _KEYS, _each("Write(@)\nEdit(@)", _CREDENTIALS),
           unless="Write(~/.ssh/known_hosts)\nWrite(~/.ssh/config)"),
    *_rows("ask", _KEYS, "Read(.env)\nRead(.env.*)",
           unless=_each("Read(*.@)", "example sample template dist defaults test")),
    *_rows("ask", _KEYS, "Bash(env | curl)\nBash(printenv | curl)\nBash(env | nc)\nBash(gh auth token *)"),
    *_rows("ask", _KEYS, "Bash(kubectl get secret *)\nBash(kubectl get secrets *)\nBash(security find-* *)"),
    *_rows("deny", _KEYS, "Bash(gpg --export-secret-keys *)"),
    *_rows("ask", _GUARD, _each("Write(@)\nEdit(@)", _SETTINGS)),
    *_rows("ask", _GUARD, """
        Bash(hookkit trust *)
        Bash(pip uninstall * hookkit *)
        Bash(pipx uninstall hookkit *)
        Bash(uv tool uninstall hookkit *)
        Bash(pkill * hookkit *)
        Bash(claude --dangerously-skip-permissions *)
        Bash(git commit --no-verify *)
        Bash(git push --no-verify *)
        Bash(git -c core.hooksPath=* *)
        """),
    *_rows("ask", _GUARD, "Bash(git config * core.hooksPath *)", unless="Bash(* --get *)"),
    *_rows("ask", _TRACES, _each("Read(@)\nWrite(@)", _HISTORY)),
    *_rows("ask", _TRACES, """
        Bash(history -c *)
        Bash(unset * HISTFILE *)
        Bash(export HISTFILE=* *)
        Bash(set +o history)
        """),
    # Git: what others see, and what is not committed.
    *_rows("deny", _SHARED, _each("""
        Bash(git push --force * @ *)
        Bash(git push --force * *:@ *)
        Bash(git push --force * */@ *)
        Bash(git push * +@ *)
        Bash(git push * +*:@ *)
        Bash(git push --delete * @ *)
        Bash(git push * :@ *)
        """, "main master"), "git push --force-with-lease"),
    *_rows("ask", _SHARED, "Bash(git push --force *)\nBash(git push * +* *)", "git push --force-with-lease"),
    *_rows("ask", _SHARED, _each("Bash(git push --force-with-lease * @ *)", "main master")),
    *_rows("ask", _SHARED, "Bash(git push --delete *)\nBash(git push --mirror *)\nBash(git push * :* *)"),
    *_rows("ask", _SHARED, "Bash(git filter-branch *)\nBash(git filter-repo *)"),
    *_rows("ask", _LOST, """
        Bash(git reset --hard *)
        Bash(git checkout -- *)
        Bash(git checkout .)
        Bash(git checkout * .)
        Bash(git checkout -f *)
        Bash(git switch -f *)
        Bash(git restore --worktree *)
        """, "git stash"),
    *_rows("ask", _LOST, "Bash(git restore .)", "git stash", unless="Bash(* --staged *)"),
    *_rows("ask", _LOST, "Bash(git clean -f *)", "git clean -n", unless="Bash(* -n *)"),
    *_rows("ask", _LOST, """
        Bash(git stash drop *)
        Bash(git stash clear *)
        Bash(git branch -D *)
        Bash(git reflog expire *)
        Bash(git gc --prune=now *)
        Bash(git update-ref -d *)
        Bash(git worktree remove --force *)
        """),
    *_rows("ask", _HOST, "Bash(git config --global *)", "git config", unless="Bash(* --get *)\nBash(* --list *)"),
    # Data and infrastructure.
    *_rows("ask", _DATA, """
        Bash(docker system prune *)
        Bash(docker volume rm *)
        Bash(docker volume prune *)
        Bash(docker compose down -v *)
        Bash(docker-compose down -v *)
        Bash(dropdb *)
        Bash(mysqladmin * drop *)
        Bash(redis-cli * flushall *)
        Bash(redis-cli * FLUSHALL *)
        Bash(redis-cli * flushdb *)
        Bash(redis-cli * FLUSHDB *)
        Bash(rails db:drop *)
        Bash(rails db:reset *)
        Bash(rake db:drop *)
        Bash(python manage.py flush *)
        Bash(prisma migrate reset *)
        Bash(aws s3 rb *)
        Bash(aws s3 rm --recursive *)
        Bash(aws * delete-* *)
        Bash(aws * terminate-* *)
        Bash(gcloud * delete *)
        Bash(az * delete *)
        Bash(gsutil rm *)
        Bash(heroku apps:destroy *)
        Bash(heroku pg:reset *)
        """),
    *_rows("ask", _SHARED, """
        Bash(kubectl delete *)
        Bash(kubectl drain *)
        Bash(helm uninstall *)
        Bash(helm delete *)
        Bash(terragrunt destroy *)
        Bash(terraform state rm *)
        Bash(cdk destroy *)
        Bash(pulumi destroy *)
        Bash(pulumi up *)
        """ + _each("Bash(@ destroy *)\nBash(@ apply *)", "terraform tofu"),
        unless="Bash(* --dry-run *)\nBash(* --dry-run=* *)"),
    *_rows("ask", _HOST, "Bash(docker run --privileged *)\nBash(docker run -v /:* *)"),
    # The machine.
    *_rows("deny", _HOST, _each("Bash(@ *)", "shutdown reboot halt poweroff")),
    *_rows("deny", _HOST, """
        Bash(init 0)
        Bash(init 6)
        Bash(systemctl poweroff *)
        Bash(systemctl reboot *)
        Bash(kill * -1)
        Bash(kill * *-1)
        Write(/proc/sysrq-trigger)
        """),
    *_rows("ask", _HOST, """
        Bash(sudo *)
        Bash(doas *)
        Bash(su *)
        Bash(crontab -r *)
        Bash(crontab -)
        Bash(iptables -F *)
        Bash(ufw disable *)
        Bash(killall *)
        Bash(pkill -9 *)
        Bash(systemctl stop *)
        Bash(systemctl disable *)
        """),
    *_rows("ask", _HOST, _each("Write(@)\nEdit(@)", f"{_STARTUP} /etc/* /usr/* /boot/*")),
    # What goes out.
    *_rows("ask", _PUBLIC, """
        Bash(npm publish *)
        Bash(npm unpublish *)
        Bash(npm deprecate *)
        Bash(yarn publish *)
        Bash(yarn npm publish *)
        Bash(pnpm publish *)
        Bash(cargo publish *)
        Bash(twine upload *)
        Bash(gem push *)
        Bash(poetry publish *)
        Bash(uv publish *)
        Bash(vsce publish *)
        Bash(gh release create *)
        Bash(gh repo delete *)
        """, unless="Bash(* --dry-run *)"),
]  # fmt: skip
