"""Programs that take their arguments as data. Any other program in front of a denied command may be a wrapper."""

KNOWN = frozenset(
    """
    : [ [[ test true false echo printf cat tac head tail less more man info which whereis type command hash alias
    unalias help history apropos whatis grep egrep fgrep rg ag ack sed awk gawk mawk perl ruby python python3
    python2 node deno php lua tclsh R julia ls ll dir tree find fd stat file du df wc sort uniq cut paste tr rev
    fold fmt column nl tee split comm diff cmp patch cp mv ln rm rmdir mkdir touch chmod chown chgrp install rsync
    scp sftp dd truncate shred unlink mktemp cd pushd popd dirs pwd export declare typeset local readonly unset
    set shift read mapfile let source . return exit break continue wait jobs fg bg kill pkill killall pgrep ps top
    htop lsof ss netstat ulimit umask git gh glab hub svn hg jj make gmake cmake ctest ninja meson bazel just task
    rake ant mvn gradle gradlew mvnw sbt npm pnpm yarn bun tsc eslint prettier jest vitest mocha webpack vite next
    nuxt ng vue pip pip3 pipx uv poetry pdm hatch tox nox pytest ruff black isort flake8 mypy pylint twine cargo
    rustc rustup go gofmt gcc g++ cc clang clang++ ld ar nm objdump strip java javac kotlinc scala swift dotnet
    docker podman docker-compose nerdctl kubectl helm minikube kind terraform tofu pulumi ansible vagrant aws
    gcloud az gsutil doctl heroku fly flyctl vercel netlify wrangler curl wget http httpie nc ncat telnet ping dig
    nslookup host traceroute openssl ssh-keygen ssh-add gpg tar zip unzip gzip gunzip bzip2 xz zstd 7z jq yq
    xmllint base64 md5sum sha256sum sha1sum xxd od hexdump strings psql mysql sqlite3 redis-cli mongosh mongo
    createdb dropdb pg_dump vi vim nvim nano emacs code subl open xdg-open pbcopy pbpaste xclip date cal sleep seq
    yes basename dirname realpath readlink env printenv id whoami hostname uname uptime tput clear apt apt-get
    dpkg yum dnf brew port pacman snap systemctl service journalctl crontab logger bat exa eza fzf tig delta tldr
    cheat figlet cowsay say notify-send expr bc factor shuf logname groups users who w getent ip ifconfig mount lsblk
    blkid dmesg free vmstat iostat nproc locale ldd pkg-config hugo jekyll mkdocs dbt duckdb shellcheck shfmt yamllint
    stylelint esbuild rollup kustomize stern composer flutter dart pg_restore pg_isready mysqldump mongodump
    """.split()
)
# Programs that neither show nor change the content of their file arguments, or only files of the project.
CONTENT_FREE = frozenset(
    """
    : [ [[ test true false echo printf ls ll dir tree stat file du df which type mkdir rmdir rm cd pushd popd chmod
    chown ln basename dirname realpath readlink git gh glab npm pnpm yarn pip pip3 uv poetry cargo go make cmake docker
    podman docker-compose kubectl helm pytest tox nox
    ruff black isort flake8 mypy pylint eslint prettier jest vitest tsc node
    python python3 pre-commit terraform tofu ansible-playbook brew apt apt-get systemctl service export declare ssh
    ssh-add ssh-copy-id ssh-keygen mktemp touch kill ps man curl wget sleep find fd git-lfs fdisk sfdisk gdisk sgdisk
    parted
    lsblk blkid
    smartctl hdparm mount umount wipefs blkdiscard
    """.split()
)
