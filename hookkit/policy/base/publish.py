"""Publishing: packages, releases and repositories for everyone to see."""

from hookkit.policy.base.table import HELP, each, rules

_TOOLS = "npm yarn pnpm bun deno jsr cargo poetry uv hatch flit pdm vsce ovsx lerna maturin"

RULES = [
    *rules("publish.package", "ask", "This publishes a package for everyone to install.",
           each("Bash({} publish *)", _TOOLS) + """
        Bash(yarn npm publish *)
        Bash(changeset publish *)
        Bash(twine upload *)
        Bash(gem push *)
        Bash(mix hex.publish *)
        Bash(dotnet nuget push *)
        Bash(nuget push *)
        Bash(pod trunk push *)
        Bash(dart pub publish *)
        Bash(flutter pub publish *)
        Bash(luarocks upload *)
        Bash(cabal upload --publish *)
        Bash(anaconda upload *)
        """, unless="Bash(dart * -n *)\nBash(flutter * -n *)\nBash(cargo publish -n *)\n" + HELP),
    *rules("publish.unpublish", "ask", "This takes back a package that others may depend on.",
           each("Bash({} unpublish *)\nBash({} deprecate *)", "npm pnpm") + """
        Bash(yarn npm unpublish *)
        Bash(gem yank *)
        Bash(cargo yank *)
        Bash(dotnet nuget delete *)
        Bash(nuget delete *)
        Bash(pod trunk delete *)
        Bash(mix hex.retire *)
        """, unless=HELP),
    *rules("publish.release", "ask", "This publishes a release.",
           "Bash(gh release create *)\nBash(glab release create *)\nBash(goreleaser release *)",
           unless=f"Bash(* --draft *)\nBash(* --snapshot *)\n{HELP}"),
    *rules("publish.repository", "ask", "This changes who can see a repository, or makes a public one.", """
        Bash(gh repo create --public *)
        Bash(gh repo edit --visibility *)
        Bash(glab repo create --public *)
        """, unless=HELP),
    *rules("publish.gist", "ask", "This uploads text to a page that everyone with the link can read.",
           "Bash(gh gist create *)\nBash(glab snippet create *)\nBash(pastebinit *)", unless=HELP),
]  # fmt: skip
