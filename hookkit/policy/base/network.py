"""Code and connections from strangers: running downloads, handing out shells."""

from hookkit.policy.base.table import each, rules

_SOURCES = (
    "curl wget fetch ssh aria2c http https xh curlie lwp-request GET lynx links w3m nc ncat netcat socat telnet gsutil"
)
_WEB = "curl wget http https xh"
_DECODERS = "base64 base32 xxd openssl gpg uudecode"
_PYTHONS = "python python2 python3 python3.* pypy3"
_OTHERS = "perl ruby node nodejs php deno bun lua luajit elixir Rscript julia tclsh groovy osascript"
# With a program of its own, an interpreter takes the download as data.
_OWN = (
    each("Bash(* {} *)", "-e --eval *.py *.js *.mjs *.cjs *.ts *.rb *.pl *.php *.lua *.exs *.R *.jl")
    + """
    Bash(python* -c *)
    Bash(python* -m *)
    Bash(pypy3 -c *)
    Bash(php -r *)
    Bash(deno eval *)
"""
)
_READ_IT = "download it, read it, then run it"
_SHELL = "This hands a shell of this machine to someone else."

RULES = [
    *rules("network.download-to-shell", "ask", "This runs a downloaded script that nobody has read.",
           each("Bash({} * | *sh)", _SOURCES), instead=_READ_IT, unless="Bash(* -c *)\nBash(ssh *)\nBash(*.sh *)",
           runs=True),
    *rules("network.download-to-interpreter", "ask", "This runs a downloaded program that nobody has read.",
           "".join(each(f"Bash({source} * | {{}})", _PYTHONS) for source in _WEB.split())
           + each("Bash(curl * | {})\nBash(wget * | {})", _OTHERS), instead=_READ_IT, unless=_OWN, runs=True),
    *rules("network.run-address", "ask", "This runs a program from the internet that nobody has read.",
           each("""
        Bash({} * http://* *)
        Bash({} * https://* *)
        """, "deno bun") + each("Bash({} * https://* *)", "npx bunx pnpx"),
           instead=_READ_IT, unless="Bash(* eval *)\nBash(* add *)\nBash(* install *)\nBash(* cache *)\nBash(* -e *)"),
    *rules("network.decoded-to-shell", "ask", "This runs encoded text that nobody has read.",
           each("Bash({} * | *sh)", _DECODERS) + each("Bash(base64 * | {})", f"python python3 {_OTHERS}"),
           unless=f"Bash(ssh *)\nBash(*.sh *)\n{_OWN}", runs=True),
    *rules("network.reverse-shell", "deny", _SHELL, "Write(/dev/tcp/*)\nRead(/dev/tcp/*)",
           unless="Read(/dev/tcp/localhost/*)\nRead(/dev/tcp/127.0.0.1/*)"),
    *rules("network.reverse-shell", "deny", _SHELL,
           each("Bash(socat * {}* *)", "EXEC: exec: Exec: SYSTEM: system: System: SHELL shell: Shell:") + each("""
        Bash({} -e *)
        Bash({} -c *)
        Bash({} --exec *)
        Bash({} --sh-exec *)
        Bash({} --lua-exec *)
        """, "nc ncat netcat") + each("""
        Bash({} -i | nc)
        Bash({} -i | ncat)
        Bash({} -i | netcat)
        Bash({} -i | socat)
        Bash({} -i | telnet)
        Bash({} -i | openssl s_client)
        Bash(telnet * | {})
        Bash(openssl s_client * | {})
        """, "sh bash zsh dash") + each("Bash({} * */inet/* *)", "awk gawk mawk") + """
        Bash(ztcp *)
        Bash(zmodload zsh/net/tcp *)
        Bash(socket -p *)
        Bash(rcat connect *)
        Bash(pwncat *)
        """, runs=True),
    *rules("network.shell-output", "ask", "This connects a shell of this machine to another machine.",
           each("Bash({} | nc)\nBash({} | ncat)\nBash({} | netcat)\nBash({} | telnet)", "sh bash zsh dash")
           + "Bash(xterm -display *.*:* *)",
           unless="Bash(* localhost *)\nBash(* 127.0.0.1 *)", runs=True),
    *rules("network.send-datagrams", "deny", "This sends data to another machine without a trace.",
           "Write(/dev/udp/*)\nRead(/dev/udp/*)",
           unless="Write(/dev/udp/localhost/*)\nWrite(/dev/udp/127.0.0.1/*)"),
    *rules("network.send-file", "ask", "This sends a file to another machine.",
           each("Bash(socat * {}* *)", "OPEN: open: GOPEN: gopen:"), unless="Bash(socat * OPEN:/dev/* *)", runs=True),
    *rules("network.remote-port", "ask", "This lets others reach a port of this machine through another one.",
           "Bash(ssh -R ** *)", runs=True),
]  # fmt: skip
