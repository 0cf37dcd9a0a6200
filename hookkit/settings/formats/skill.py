"""A SKILL.md: the hooks in its frontmatter, which Claude Code registers when the skill runs."""

import re

from hookkit.events import EVENTS
from hookkit.settings.checks.claude import handlers, permissions
from hookkit.settings.documents import yaml_text
from hookkit.settings.documents.finding import WARNING, Element, FileReport, shown
from hookkit.settings.documents.kinds import DocumentChecker, text_of
from hookkit.settings.formats import LIKELY, NO, by_name
from hookkit.settings.hook_files import frontmatter
from hookkit.system.suggestions import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookkit.settings.documents.kinds import Fields

GROUP: "Fields" = {"matcher": "any text", "*hooks": "anything"}


def claim(path: str, text: str) -> int:
    is_frontmatter = path.endswith(".md") and re.match(r"\ufeff?---\s*\n", text)
    return by_name(path, "SKILL.md") or (LIKELY if is_frontmatter else NO)


def examine(path: str, text: str) -> FileReport:
    tree, unreadable = yaml_text.read(path, frontmatter(text))
    file = _Skill(path, text)
    if tree is not None:
        file.read(tree)
    return FileReport(path, [*unreadable, *file.found])


class _Skill(DocumentChecker):
    unknown_fields = WARNING  # the client ignores them
    once = True  # the one place where the client honours `once`

    def read(self, tree: Element) -> None:
        for event, groups in self.table(self.table(tree, "frontmatter").get("hooks"), "hooks").items():
            if event not in EVENTS:
                fix = did_you_mean(event, [*EVENTS])
                self.say(groups.named, f"hooks: unknown event {shown(event)}: the client ignores it", fix)
                continue
            for number, group in enumerate(self.rows(groups, f"hooks.{event}")):
                self.group(event, group, f"hooks.{event}[{number}]")

    def group(self, event: str, group: Element, label: str) -> None:
        fields = self.fields(group, GROUP, label)
        if "matcher" in fields:
            for severity, message, fix in permissions.matcher_remarks(event, text_of(fields["matcher"])):
                self.say(fields["matcher"].where, f"{label}: matcher: {message}", fix, severity)
        for number, element in enumerate(self.rows(fields.get("hooks"), f"{label}.hooks")):
            handlers.examine(self, event, element, f"{label}.hooks[{number}]")
