"""Finds the keywords that a prompt asks for, exact or mistyped; mentions, names and negations do not count.

Lists of words are strings, not sets: a search in a string is as fast here, and a string loads in no time.
"""

from hookkit.prompts.prose import END, ends, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


KEYWORDS = {
    "ship": "/ship",
    "build": "/build",
    "refine": "/refine",
    "tweet": "/tweet",
    "readme": "@readme",
    "learn": "@learn",
    "improve": "@improve",
    "visual": "@visual",
    "distill": "@distill",
}

# A keyword before (AFTER) or behind (BEFORE) these words is the name of a thing: the build failed, Visual Studio.
AFTER = {
    "build": " 's is was isn't wasn't has hasn't fail fails failed failing breaks broke passes passed succeeds "
    "succeeded takes took finished finishes ",
    "ship": " 's ",
    "visual": " studio basic ",
}
BEFORE = {
    "build": " make break breaks broke broken breaking red failing failed last latest previous nightly current during "
    "after since in ",
    "ship": " the a an my your his her their each every player enemy space alien pirate ",
}
ARTICLES = " the a an our my your this that "
# These make a name too (clear the build cache), except where a verb is expected (please build status pages).
COMPOUNDS = {
    "build": " failure failures error errors warning warnings log logs script scripts step steps output outputs "
    "artifact artifacts cache dir directory folder file files number id time times speed job jobs pipeline pipelines "
    "server servers system systems tool tools tooling target targets process config configuration status agent agents "
    "machine matrix stage dependency dependencies flag flags ",
    "ship": " date dates ",
}
VERBAL = " to you we i us lets 's please just now also help will should can could would must or "
# After these programs any keyword is part of a command line: npm run build, docker build.
PROGRAMS = (
    " npm npx yarn pnpm bun deno cargo docker podman buildx dotnet gradle gradlew mvn mvnw bazel cmake ninja poetry "
    "hatch uv tox nox vite webpack turbo nx lerna bundle rake mix cabal flutter "
)

# "Don't ship": words that forbid, and following words (SPARES) that make a complaint, a question or a reminder of them.
REACH = 6  # words from a "not" to the forbidden keyword
FORBIDS = " not never dont doesnt didnt cant cannot wont shouldnt couldnt wouldnt mustnt isnt arent wasnt "
FORBIDS_NEXT = " leave skip ignore stop avoid "
SPARES = (
    " forget hesitate worry only have has had know see find understand like love sure happy get figure exist work "
    "satisfied convinced enough mind good great fast clear clean right nice bad readable ideal perfect optimal "
    "you we i they us "
)
CLAUSES = " and but then so please until unless before because if when while which since though although "

# Typing mistakes. Keywords with fewer than SHORT letters allow none, keywords with LONG or more letters may allow two.
SHORT, LONG = 4, 7
KEYS = {
    "q": "wa", "w": "qeas", "e": "wrsd", "r": "etdf", "t": "ryfg", "y": "tugh", "u": "yihj", "i": "uojk",
    "o": "ipkl", "p": "ol", "a": "qwsz", "s": "weadzx", "d": "ersfxc", "f": "rtdgcv", "g": "tyfhvb", "h": "yugjbn",
    "j": "uihknm", "k": "iojlm", "l": "opk", "z": "asx", "x": "sdzc", "c": "dfxv", "v": "fgcb", "b": "ghvn",
    "n": "hjbm", "m": "jkn",
}  # fmt: skip
# A letter added or removed at the end that makes another form of the same word.
ENDINGS, FORMS = "sdrynt", ("s", "ed", "er")

# Real words that differ from a keyword by one slip: never typing mistakes. The first row holds the words near the
# built-in keywords, from dictionaries and word counts of nine languages and from computing; the others are the common
# English words (of Debian's wamerican-large) near another common word, for the user's own keywords.
REAL_WORDS = (
    " bild buildx distils lean lear refind regine reine twee vishal "
    "able acre action actual addition advisor allied allies ally altitude amid angel angle apologies "
    "apples applied applies area arise article asset award back backed bacon bacteria badge bail bake "
    "baker band bank bare barn baron bass bath beach bean beast beat beats begin begun bell bells bend "
    "bent best beta bets blast blind blonde blood blow boat boats bond bone book boom boot booth boots "
    "bore born both bought bowl brad brand brave breach breast breath brick bride broke burn burton bush "
    "bust button buys came camp camps cannon canon cant canyon capita care carl carried carrier carriers "
    "carries cart case cash cast cats cause chat cheat cheek chef chest chick child chin choose chose "
    "chuck clan clarify clarity class click clock close closer closes closest closet cloud coal coat coke "
    "cold come comic committed compete complain complete concert cone confession confirm contact contest "
    "context continent contract convert copies corp corps cost costs count counties countries country "
    "county cover creep cried cries crop crow cure curse dairy dawn dead deal debt debut decent deliver "
    "demo denied descent desert dessert detect detective diary died difficult director dirt disc discover "
    "ditch dive divided does done door down draw drink drive drove drunk dust dutch duty ease eats eight "
    "eighth either election employed employer endure ensure eternal ethnic even ever evil evolution "
    "evolutionary except exit explode explore factor fair fame fare fast father fault feat feet fiction "
    "fifth fifty fight filed files final finals fire fired fires fist fits flat flee flood floor flow "
    "fond font food forgive form fort forth forty four fraction fried fries from full fund fury gain "
    "garage gave gene generic genetic give globe grace grade grave grove grow grows guilt hair hand hard "
    "hardy harry hart hated have haven health hear heat hell heroin honest horn human humans hunt idea "
    "identified identify identity implied implies inferior inter interior into iron jealous join kind "
    "kinds know lace ladder lane last laughter layer length lets lighting line loan lone loose lose lots "
    "luck lunch lynch mafia major male manor maple marc march margin maria marker mars martial martin "
    "marvel master match mate math matt meal mean meat media mere mess metal might milk mission mistake "
    "mode modes money mood moon moral morality more mortal mortality most motion move named need nets "
    "neutral nice nose noting nuclear occupied once ourselves pace pain palm parent part party past "
    "patent path person persons pets petty phase photograph pick piece pierce place plan plane plans "
    "plant pleasant plot pond pool pose potter power precious premier pretty previous price pride probe "
    "processor prof profession professor prone proof pros prove punch pure purse qualify quality quarter "
    "quiet quit quite quote rage raid rain raise rand random rational reactor read real reason recover "
    "reference refuge refugee reign relay relied relief relies rely reminder replay replied replies reply "
    "reservation reserve resident residential resign rest resume retain review ride rise risk rock rogue "
    "root route ruby runway sack sage sail sake sale salon salt same sand sang savage save scare scared "
    "seal seat seed seen self sell send sensor sent sept seventh shade shake shame shape share sheer "
    "shift shine shirt shoe shoot short shot show shut sick side sigh sight simulation sing site sixth "
    "sixty size skill skull slate sleep slice slide snack snake sneak soil sole soon sore sort speed "
    "spice spike spin spit splash spoke spot spring sprint stage stand star stare stars stat state stats "
    "statue status stay steak steal steam steel steep stem step stick stiff sting stock stole store "
    "stores story strain streak stream strike string strip strips stroke struck stuck studied studies "
    "stuff stunt suit suits sunset super supplied supplier suppliers supplies sure swap swear sweat sword "
    "table tail take tale tank tech tend tens tent than thee them there thin thing thirty though three "
    "threw through throw tick tied tier ties tired tires toll tough trace trade trail transit treat tree "
    "trial trick tried tries truck true trust trusted trying unclear unit units user varied varies vent "
    "very vice victor villa violet viral visa vital wait wake warrant warren wave wealth wear weigh "
    "weight were what while whole widow wind with withdraw wood word wore worried worries worth wrap "
    "wright write wrote "
)


def listed(word: str, text: str) -> bool:
    return f" {word} " in text


# -- matching --------------------------------------------------------------------------------------


DISTINCT = 1_000  # words checked for typing mistakes


class KeywordMatch:
    """A word of the prompt and its keyword; the two differ if the word is mistyped."""

    __slots__ = ("keyword", "target", "word")

    def __init__(self, word: str, keyword: str, target: str) -> None:
        self.word = word
        self.keyword = keyword
        self.target = target


def matches(prompt: str, spoken_words: list[str], rows: dict[str, str], *, fuzzy: bool) -> "Iterator[KeywordMatch]":
    """Every row that the prompt asks for: first exact words in the table's order, then mistyped words."""
    for keyword, target in rows.items():
        if says(prompt, spoken_words, keyword):
            yield KeywordMatch(keyword, keyword, target)
    if not fuzzy:
        return
    heads = by_head(spoken_words)
    for keyword, target in rows.items():
        for word in mistyped(keyword.replace("-", ""), heads):
            if _asks(spoken_words, [word], keyword):
                yield KeywordMatch(word, keyword, target)


def says(prompt: str, spoken_words: list[str], keyword: str) -> bool:
    if keyword.isascii() and keyword.isalpha():
        return _asks(spoken_words, [keyword], keyword)
    parts = words(keyword)
    if "".join(parts) == keyword.replace(" ", "").replace("-", ""):
        return bool(parts) and _asks(spoken_words, parts, keyword)
    # Not a word of letters: `c++` must stand alone; text of a script without spaces may stand anywhere.
    text = ends(prompt).lower()
    return keyword in (text.split() if keyword.isascii() else text)


def _asks(spoken_words: list[str], parts: list[str], keyword: str) -> bool:
    """Whether the words occur as a request: not forbidden, not the name of a thing, not a command line."""
    if parts[0] not in spoken_words:
        return False
    places = [
        at for at, word in enumerate(spoken_words) if word == parts[0] and spoken_words[at : at + len(parts)] == parts
    ]
    return any(not _is_name(spoken_words, at, keyword) and not is_forbidden(spoken_words, at) for at in places)


def _is_name(spoken_words: list[str], at: int, keyword: str) -> bool:
    """Whether the keyword names a thing: `the build failed`, `who broke the build`, `npm run build`."""
    after = spoken_words[at + 1] if at + 1 < len(spoken_words) else END
    before, first = (*reversed(spoken_words[max(0, at - 2) : at]), END, END)[:2]
    if listed(after, AFTER.get(keyword, "")):
        return True
    if listed(after, COMPOUNDS.get(keyword, "")):
        return not (before == END or listed(before, VERBAL + CLAUSES))
    names = BEFORE.get(keyword, "")
    if listed(before, names) or (listed(before, ARTICLES) and listed(first, names)):
        return True
    return listed(first if before == "run" else before, PROGRAMS)


def is_forbidden(spoken_words: list[str], at: int) -> bool:
    for back in range(at - 1, max(-1, at - 1 - REACH), -1):
        word, after = spoken_words[back], spoken_words[back + 1]
        if word == END or listed(word, CLAUSES):
            return False
        if listed(word, FORBIDS_NEXT):
            return at - back <= 2  # noqa: PLR2004 - an article may stand between
        if (word, after) in (("no", "need"), ("never", "mind")):
            return True
        if listed(word, FORBIDS) or word.endswith("n't"):
            spared = listed(after, SPARES) and spoken_words[back + 1 : back + 3] != ["have", "to"]
            return not spared and spoken_words[max(0, back - 1)] != "why"
    return False


def by_head(spoken_words: list[str]) -> dict[str, list[str]]:
    """The distinct words by first letter, so that each keyword is compared with few words."""
    heads: dict[str, list[str]] = {}
    distinct = [word for word in dict.fromkeys(spoken_words) if len(word) >= SHORT and word.isalpha()]
    for word in distinct[:DISTINCT]:
        heads.setdefault(word[0], []).append(word)
    return heads


def mistyped(keyword: str, heads: dict[str, list[str]]) -> list[str]:
    """The words that are typing mistakes of the keyword. rapidfuzz is loaded only if a word is near."""
    if len(keyword) < SHORT:
        return []
    near = [word for head in dict.fromkeys(keyword[:2]) for word in heads.get(head, ()) if _is_near(word, keyword)]
    if not near:
        return []
    from rapidfuzz.distance import OSA

    return [word for word in near if OSA.distance(word, keyword) <= 1 + _is_shuffled(word, keyword)]


def _is_near(word: str, keyword: str) -> bool:
    """A cheap test: similar start and length, a typical slip, and not an English word of its own."""
    if word == keyword or abs(len(word) - len(keyword)) > 1 or not _heads_agree(word, keyword):
        return False
    if not (_is_shuffled(word, keyword) or _slips(word, keyword)):
        return False
    return not _inflects(word, keyword) and not listed(word, REAL_WORDS)


def _heads_agree(word: str, keyword: str) -> bool:
    """People notice a wrong first letter: it must be right, swapped with the second, or (in a long word) lost."""
    swapped = word[:2] == keyword[1::-1]
    return word[0] == keyword[0] or swapped or (len(keyword) >= LONG and word == keyword[1:])


def _is_shuffled(word: str, keyword: str) -> bool:
    """Whether a long word has the same letters as the keyword: two slips are allowed then."""
    return len(keyword) >= LONG and set(word) == set(keyword)


def _slips(word: str, keyword: str) -> bool:
    """Whether the difference is a swapped, doubled, lost or neighbouring key: any other letter makes another word.

    In a short word only swapped and doubled letters count, since most words near a short word are real words.
    """
    at, end = _prefix(word, keyword), _prefix(word[::-1], keyword[::-1])
    long = len(keyword) > SHORT
    if at + end < len(keyword) - 2:
        return False
    if len(word) < len(keyword):
        return long
    if len(word) == len(keyword):
        swapped = word[at : at + 2] == keyword[at : at + 2][::-1]
        return swapped or (long and word[at] in KEYS.get(keyword[at], ""))
    beside = keyword[max(0, at - 1) : at + 1]
    return word[at] in beside or (long and any(word[at] in KEYS.get(key, "") for key in beside))


def _prefix(one: str, other: str) -> int:
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _inflects(word: str, keyword: str) -> bool:
    """Whether the word is another form of the keyword (`ships`); a last letter typed twice is a slip."""
    if word[:-1] == keyword:
        return word[-1] in ENDINGS and word[-1] != keyword[-1]
    return keyword[:-1] == word and keyword.endswith(FORMS)


def calls(prompt: str, target: str) -> bool:
    """Whether the prompt already calls the target by name, as people or the client's completion write it."""
    text, name = ends(prompt).lower(), target.lower()
    if name[1:] not in text:
        return False
    spellings = (name, f"@agent-{name[1:]}", f'@"{name[1:]}')
    return any(token.strip("()[]{}<>*_~`,.;:!?'").rstrip('"') in spellings for token in text.split())
