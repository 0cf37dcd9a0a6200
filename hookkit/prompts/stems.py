"""Words of prompts and skills, reduced to comparable stems, and words that say little."""

from hookkit.prompts.keywords import listed
from hookkit.prompts.prose import words

# Stop words, ignored: they occur in any prompt and any skill.
STOP = (
    " 's a about above actually after again all already also always am an and another any anything are as ask asked "
    "asks at away back be because been before being below best better between both but by came can cannot could did "
    "do does doing done down each either else even ever every everything few first for from further gets getting give "
    "given gives go goes going good got had has have having he help her here him his how however i if in instead into "
    "is it its itself just keep kind know last later least less let lets like little look looks lot made make makes "
    "making many may maybe me mean means mention mentions might more most much must my need needs never new next no "
    "none nor not nothing now of off ok on once one only or other others our out over own per perhaps please put "
    "rather really right same say says see seem seems several shall she should show since skill so some something "
    "sometimes soon still such sure take takes tell than thank thanks that the their them then there these they thing "
    "things this those three through time to together too try two under until up upon us use used useful user user's "
    "uses using very via want wanted wants was way we well were what whatever when whenever where whether which while "
    "who whole why will with within without would yes yet you your "
)
# Common words of computing: they support a match but never make a match alone.
COMMON = (
    " access account across action actions active add advanced agent allow analysis analyze answer api app application "
    "apply approach area argument array article assistant async attribute audit author auto automatic available "
    "backend bad bar base basic batch beta big bit block body bool box branch break broken browser bug build button "
    "cache call careful case category cause change character check class clean clear cli click client clone close "
    "cloud code coding color colour column command comment commit common company compare complete complex component "
    "comprehensive compress computer concept condition config configuration connect connection console constant "
    "content context control convert copy core correct cost count cover coverage crash create current custom customer "
    "daily dashboard data database date day dead debug deep default define delete dependency deploy deployment "
    "describe description design detail detect dev develop developer development diff difference different directory "
    "disable disk display doc docs document documentation domain download draft drop duplicate early easy edit effect "
    "effective efficient email empty enable end endpoint engine engineer engineering ensure entry environment error "
    "essential event example exception exist existing expect expert expertise explain export expression extend "
    "external extract fail failing failure false fast feature feedback fetch field figure file fill filter final find "
    "fine fix flag flow folder follow font form format forward framework free frontend full function general generate "
    "git github global goal great group guide guideline handle handler happen hard head header helper hidden high "
    "hint history home hook host hour html http icon id idea image implement implementation import improve include "
    "index info information init input insert install instance int integration interface internal introduce issue "
    "item java javascript job json key kill label language large latest layer layout learn learning leave left length "
    "level library light limit line link lint list load local location lock log logic login logo long loop low main "
    "maintain manage management manager manual map master match max md memory menu merge message meta method middle "
    "min minor minute miss missing mock mode model modern module monitor month move multi multiple name native "
    "network node note notes notification number object old open operation optimize option order org organize "
    "original output overview owner package page panel parallel parameter parent parse parser part pass password past "
    "patch path pattern people percent perform performance permission person phone pick piece pipeline place plain "
    "plan planning platform plugin point policy position post power practical practice prepare present press prevent "
    "preview previous price print private pro problem process produce product production professional profile program "
    "programming progress project prompt property provide public publish pull push python quality query question "
    "queue quick raise random range rate raw reach react read readme ready real reason receive recent record reduce "
    "refactor reference refresh relate release remote remove rename render repair replace replay repo report "
    "repository request require required reset resolve resource respond response rest restart result retry return "
    "revert review role root route row rule run runtime safe safely sample save scale schedule schema scope screen "
    "script scroll search second section security select send sequence server service session set setting setup "
    "several shape share shell short sign similar simple single site size skip slow small snippet software solution "
    "solve sort source space spec special specialist specific split sql stack staging standard start state static "
    "status step stop storage store string strong structure style sub submit suggest suite summarise summarize "
    "summary support suspect switch symbol sync syntax system tab table tag target task team technical template term "
    "terminal test testing text theme thinking thread throw ticket title toggle token tool top topic total touch "
    "track traffic transform tree trigger true turn type ui ultimate undo unit unknown unused update upgrade upload "
    "url valid validate validation value variable various verify version view visible visit wait walk warning watch "
    "web website week wide widget width window word work worker workflow working workspace world wrap write writing "
    "wrong yaml year zip "
)
# Verbs whose object is the thing to be made.
MADE = (
    " add build convert create design do draft edit export fill fix generate give make need open prepare produce put "
    "read set turn update want write "
)


LONGEST_KIND = 5
# File endings found in every project: they say little about the request.
USUAL = (
    " c cc cfg cpp cs css go h hpp html ini java js json jsx kt lock log lua md mdx mjs php pl py rb rs rst scala sh "
    "sql svelte swift toml ts tsx txt vue xml yaml yml com org net io dev "
)
# Ending, replacement, least length of the word: at most one ending of each row is removed.
ROWS = (
    (("ies", "y", 5), ("sses", "ss", 6), ("xes", "x", 5), ("ches", "ch", 6), ("shes", "sh", 6), ("s", "", 4)),
    (("ing", "", 6), ("ed", "", 5), ("ion", "", 7)),
    (("ment", "", 8),),
    (("e", "", 4),),
)
KEPT = ("ss", "us", "is", "eed")


def spoken(text: str) -> list[str]:
    """The words of a text, with the endings of file names in it: `q3.xlsx` adds xlsx."""
    if "." in text:
        text = " ".join(token + _kind(token) for token in text.split(" "))
    return words(text)


def _kind(token: str) -> str:
    _, dot, kind = token.rstrip(")]}*_~.,;:!?'\"`\n").rpartition(".")
    fits = dot and kind.isascii() and kind.isalnum() and kind[0].isalpha() and 1 < len(kind) <= LONGEST_KIND
    return f" {kind}" if fits and not listed(kind.lower(), USUAL) else ""


def single(word: str) -> str:
    """The word without a plural ending."""
    return _without(word, ROWS[:1])


def stem(word: str) -> str:
    """The common stem of a word's forms. Different words may share a stem: locale, local."""
    return _without(word, ROWS)


def _without(word: str, rows: "tuple[tuple[tuple[str, str, int], ...], ...]") -> str:
    if not word.isascii():
        return word
    for row in rows:
        for ending, instead, least in row:
            if word.endswith(ending) and len(word) >= least and not word.endswith(KEPT):
                word = _undoubled(word[: -len(ending)]) + instead
                break
    return word


def _undoubled(word: str) -> str:
    """`running` comes from run, but `adding` from add and `pulling` from pull."""
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word  # noqa: PLR2004
