"""Keys, passwords and tokens: reading them into the conversation, changing them, sending them away."""

from hookkit.policy.base.table import each, rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.policy.base.table import Rows

_SSH = "~/.ssh ~/.ssh/* //*/.ssh //*/.ssh/*"
_PUBLIC = each("Read(~/.ssh/{})\nRead(//*/.ssh/{})", "*.pub known_hosts config authorized_keys")
_GPG = "~/.gnupg ~/.gnupg/* //*/.gnupg/* ~/.config/sops/age/keys.txt ~/.age/* ~/.config/age/*"
_CLOUD = (
    "~/.aws ~/.aws/* //*/.aws/credentials ~/.config/gcloud ~/.config/gcloud/* ~/.azure ~/.azure/* ~/.kube/config*"
    " //*/.kube/config /etc/kubernetes/*.conf /etc/kubernetes/pki/*.key /etc/rancher/k3s/k3s.yaml ~/.oci/*"
    " ~/.config/doctl/* ~/.config/hcloud/* ~/.config/linode-cli ~/.config/scw/* ~/.aliyun/* ~/.bluemix/* ~/.boto"
    " ~/.s3cfg ~/.mc/config.json"
    " ~/.config/rclone/rclone.conf ~/.terraformrc ~/.terraform.d/credentials.tfrc.json ~/.pulumi/credentials.json"
    " ~/.databrickscfg ~/.snowsql/* ~/.snowflake/* ~/.fly/config.yml ~/.config/configstore/* ~/.config/netlify/*"
    " ~/.local/share/com.vercel.cli/auth.json ~/.config/.wrangler/* ~/.wrangler/config/* ~/.supabase/access-token"
    " ~/.railway/config.json ~/.cloudflared/* ~/.config/argocd/config ~/.argocd/config"
    " ~/.config/helm/registry/config.json"
)
_TOKENS = (
    "~/.netrc //*/.netrc ~/.authinfo* ~/.git-credentials //*/.git-credentials ~/.config/git/credentials ~/.config/gh/*"
    " ~/.config/glab-cli/* ~/.config/hub ~/.docker/config.json ~/.config/containers/auth.json"
    " /run/user/*/containers/auth.json ~/.npmrc ~/.pypirc ~/.config/pypoetry/auth.toml ~/.cargo/credentials*"
    " ~/.gem/credentials ~/.local/share/gem/credentials ~/.m2/settings.xml ~/.m2/settings-security.xml"
    " ~/.gradle/gradle.properties ~/.composer/auth.json ~/.config/composer/auth.json ~/.nuget/NuGet/NuGet.Config"
    " ~/.hex/hex.config ~/.vault-token ~/.codex/auth.json ~/.claude/.credentials.json ~/.gemini/oauth_creds.json"
    " ~/.config/github-copilot/* ~/.local/share/opencode/auth.json ~/.cache/huggingface/token ~/.huggingface/token"
    " ~/.kaggle/kaggle.json ~/.config/stripe/* ~/.config/ngrok/* ~/.ngrok2/* ~/.sentryclirc ~/.circleci/cli.yml"
    " ~/.travis/config.yml ~/.erlang.cookie ~/.config/Slack/* ~/.config/discord/* ~/.thunderbird/*"
    " /var/run/secrets/* /run/secrets/*"
)
_PASSWORDS = (
    "/etc/shadow /etc/gshadow /etc/master.passwd /etc/krb5.keytab /etc/ssl/private/* /etc/letsencrypt/*privkey*"
    " /etc/ssh/ssh_host_*_key /etc/wireguard/* /etc/NetworkManager/system-connections/* ~/.pgpass //*/.pgpass ~/.my.cnf"
    " ~/.mylogin.cnf ~/.password-store/* ~/.local/share/keyrings/* ~/.local/share/kwalletd/* ~/Library/Keychains/*"
    " ~/.config/op/* ~/.op/* ~/.msmtprc ~/.fetchmailrc ~/.ethereum/keystore/* ~/.bitcoin/wallet.dat"
    " ~/.config/solana/id.json ~/.electrum/* ~/.vault_pass* /etc/openvpn/* /etc/ipsec.secrets /etc/ppp/chap-secrets"
)
_BROWSERS = """
    ~/.config/google-chrome*
    ~/.config/chromium/*
    ~/.config/BraveSoftware/*
    ~/.config/microsoft-edge*
    ~/.config/vivaldi/*
    ~/.config/opera/*
    ~/.mozilla/firefox/*
    ~/Library/Application Support/Google/Chrome/*
    ~/Library/Application Support/BraveSoftware/*
    ~/Library/Application Support/Microsoft Edge/*
    ~/Library/Application Support/Firefox/*
    ~/Library/Safari/*
    ~/Library/Cookies/*
    key4.db
    cookies.sqlite
    Login Data
"""
# Files to keep safe against changes, too.
_KEPT = (
    "~/.ssh ~/.ssh/* ~/.aws ~/.aws/* ~/.gnupg ~/.gnupg/* ~/.netrc ~/.git-credentials ~/.pgpass ~/.kube/config"
    " ~/.docker/config.json ~/.npmrc ~/.pypirc ~/.config/gh/* ~/.config/gcloud/* /etc/shadow ~/.azure/* ~/.vault-token"
    " ~/.cargo/credentials* ~/.password-store/* ~/.local/share/keyrings/* ~/Library/Keychains/*"
)
_CLOSES = (
    each("Bash(chmod {} *)", "600 0600 400 0400 700 0700 go-rwx go= og-rwx u=rw,go= u=rwx,go=")
    + """
    Bash(chown *)
    Bash(touch *)
"""
)
_LOGINS = "~/.ssh/authorized_keys* //*/.ssh/authorized_keys*"
_STAT = "Bash(stat *)\nBash(readlink *)"
_KEYS = (
    "*.key *.pem *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.asc *.gpg id_rsa* id_ed25519* id_ecdsa* id_dsa* .env"
    " .env.* *.env *secret* *credential* *password* *passwd* *.tfstate .netrc .npmrc .pypirc .pgpass .htpasswd"
    " kubeconfig .git-credentials .vault-token wallet.dat .bash_history .zsh_history .aws .ssh .gnupg .kube"
    " *.keytab *.tfvars service-account*.json gcp-key*.json token.json *_token *.token shadow"
)
_VARIABLES = (
    "AWS_SECRET AWS_SESSION SECRET_KEY SECRET_ACCESS PRIVATE_KEY GITHUB_TOKEN GH_TOKEN GITLAB_TOKEN NPM_TOKEN"
    " PYPI_TOKEN ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY CLAUDE_CODE_OAUTH DATABASE_URL DB_PASSWORD VAULT_TOKEN"
    " SLACK_TOKEN STRIPE_SECRET"
)
_METADATA = (
    "169.254.169.254 169.254.170.2 metadata.google.internal 100.100.100.200 2852039166 0xa9fea9fe [fd00:ec2::254]"
    " 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe"
)


def _reads(name: str, kind: str, paths: str, *, unless: str = "") -> "Rows":
    patterns = "\n".join(f"Read({path.strip()})" for path in paths.strip().splitlines())
    return rules(name, "deny", f"This would expose {kind}.", patterns, unless=f"{_STAT}\n{unless}")


RULES = [
    *_reads("secrets.ssh-keys", "private SSH keys", each("{}", _SSH), unless=_PUBLIC),
    *_reads("secrets.gpg-keys", "private encryption keys", each("{}", _GPG)),
    *_reads("secrets.cloud-logins", "the login of a cloud account or cluster", each("{}", _CLOUD)),
    *_reads("secrets.tokens", "login tokens or passwords", each("{}", _TOKENS)),
    *_reads("secrets.passwords", "passwords or private keys", each("{}", _PASSWORDS)),
    *_reads("secrets.browsers", "passwords and logged-in sessions of your browser", _BROWSERS),
    *rules("secrets.send-environment", "ask", "This sends your environment, with its passwords, to another machine.",
           "Send($ENVIRONMENT)\nSend(/proc/*/environ)\n" + each("Send($*{}*)", _VARIABLES)
           + each("Bash(history | {})", "curl wget nc ncat ssh"), runs=True),
    *rules("secrets.send-keys", "ask", "This sends keys or passwords to another machine.",
           each("Send({})", _KEYS), unless=each("Send({})", "*.pub *.example *.sample *.template *.test")),
    *rules("secrets.key-files", "ask", "This would expose a private key.",
           each("Read({})", "id_rsa id_ed25519 id_ecdsa id_dsa"), unless=f"Read(./*)\n{_STAT}"),
    *rules("secrets.key-files", "ask", "This would expose a private key.",
           each("Read({})", "*.kdbx *.ppk master.key"), unless=_STAT),
    *rules("secrets.env-files", "ask", "This would expose the passwords and tokens of a .env file.",
           "Read(.env)\nRead(.env.*)",
           unless=each("Read(*.{})", "example sample template dist defaults test schema tpl") + _STAT),
    *rules("secrets.environment", "ask", "This would expose the secrets in the environment of a process.",
           "Read(/proc/*/environ)"),
    *rules("secrets.shell-history", "ask", "This would expose the shell history, which often holds passwords.",
           each("Read({})", "~/.bash_history ~/.zsh_history ~/.python_history ~/.psql_history ~/.mysql_history"),
           unless=_STAT),
    *rules("secrets.export-keys", "deny", "This exports private keys.", """
        Bash(gpg --export-secret-keys *)
        Bash(gpg --export-secret-subkeys *)
        Bash(gpg2 --export-secret-keys *)
        Bash(security export *)
        Bash(security dump-keychain *)
        """),
    *rules("secrets.print", "ask", "This prints a password or a token.", """
        Bash(gh auth token *)
        Bash(gh auth status --show-token *)
        Bash(glab auth status --show-token *)
        Bash(oc whoami --show-token *)
        Bash(kubectl config view --raw *)
        Bash(security find-generic-password *)
        Bash(security find-internet-password *)
        Bash(secret-tool lookup *)
        Bash(aws secretsmanager get-secret-value *)
        Bash(aws ssm get-parameter --with-decryption *)
        Bash(aws ssm get-parameters --with-decryption *)
        Bash(aws ssm get-parameters-by-path --with-decryption *)
        Bash(aws configure get aws_secret_access_key *)
        Bash(aws configure get aws_session_token *)
        Bash(aws configure export-credentials *)
        Bash(aws sts get-session-token *)
        Bash(gcloud auth print-access-token *)
        Bash(gcloud auth print-identity-token *)
        Bash(gcloud auth application-default print-access-token *)
        Bash(gcloud secrets versions access *)
        Bash(az account get-access-token *)
        Bash(az keyvault secret show *)
        Bash(heroku auth:token *)
        Bash(fly auth token *)
        Bash(flyctl auth token *)
        Bash(vault * kv get *)
        Bash(vault * read *)
        Bash(vault * print token *)
        Bash(op read *)
        Bash(op item get --reveal *)
        Bash(op item get --fields *)
        Bash(pass show *)
        Bash(gopass show *)
        Bash(bw get *)
        Bash(lpass show *)
        Bash(doppler * secrets get *)
        Bash(doppler * secrets download *)
        Bash(infisical export *)
        Bash(chamber read *)
        Bash(chamber export *)
        Bash(sops -d *)
        Bash(sops --decrypt *)
        Bash(sops decrypt *)
        Bash(ansible-vault view *)
        Bash(ansible-vault decrypt *)
        Bash(git credential fill)
        """ + each("""
        Bash(kubectl get {} -o ** *)
        Bash(kubectl get {} --output ** *)
        Bash(oc get {} -o *)
        Bash(oc get {} --output=* *)
        """, "secret secrets secret/* secrets/*"),
           unless="Bash(* -o name *)\nBash(* -o wide *)"),
    *rules("secrets.new-login", "deny", "This lets another key log in to the machine.",
           each("Write|Edit({})", _LOGINS), unless=f"{_CLOSES}\nBash(chmod 644 *)"),
    *rules("secrets.overwrite", "deny", "This changes or deletes files that hold your keys and logins.",
           each("Write|Edit({})", _KEPT),
           unless=f"""
           {_CLOSES}
           Bash(mkdir *)
           Write(~/.ssh/known_hosts)
           Write(~/.ssh/known_hosts.old)
           Write(~/.ssh/config)
           Write(~/.ssh/*.pub)
           """),
    *rules("secrets.metadata-service", "ask", "This asks a cloud's metadata service, which hands out logins.",
           each("Bash(curl * *{}* *)\nBash(wget * *{}* *)\nBash(http * *{}* *)\nWebFetch(domain:{})", _METADATA),
           runs=True),
]  # fmt: skip
