"""Text that goes to the model with a prompt: nudges to agents, commands and skills; LOCAL.md and the rules.

`prose` finds the person's own words in a prompt, `matching` finds keywords, `nudges` builds the reply; `skills`,
`skill_index`, `skill_cache` and `skill_text` choose and quote a SKILL.md; `local_notes` reads LOCAL.md; `restore_note`
carries the state of the work over a compaction. May import `model`, `errors`, `system`, `settings` and
`transcripts`.
"""
