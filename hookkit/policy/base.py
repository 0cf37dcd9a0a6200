"""The policy that ships: stops the well-known disasters, asks on the doubtful, blocks nothing ordinary."""

from hookkit.shell.effects import EMPTY, TOP

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


_TOP = " ".join(f"/{name}" for name in TOP)
_DISKS = "/dev/sd* /dev/hd* /dev/nvme* /dev/vd* /dev/xvd* /dev/disk* /dev/rdisk* /dev/mmcblk* /dev/mapper/* /dev/dm-*"
_CREDENTIALS = (
    "~/.ssh ~/.ssh/* ~/.aws ~/.aws/* ~/.gnupg ~/.gnupg/* ~/.netrc ~/.git-credentials ~/.pgpass ~/.kube/config"
    " ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.config/gh/* ~/.config/gcloud/* /etc/shadow ~/.azure/* ~/.vault-token"
    " ~/.cargo/credentials* ~/.password-store/* ~/.local/share/keyrings/* ~/Library/Keychains/*"
)
# The same in the home of somebody else.
_OTHERS = "//*/.ssh //*/.ssh/* //*/.aws/credentials //*/.gnupg/* //*/.netrc //*/.git-credentials //*/.pgpass"
_STARTUP = "~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zprofile ~/.zshenv ~/.config/fish/config.fish"
_HISTORY = "~/.bash_history ~/.zsh_history"
_SETTINGS = (
    ".claude/settings*.json ~/.claude/settings*.json hookkit.toml hookkit.local.toml ~/.config/hookkit/*"
    " /etc/hookkit/* .mentu/genesis.key .git/hooks .git/hooks/* .claude"
)
_SOURCES = "fetch ssh aria2c http xh lwp-request lynx nc ncat gsutil"  # of what a stranger sends, beside curl and wget
_READ_IT = "download it, read it, then run it"
_DRY = "Bash(* --dry-run *)"

_LOCAL = "localhost 127.0.0.1 http://localhost http://127.0.0.1 https://localhost https://127.0.0.1"

RULES: "list[dict[str, Any]]" = [
    # What cannot be undone.
    *_rows("deny", _ROOT, _each("Delete(@)", f"/ ~ {_TOP}")),
    *_rows("deny", _ROOT, "Delete(..)", "name the directory inside the project"),
    *_rows("deny", _DISK, _each("Write(@)", _DISKS)),
    *_rows("deny", _DISK, """
        Bash(diskutil eraseDisk *)
        Bash(zpool destroy *)
        Bash(zfs destroy *)
        Bash(diskutil eraseVolume *)
        Bash(diskutil partitionDisk *)
        Bash(diskutil apfs deleteContainer *)
        Bash(diskutil apfs deleteVolume *)
        Bash(cryptsetup luksFormat *)
        Bash(nvme format *)
        Bash(nvme sanitize *)
        Bash(hdparm --security-erase *)
        """),
    *_rows("ask", _DISK, _each("Bash(@ *)", "lvremove vgremove pvremove badblocks")),
    *_rows("ask", _DISK, "Bash(btrfs subvolume delete *)\nBash(mdadm --zero-superblock *)"),
    *_rows("ask", _DISK, _each("Bash(@ *)", "fdisk sfdisk gdisk sgdisk blkdiscard wipefs parted"),
           unless="Bash(* -l *)\nBash(* --list *)\nBash(* -p *)"),
    *_rows("ask", "A variable that this line does not set may be empty.", f"Delete({EMPTY})"),
    *_rows("ask", "It deletes outside the project.", "Delete(!./*)",
           unless="Delete(/tmp/*)\nDelete(/var/tmp/*)\nDelete(/private/tmp/*)\nDelete(~/.cache/*)\nDelete(.)"),
    *_rows("ask", "It deletes in your home.", "Bash(rm * ~/* *)", unless="Delete(./*)\nDelete(~/.cache/*)\nDelete(.)"),
    *_rows("ask", _LOST, "Delete(.)\nDelete(.git)"),
    *_rows("ask", _HOST, "Bash(chmod -R 777 *)"),
    # What a stranger sends, or gets.
    *_rows("ask", _STRANGER, _each("Bash(@ * | *sh)", f"curl wget {_SOURCES}"), _READ_IT,
           unless="Bash(* -c *)\nBash(ssh *)"),
    *_rows("ask", _STRANGER, _each("Bash(@ * | python*)", f"curl wget {_SOURCES}"), _READ_IT,
           unless="Bash(* -m *)\nBash(* -c *)\nBash(python* *.py *)"),
    *_rows("ask", _STRANGER, _each("Bash(curl * | @)\nBash(wget * | @)", "perl ruby node php"), _READ_IT,
           unless="Bash(* -e *)\nBash(php -r *)\nBash(node *.*js *)\nBash(ruby *.rb *)\nBash(perl *.pl *)"),
    *_rows("ask", "It runs a text that nobody has read.",
           _each("Bash(@ * | *sh)", "base64 base32 xxd openssl gpg uudecode"), unless="Bash(ssh *)"),
    *_rows("deny", _SHELL, "Write(/dev/tcp/*)\nRead(/dev/tcp/*)",
           unless="Read(/dev/tcp/localhost/*)\nRead(/dev/tcp/127.0.0.1/*)"),
    *_rows("deny", "It sends something out unseen.", "Write(/dev/udp/*)\nRead(/dev/udp/*)",
           unless="Write(/dev/udp/localhost/*)\nWrite(/dev/udp/127.0.0.1/*)"),
    *_rows("deny", _SHELL, "Bash(socat * EXEC:* *)\nBash(socat * SYSTEM:* *)"),
    *_rows("deny", _SHELL,
           _each("Bash(@ -e *)\nBash(@ -c *)\nBash(@ --exec *)\nBash(@ --sh-exec *)", "nc ncat netcat")),
    *_rows("deny", _SHELL, _each("Bash(@ -i | nc)\nBash(@ -i | ncat)", "sh bash zsh")),
    # Credentials, and what guards them.
    *_rows("deny", _KEYS, _each("Read(@)", _CREDENTIALS),
           unless="Read(~/.ssh/*.pub)\nRead(~/.ssh/known_hosts)\nRead(~/.ssh/config)"),
    *_rows("deny", _KEYS, _each("Read(@)", _OTHERS),
           unless="Read(//*/.ssh/*.pub)\nRead(//*/.ssh/known_hosts)\nRead(//*/.ssh/config)"),
    *_rows("ask", _KEYS, _each("Read(@)", "id_rsa id_ed25519 id_ecdsa id_dsa"), unless="Read(./*)"),
    *_rows("ask", _KEYS, "Read(/proc/*/environ)"),
    *_rows("deny", _KEYS, _each("Write(@)\nEdit(@)", _CREDENTIALS),
           unless="Write(~/.ssh/known_hosts)\nWrite(~/.ssh/config)"),
    *_rows("ask", _KEYS, "Read(.env)\nRead(.env.*)",
           unless=_each("Read(*.@)", "example sample template dist defaults test")),
    *_rows("ask", _KEYS, _each("Bash(env | @)\nBash(printenv | @)\nBash(history | @)", "curl wget nc ncat")),
    *_rows("ask", _KEYS, _each("Bash(set | @)\nBash(export -p | @)\nBash(declare -p | @)", "curl wget nc ncat")),
    *_rows("ask", _KEYS, """
        Bash(gh auth token *)
        Bash(kubectl get secret *)
        Bash(kubectl get secrets *)
        Bash(security find-* *)
        Bash(security dump-keychain *)
        Bash(aws secretsmanager get-secret-value *)
        Bash(aws ssm get-parameter --with-decryption *)
        Bash(aws configure get aws_secret_access_key *)
        Bash(vault kv get *)
        Bash(op read *)
        Bash(pass show *)
        """),
    *_rows("deny", _KEYS, "Bash(gpg --export-secret-keys *)\nBash(gpg --export-secret-subkeys *)"),
    *_rows("ask", _GUARD, _each("Write(@)\nEdit(@)", _SETTINGS)),
    *_rows("ask", _GUARD, _each("Write(@)\nEdit(@)\nDelete(@)", "~/.local/state/hookkit ~/.local/state/hookkit/*")),
    *_rows("ask", _GUARD, _each("Write(@)\nEdit(@)\nDelete(@)", "/*/hookkit/trust.json /*/hookkit/approvals/*")),
    *_rows("ask", _GUARD, _each("Delete(@)", _SETTINGS)),
    *_rows("ask", _GUARD, _each("Bash(python -m hookkit @ *)\nBash(python3 -m hookkit @ *)", "approve trust")),
    *_rows("ask", _GUARD, _each("Bash(python @ *)\nBash(python3 @ *)", "*/hookkit")),
    *_rows("ask", _GUARD, """
        Bash(hookkit trust *)
        Bash(hookkit approve *)
        Bash(hookkit ledger prune *)
        Bash(hookkit ledger repair *)
        Bash(hookkit errors --clear *)
        Bash(pip uninstall * hookkit *)
        Bash(pipx uninstall hookkit *)
        Bash(uv tool uninstall hookkit *)
        Bash(pkill * hookkit *)
        Bash(claude --dangerously-skip-permissions *)
        Bash(git commit --no-verify *)
        Bash(git push --no-verify *)
        Bash(git -c core.hooksPath=* *)
        """),
    *_rows("ask", _GUARD, """
        Bash(git config * core.hooksPath *)
        Bash(git config * core.hookspath *)
        Bash(git config * core.sshCommand *)
        Bash(git config * alias.* !*)
        Bash(git config * credential.helper !*)
        """, unless="Bash(* --get *)\nBash(* --unset *)"),
    *_rows("ask", _STRANGER, _each("Bash(git @ --upload-pack *)", "fetch clone pull ls-remote")),
    *_rows("ask", _STRANGER, "Bash(git push --receive-pack *)\nBash(git grep --open-files-in-pager *)"),
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
        """, "main master"), "git push --force-with-lease", unless=_DRY),
    *_rows("ask", _SHARED, "Bash(git push --force *)\nBash(git push * +* *)", "git push --force-with-lease",
           unless=_DRY),
    *_rows("ask", _SHARED, """
        Bash(git push --force-with-lease * main *)
        Bash(git push --force-with-lease * master *)
        Bash(git push --delete *)
        Bash(git push --mirror *)
        Bash(git push --prune *)
        Bash(git push * :* *)
        """, unless=_DRY),
    *_rows("ask", _SHARED, "Bash(git filter-branch *)\nBash(git filter-repo *)"),
    *_rows("ask", _LOST, """
        Bash(git reset --hard *)
        Bash(git reset --merge *)
        Bash(git checkout -- *)
        Bash(git checkout .)
        Bash(git checkout ./*)
        Bash(git checkout :/*)
        Bash(git checkout */)
        Bash(git checkout * .)
        Bash(git checkout -f *)
        Bash(git switch -f *)
        Bash(git restore --worktree *)
        Bash(git read-tree --reset *)
        Bash(git checkout-index -f *)
        Bash(git submodule deinit -f *)
        """, "git stash"),
    *_rows("ask", _LOST, "Bash(git checkout * *\\** *)\nBash(git checkout ** ** *)", "git stash",
           unless="Bash(* --ours *)\nBash(* --theirs *)\nBash(* -b *)\nBash(* --track *)"),
    *_rows("ask", _LOST, "Bash(git restore *)", "git stash", unless="Bash(* --staged *)"),
    *_rows("ask", _LOST, _each("Bash(git rm * @ *)", ". ./ :/ \\* ./\\*"), "git rm --cached",
           unless="Bash(* --cached *)\nBash(* -n *)"),
    *_rows("ask", _LOST, "Bash(git clean -f *)", "git clean -n", unless="Bash(* -n *)"),
    *_rows("ask", _LOST, """
        Bash(git stash drop *)
        Bash(git stash clear *)
        Bash(git branch -D *)
        Bash(git checkout -B * *)
        Bash(git switch -C * *)
        Bash(git reflog expire *)
        Bash(git reflog delete *)
        Bash(git gc --prune=now *)
        Bash(git prune --expire=now *)
        Bash(git update-ref -d *)
        Bash(git symbolic-ref -d *)
        Bash(git worktree remove --force *)
        """),
    *_rows("ask", _LOST, "Bash(git branch -f *)", unless="Bash(* -m *)"),
    *_rows("ask", _HOST, "Bash(git config --global *)", "git config", unless="Bash(* --get *)\nBash(* --list *)"),
    # Data and infrastructure.
    *_rows("ask", _DATA, _each("""
        Bash(@ system prune *)
        Bash(@ system reset *)
        Bash(@ volume rm *)
        Bash(@ volume prune *)
        Bash(@ compose down -v *)
        """, "docker podman")),
    *_rows("ask", _DATA, _each("""
        Bash(@ db:drop *)
        Bash(@ db:reset *)
        Bash(@ db:purge *)
        Bash(@ db:drop:all *)
        Bash(@ db:schema:load *)
        """, "rails rake")),
    *_rows("ask", _DATA, _each("Bash(@ manage.py flush *)\nBash(@ manage.py reset_db *)", "python python3")),
    *_rows("ask", _DATA, "Bash(manage.py flush *)\nBash(manage.py reset_db *)"),
    *_rows("ask", _DATA, _each("Bash(php artisan @ *)", "migrate:fresh migrate:refresh migrate:reset db:wipe")),
    *_rows("ask", _DATA, _each("Bash(@ db:drop *)\nBash(@ db:migrate:undo:all *)", "sequelize sequelize-cli")),
    *_rows("ask", _DATA, _each("Bash(redis-cli * @ *)", "flushall FLUSHALL flushdb FLUSHDB")),
    *_rows("ask", _DATA, """
        Bash(docker-compose down -v *)
        Bash(docker swarm leave --force *)
        Bash(docker stack rm *)
        Bash(dropdb *)
        Bash(mysqladmin * drop *)
        Bash(prisma migrate reset *)
        Bash(prisma db push --force-reset *)
        Bash(typeorm schema:drop *)
        Bash(knex migrate:rollback --all *)
        Bash(mix ecto.drop *)
        Bash(mix ecto.reset *)
        Bash(alembic downgrade base *)
        Bash(supabase db reset *)
        Bash(console doctrine:database:drop *)
        Bash(php * doctrine:database:drop *)
        Bash(wp db reset *)
        Bash(wp db drop *)
        Bash(drush sql-drop *)
        Bash(pg_restore --clean *)
        Bash(mongorestore --drop *)
        Bash(rabbitmqctl reset *)
        Bash(etcdctl del --prefix *)
        Bash(kafka-topics.sh --delete *)
        Bash(firebase firestore:delete *)
        Bash(bq rm *)
        Bash(vagrant destroy *)
        Bash(virsh undefine *)
        Bash(aws s3 rb *)
        Bash(aws s3 rm --recursive *)
        Bash(aws * delete-* *)
        Bash(aws * terminate-* *)
        Bash(aws * purge-* *)
        Bash(aws kms schedule-key-deletion *)
        Bash(gcloud * delete *)
        Bash(gcloud storage rm *)
        Bash(az * delete *)
        Bash(az * delete-* *)
        Bash(gsutil rm *)
        Bash(gsutil rsync -d *)
        Bash(doctl * delete *)
        Bash(hcloud * delete *)
        Bash(heroku apps:destroy *)
        Bash(heroku addons:destroy *)
        Bash(heroku pg:reset *)
        Bash(rclone purge *)
        Bash(rclone delete *)
        Bash(nomad job stop -purge *)
        Bash(consul kv delete -recurse *)
        Bash(vault kv destroy *)
        Bash(vault kv metadata delete *)
        Bash(vault secrets disable *)
        """, unless=_DRY),
    *_rows("ask", _DATA, "Bash(aws s3 sync --delete *)\nBash(rclone sync *)", unless="Bash(* --dryrun *)\n" + _DRY),
    *_rows("ask", _DATA, _each("Bash(@ * destroy *)", "fly flyctl")),
    *_rows("ask", _DATA, _each("Bash(gh api -X @ *)\nBash(glab api -X @ *)\nBash(curl -X @ *)", "DELETE delete"),
           unless=_each("Bash(* @ *)\nBash(* @/* *)\nBash(* @:* *)", _LOCAL)),
    *_rows("ask", _SHARED, """
        Bash(kubectl delete *)
        Bash(kubectl drain *)
        Bash(kubectl scale --replicas=0 *)
        Bash(kubectl replace --force *)
        Bash(kubectl apply --prune *)
        Bash(oc delete *)
        Bash(helm uninstall *)
        Bash(helm delete *)
        Bash(helmfile destroy *)
        Bash(argocd app delete *)
        Bash(eksctl delete *)
        Bash(kops delete *)
        Bash(terragrunt * destroy *)
        Bash(terragrunt * apply *)
        Bash(terraform state rm *)
        Bash(terraform workspace delete *)
        Bash(terraform force-unlock *)
        Bash(cdk destroy *)
        Bash(pulumi destroy *)
        Bash(pulumi up *)
        Bash(pulumi stack rm *)
        Bash(serverless remove *)
        Bash(sls remove *)
        Bash(sam delete *)
        Bash(sst remove *)
        Bash(eb terminate *)
        Bash(amplify delete *)
        Bash(vercel remove *)
        Bash(vercel rm *)
        Bash(netlify sites:delete *)
        Bash(wrangler delete *)
        Bash(wrangler * delete *)
        Bash(railway down *)
        Bash(gh release delete *)
        Bash(gh secret delete *)
        Bash(gh pr merge --admin *)
        Bash(glab repo delete *)
        """ + _each("Bash(@ destroy *)\nBash(@ apply *)", "terraform tofu"),
        unless="Bash(* --dry-run *)\nBash(* --dry-run=* *)"),
    *_rows("ask", _HOST, _each("Bash(@ run --privileged *)\nBash(@ run -v /:* *)", "docker podman")),
    # The machine.
    *_rows("deny", _HOST, _each("Bash(@ *)", "shutdown reboot halt poweroff")),
    *_rows("deny", _HOST, """
        Bash(init 0)
        Bash(init 6)
        Bash(telinit 0)
        Bash(telinit 6)
        Bash(systemctl poweroff *)
        Bash(systemctl reboot *)
        Bash(kill * every-process *)
        Write(/proc/sysrq-trigger)
        """),
    *_rows("ask", _HOST, """
        Bash(sudo *)
        Bash(doas *)
        Bash(su *)
        Bash(iptables -F *)
        Bash(ufw disable *)
        Bash(killall *)
        Bash(pkill -9 *)
        Bash(systemctl stop *)
        Bash(systemctl disable *)
        Bash(systemctl mask *)
        Bash(launchctl unload *)
        Bash(nft flush *)
        Bash(apk del *)
        Bash(rpm -e *)
        Bash(dpkg -r *)
        Bash(dpkg -P *)
        Bash(pacman -R *)
        Bash(setenforce 0)
        Bash(csrutil disable *)
        Bash(spctl --master-disable *)
        Bash(tmutil delete *)
        Bash(umount -a *)
        Bash(chmod u+s *)
        Bash(chmod +s *)
        """),
    *_rows("ask", _HOST, _each("Bash(@ *)", "userdel deluser useradd adduser usermod groupdel chpasswd visudo chsh")),
    *_rows("ask", _HOST, "Bash(crontab *)", unless="Bash(* -l *)"),
    *_rows("ask", _HOST, "Bash(passwd *)", unless="Bash(* -S *)\nBash(* --status *)"),
    *_rows("ask", _HOST, _each("Bash(@ remove *)\nBash(@ purge *)\nBash(@ autoremove *)", "apt apt-get")),
    *_rows("ask", _HOST, _each("Bash(@ remove *)\nBash(@ erase *)", "yum dnf zypper snap")),
    *_rows("ask", _HOST, _each("Bash(brew @ *)", "uninstall remove rm")),
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
        Bash(gem yank *)
        Bash(cargo yank *)
        Bash(poetry publish *)
        Bash(uv publish *)
        Bash(vsce publish *)
        Bash(gh release create *)
        Bash(gh repo create --public *)
        Bash(gh repo edit --visibility *)
        Bash(gh gist create *)
        Bash(gh repo delete *)
        """, unless="Bash(* --dry-run *)"),
]  # fmt: skip
