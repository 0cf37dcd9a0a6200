"""The fleet's hub: rows of many machines in PostgreSQL, checked as they come in, read by role. See docs/fleet.md.

`postgres` connects and migrates (`migrations/*.sql`); `people` and `machines` say who may come in, `people` who may
answer an approval, and `machines` which ones are late or silent; `ingest` takes rows; `questions` and `contents` answer
questions as the database role of the person who asks; `app` and `server` serve all of it. Needs the extra
`hookkit[hub]`. May import ledger, fleet and system.
"""
