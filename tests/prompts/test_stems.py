"""Words are compared without their endings, and files by their kind."""

import pytest

from hookkit.prompts.stems import single, spoken, stem


@pytest.mark.parametrize(
    "forms",
    [
        "migration migrations migrate migrated migrating",
        "slide slides sliding",
        "announce announcement announcing announced",
        "run running runs",
        "add adding added adds",
        "pull pulling pulls",
        "copy copies",
        "box boxes",
        "process processes processing",
        "match matches matching",
        "deploy deployment deployments deployed",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize("words", ["form format", "pod port", "table tab", "status state", "speed spec", "bus bu"])
def test_other_words_have_another(words: str) -> None:
    one, other = words.split()
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("word", "without"),
    [("pods", "pod"), ("class", "class"), ("status", "status"), ("analysis", "analysis"), ("entries", "entry"),
     ("locale", "locale"), ("aws", "aws"), ("boxes", "box"), ("größen", "größen"), ("", "")],
)  # fmt: skip
def test_a_plural_is_the_same_word(word: str, without: str) -> None:
    assert single(word) == without


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("open q3.xlsx", ["open", "#", "xlsx"]),
        ("open `q3.xlsx`, please", ["open", "#", "", "xlsx", "please"]),
        ('merge "a b.pdf" now', ["merge", "#", "pdf", "now"]),
        ("(see b.docx).", ["see", "#", "", "docx"]),
        ("fix main.py and app.ts", ["fix", "#", "and", "#"]),
        ("e.g. v2.0 of example.com... a.b.", ["#", "", "#", "of", "#", "", "#", ""]),
        ("it ends here.", ["it", "ends", "here", ""]),
    ],
)
def test_the_kind_of_a_file_is_a_word(text: str, words: list[str]) -> None:
    assert spoken(text) == words
