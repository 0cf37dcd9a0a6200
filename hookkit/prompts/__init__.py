"""Text that goes to the model with a prompt: nudges to agents, commands and skills; LOCAL.md and the rules.

`prose` finds the person's own words in a prompt, `keywords` finds keywords, `nudges` builds the reply; `skills` and
`skill_index` choose and quote a SKILL.md; `local_notes` reads LOCAL.md; `hint_causes` and `hint_advice` explain a
failed call. May import model, errors, system, settings and redirect.
"""
