"""Showing and making tasks."""

import os
from typing import Any

from hookkit.cli._console import console, echo_json, fail, report, say, table
from hookkit.cli._work import add, ago, desk
from hookkit.masking import line
from hookkit.work import efforts

TITLE = 200  # characters
SHOWN = ("id", "ordinal", "skill", "mode", "phase", "agent", "lifecycle", "created", "finished")


def show_list(*, as_json: bool) -> None:
    with desk() as here:
        rows = [_row(row) for row in efforts.tasks(here.work)]
    if as_json:
        echo_json(rows)
        return
    if not rows:
        say("No tasks. Make one: hookkit task new DIR")
        return
    shown = table("TASK", "TITLE", "STATE", "EFFORTS", "KEYWORDS")
    for row in rows:
        add(shown, here.path(row["dir"]), row["title"], row["state"], row["efforts"], row["keywords"])
    console().print(shown)


def show_one(directory: str, *, as_json: bool) -> None:
    with desk() as here:
        path = os.path.realpath(directory)
        task = next((_row(row) for row in efforts.tasks(here.work) if row["dir"] == path), None)
        if task is None:
            fail(f"{directory} is not a task. Make it one: hookkit task new {directory}")
        rows = [row for row in efforts.efforts(here.work) if row["task"] == task["id"]]
    if as_json:
        echo_json({**task, "efforts": [{name: row[name] for name in SHOWN} for row in rows]})
        return
    say(f"{here.path(path)}  {task['title']}  {task['state']}")
    if task["keywords"]:
        say(f"keywords: {task['keywords']}")
    shown = table("ID", "EFFORT", "MODE", "PHASE", "AGENT", "STATE", "SINCE")
    for row in rows:
        since = ago(row["finished"] or row["created"])
        add(shown, *(row[name] for name in ("id", "skill", "mode", "phase", "agent", "lifecycle")), since)
    if rows:
        console().print(shown)


def make(directory: str, title: str, keywords: str, *, as_json: bool) -> None:
    path = os.path.realpath(directory)
    with desk() as here:
        os.makedirs(path, exist_ok=True)
        number = efforts.task(here.work, path, efforts.project_of(path))
        given = [("title", line(title, TITLE)), ("keywords", line(keywords, TITLE))]
        efforts.describe_task(here.work, number, [(name, value) for name, value in given if value])
        message = f"Task {here.path(path)}. Begin: hookkit effort start NAME --task {directory}"
        report(message, {"task": path, **{name: value for name, value in given if value}}, as_json=as_json)


def _row(task: dict[str, Any]) -> dict[str, Any]:
    return {**task, "state": "active" if task["active"] else "dormant"}
