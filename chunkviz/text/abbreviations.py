"""Words that end in a full stop without ending a sentence: data for `text.sentences`, lower case, without that stop."""

from typing import Final

NEVER: Final = frozenset(
    # titles and forms of address
    "dr mr mrs ms mx prof rev fr gen sen rep gov capt cpt lt col sgt maj cmdr adm hon pres supt messrs mmes mme mlle"
    " hr frl dipl ing sr sra srta dña dn st ste mt ft"
    # what explains or compares
    " e.g eg i.e ie cf viz vs v resp incl excl approx ca circa esp p.ex p.ej т.е т.к напр см им ул гр стр рис"
    " z d u o z.b d.h u.a o.ä i.d.r bzw ggf evtl sog vgl bspw inkl exkl mind".split()
)
"""A sentence never ends here."""

BEFORE_NUMBER: Final = frozenset(
    "no nos nr fig figs eq eqs sec sect ch chap art arts vol vols p pp pt app ex tab abb kap abs bd s st § ver rev ref"
    " op lit núm pág cap fn n".split()
)
"""A sentence does not end here when a number, a letter or a numeral follows."""

SOMETIMES: Final = frozenset(
    "inc ltd co corp llc bros jr sr ph.d m.d b.a m.a b.sc m.sc d.c u.s u.s.a u.k u.n e.u a.m p.m etc al usw usf"
    " jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun ave blvd rd dept univ est assn"
    " max min т.д т.п г гг в вв др руб".split()
)
"""A sentence ends here only when a word that often begins one follows."""

STARTERS: Final = frozenset(
    "the a an this that these those there here it he she we they i you his her its our their my your if when while"
    " after before because since although but and so yet however then also in on at for from with as by to of what who"
    " why how where which no not all some many most each every both one two three today now once please let see der die"
    " das ein eine es er sie wir ihr ich du und aber doch wenn als dann le la les un une il elle nous vous je et mais"
    " el los las una ella nosotros y pero это он она мы они я и но в на".split()
)
"""Words that often begin a sentence, in the languages the abbreviations above are from."""

GERMAN_BEFORE_ORDINAL: Final = frozenset(
    "am der die das dem den des vom zum zur im ab bis seit und beim ins jeder jede jedes ein eine einen einem".split()
)
GERMAN_AFTER_ORDINAL: Final = frozenset(
    "januar februar märz april mai juni juli august september oktober november dezember"
    " jahrhundert platz stock klasse auflage kapitel mal tag woche quartal".split()
)
