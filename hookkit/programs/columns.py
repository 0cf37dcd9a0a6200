"""The columns of a record, by the kind of their value. docs/programs.md says what each one means."""

TEXTS = frozenset(
    """
    also like value attached number flags known same means operands reads writes at inplace deep unsafe needs check
    begins refuses commands carries directory entry language code sends talking task behind cosmetic everything whole
    pretends secret acts wraps versions
    """.split()
)
SWITCHES = frozenset(
    """
    words everywhere harmless undoable names free contentless acting plain joins assigns feeds transparent talks unpacks
    """.split()
)
# Effects on more than files: `destroys = "disk"`, or `destroys.aws = ["s3 rb *", …]`. Rules are about `Destroy(aws)`.
VERBS = {
    "destroys": "Destroy",
    "changes": "Change",
    "publishes": "Publish",
    "opens": "Open",
    "stops": "Stop",
    "prints": "Print",
    "runs": "Run",
    "rewrites": "Rewrite",
}
