"""Hostile source code: for each language, texts that parsers get lost in, of any length.

`of(language)` gives makers by name; a maker takes the number of characters and gives about as many.
"""

# ruff: noqa: E501
# fmt: off
from __future__ import annotations

from collections.abc import Callable
from random import Random

Maker = Callable[[int], str]


def rep(unit: str) -> Maker:
    """The same again and again."""
    return lambda n: (unit * (n // len(unit) + 1))[:n]


def nest(opening: str, closing: str) -> Maker:
    """As many openings as closings, and one thing inside."""

    def make(n: int) -> str:
        times = n // (len(opening) + len(closing))
        return opening * times + "1" + closing * times

    return make

def pre(start: str, make: Maker) -> Maker:
    """With a start that makes the rest what it is."""
    return lambda n: start + make(n)


def chosen(seed: int, parts: list[str], between: str = "") -> Maker:
    """Parts at random."""
    return lambda n: between.join(Random(seed).choices(parts, k=n // (1 + 3 * len(between))))


COMMON: dict[str, Maker] = {f"open {c}": rep(c) for c in "([{<"} | {f"close {c}": rep(c) for c in ")]}>"} | {
 "nest ()": nest("(", ")"), "nest []": nest("[", "]"), "nest {}": nest("{", "}"), "nest <>": nest("a<", ">"),
 "mixed open": rep("([{"), "mixed brackets": rep("([{)]}"),
 **{f"op {o}": rep(o) for o in ["+","-","*","/","=","&","|","!","~","^","%","@","#","$","?",":",";",",",".","\\","`","'",'"',"<<","->","=>","::","..","a","0","_","\n"," ","\t","\r","\x0c","\0","\ufeff","é","猫","👩‍👩‍👧","\u0301","\ufffd", "\x1b", "\x7f"]},
 **{f"a{o}": rep("a"+o) for o in ["+","-","*","/","=","&","|","?","<",">","?:","=>","->",".","::",",",";","(","[","{","<<","'","\"","`","$","@","\\","\n","==","&&","||","??","?.", " ", ": ", " in ", " if ", "=>\n","=\n", "<b>", "<b,", "(b)(", "*b&"]},
 "alternating quotes": rep("'\""), "quote soup": rep("'\"`${"), "unclosed string": lambda n: 'x = "' + "a"*n, "unclosed comment": lambda n: "/*" + "a*"*(n//2),
 "minified": rep("a=f(1,'abc');if(x){y();}"), "strings": rep('"a",'), "numbers": rep("1,"), "b64": rep("QWxhZGRpbjpvcGVuIHNlc2FtZQ"),
 "prose": rep("The quick brown fox, isn't it? It's \"so\" (very) quick: 3 < 4 & 5 > 2.\n"), "json": rep('{"a":[1,2,{"b":null}],"c":"d"},\n'),
 "html": rep("<div class='a'><p>it's</p></div>\n"), "css": rep(".a:hover>b{color:#fff;margin:0 1px}\n"), "latex": rep("\\begin{a}$x_1^2$\\end{a} \\% {\\bf b}\n"),
 "hex": rep("0x1f, "), "csv": rep("a,1,\"b c\",,\n"), "yaml": rep("- a: b\n  c: [d, e]\n"), "log": rep("[2024-01-01 12:00:00] ERROR a.b: c=d (e) <f>\n"), "diff": rep("@@ -1,2 +3,4 @@\n-a\n+b\n"),
 "if else": rep("if(a){b}else "),
 "random": chosen(1, list("abc01 \n()[]{}<>;:,.=+-*/'\"`$#@!?&|\\")), "bytes": chosen(2, [chr(i) for i in range(1, 256)]),
 "random words": chosen(3, "if else for while class def function return let var a b ( ) { } [ ] ; , = => < > int void struct enum switch case end do begin select from where and or not in union 1 \"s\"".split(), " "),
 "chain": lambda n: ("a=" * 999 + "b;\n") * (n // 2001 + 1), "half surrogates": rep("\ufffd'"),
}
OWN: dict[str, dict[str, Maker]] = {
 "python": {"lambda": rep("lambda a:"), "decor": rep("@a\n"), "not": rep("not "), "indent": lambda n: "".join(" "*i+"if x:\n" for i in range(int((2*n)**.5))), "dedent": rep("if x:\n  y\n z\n"), "fstring": nest('f"{', '}"'), "fopen": rep('f"{'), "triple": rep('"""'), "await": rep("await "), "comp": rep("[a for a in "), "cond": rep("a if b else "), "cmp": rep("a<b>c "), "print": rep("print a, "), "star": rep("*a,"), "walrus": rep("(a:="), "match": rep("match a:\n case b:\n"), "type": rep("type a[b]=c[d]\n"), "dictcomp": rep("{a:b for a in "), "backslash": rep("\\\n"), "slice": rep("a[b:c:"), "exec": rep("exec a in b, ")},
 "javascript": {"arrows": rep("a=>"), "parrow": rep("(a)=>("), "tmpl": nest("`${", "}`"), "tmpl open": rep("`${"), "jsx": nest("<a>", "</a>"), "jsx open": rep("<a>"), "jsx attr": rep("<a b={<c d={"), "regex": rep("/a/"), "regexc": rep("/[/"), "async": rep("async "), "new": rep("new "), "cond": rep("a?b:"), "asi": rep("a\n++\n"), "obj": rep("({a:"), "destruct": rep("[a,{b:["), "yield": rep("yield "), "spread": rep("[..."), "opt": rep("a?.b"), "assignpat": rep("({a=b}="), "html comment": rep("<!--a\n"), "import": rep("import(")},
 "typescript": {"generic": rep("a<b<"), "arrows": rep("<T>(a:"), "cond type": rep("type A=B extends C?D:"), "asserts": rep("<a>"), "as": rep("a as b "), "fn type": rep("type A=(a:(b:"), "tmpl": rep("`${"), "decl": rep("declare module a{"), "obj": rep("a:{b:"), "union": rep("type A=|"), "overload": rep("function f(a?:b):c;"), "cmp": rep("a<b>(c)"), "jsx": nest("<a>","</a>"), "keyof": rep("keyof "), "optional": rep("a?:b;"), "abstract": rep("abstract "), "arrow ret": rep("(a):b=>")},
 "java": {"generic": rep("A<B,"), "cast": rep("(A)(B)"), "lambda": rep("(a)->"), "annot": rep("@A("), "new": rep("new A(){"), "arr": rep("a[]"), "switch": rep("switch(a){case b->"), "text block": rep('"""'), "cond": rep("a?b:"), "wild": rep("A<?extends "), "decl": rep("A<B>c;"), "class": rep("class A{"), "cmp": rep("a<b&&c>d"), "methodref": rep("a::b"), "inst": rep("a instanceof b c&&"), "mods": rep("public static "), "generic call": rep("a.<b>c(")},
 "c": {"define": rep("#define a b\\\n"), "ifdef": rep("#ifdef a\n"), "elif": rep("#if a\n#elif b\n"), "include": rep("#include <a\n"), "cast": rep("(a)(b)"), "ptr": rep("a*b;"), "decl": rep("int(*"), "attr": rep("__attribute__(("), "knr": rep("f(a)int a;{"), "macro": rep("A(b)C(d)"), "if0": rep("#if 0\nit's\n#endif\n"), "line cont": rep("\\\n"), "sizeof": rep("sizeof("), "comma": rep("(a,"), "goto": rep("a:"), "stringize": rep("#"), "fnptr": rep("int(*a)(int(*b)("), "init": rep("{.a={"), "case": rep("case a:"), "mod": rep("static const "), "amb": rep("(a)*b-(c)&d"), "concat": rep('"a" ')},
 "cpp": {"tmpl": rep("template<"), "tmpl2": rep("template<class T>"), "ang": rep("a<b>c<d>"), "anglt": rep("a<b,c<"), "lambda": rep("[=](a){"), "ns": rep("namespace a{"), "qual": rep("a::b::"), "decltype": rep("decltype("), "raw": rep('R"a('), "op": rep("operator"), "cast": rep("(a)(b)"), "amb": rep("a b(c(d));"), "amb2": rep("a(*b)(c);"), "ifdef": rep("#if a\n"), "req": rep("requires(a){"), "concept": rep("template<a b=c<d>> "), "ctor": rep("a():b(c){"), "attr": rep("[["), "using": rep("using a=b<c>;"), "dot": rep("a.template b<"), "cmp": rep("a<b||c>(d)"), "static": rep("static a<b>c,"), "new": rep("new (a)b(c)")},
 "csharp": {"linq": rep("from a in b select "), "interp": rep('$"{'), "interp nest": nest('$"{','}"'), "raw": rep('"""'), "verb": rep('@"'), "generic": rep("A<B,"), "lambda": rep("(a)=>"), "switch": rep("a switch{b=>"), "null": rep("a?.b??"), "attr": rep("[A("), "tuple": rep("(a,b)"), "cast": rep("(A)(B)"), "pp": rep("#if A\n"), "region": rep("#region a\n"), "cmp": rep("a<b>(c)"), "with": rep("a with{b="), "pattern": rep("a is{b:"), "nullable": rep("A?[]"), "async": rep("async a=>"), "where": rep("where a:b "), "dollar": rep("$$$"), "query": rep("a<b,c>d,")},
 "go": {"func": rep("func(a "), "chan": rep("chan<-"), "map": rep("map["), "lit": rep("A{B{"), "generic": rep("a[b["), "raw": rep("`"), "rune": rep("'\\"), "semi": rep(";"), "struct": rep("struct{a "), "iface": rep("interface{a()"), "sel": rep("select{case "), "label": rep("a:"), "type": rep("type a["), "arr": rep("[...]a{"), "call": rep("f("), "decl": rep("var a,b,"), "ptr": rep("*a"), "comp": rep("a{b:c{"), "cmp": rep("a<b,c>d"), "ret": rep("func()("), "if": rep("if a{")},
 "rust": {"raw": rep('r#"'), "raws": rep("r###"), "life": rep("'a"), "generic": rep("A<B<"), "macro": rep("m!("), "nestmacro": nest("m!(", ")"), "closure": rep("|a|"), "match": rep("match a{b=>"), "attr": rep("#[a("), "turbo": rep("a::<"), "ref": rep("&&"), "where": rep("where A:B,"), "impl": rep("impl A for "), "comment": rep("/*"), "commentnest": nest("/*","*/"), "dyn": rep("dyn A+"), "try": rep("a?"), "range": rep("a.."), "as": rep("a as b<"), "unsafe": rep("unsafe{"), "macro_rules": rep("macro_rules! a{($b:c)=>{"), "doc": rep("///a\n"), "struct": rep("A{b:"), "iflet": rep("if let A(b)=")},
 "ruby": {"heredoc": rep("<<A,"), "heredocs": rep("f(<<~A, <<-B)\n"), "heredoc interp": rep("<<A\n#{"), "percent": rep("%w("), "percentq": rep("%q{"), "interp": nest('"#{','}"'), "interp open": rep('"#{'), "block": rep("a{|b|"), "do": rep("a do |b|\n"), "def": rep("def a\n"), "regex": rep("/a"), "sym": rep(":a "), "symq": rep(':"'), "cond": rep("a ?b :c "), "rescue": rep("a rescue "), "unless": rep("a unless "), "hash": rep("{a: "), "splat": rep("*a,"), "op": rep("a -b "), "begin": rep("begin\n"), "case": rep("case a\nwhen "), "lambda": rep("->(a){"), "args": rep("f a, "), "masgn": rep("a,b="), "end": rep("end "), "slash": rep("a /b "), "longheredoc": lambda n: "".join(f"<<A{i}," for i in range(n//6)), "heredoc one long": lambda n: "<<" + "A"*n + "\n"*10, "question": rep("?a"), "yield": rep("yield a,")},
 "php": {"tags": rep("<?php a();?>b"), "open": rep("<?php "), "close": rep("?>"), "php heredoc": pre("<?php ", rep("<<<A\n")), "interp": pre("<?php ", rep('"{$a[')), "interp2": pre("<?php ", rep('"$a ')), "fn": pre("<?php ", rep("fn($a)=>")), "new": pre("<?php ", rep("new class{")), "cast": pre("<?php ", rep("(int)")), "arr": pre("<?php ", rep("[$a=>")), "match": pre("<?php ", rep("match($a){$b=>")), "cond": pre("<?php ", rep("$a?$b:")), "if": pre("<?php ", rep("if($a):")), "attr": pre("<?php ", rep("#[A(")), "ns": pre("<?php ", rep("\\a")), "var": pre("<?php ", rep("$$")), "varb": pre("<?php ", rep("${")), "else": pre("<?php ", rep("else if($a)")), "alt": rep("<?php if($a): ?><b><?php endif; ?>"), "short": rep("<?=$a?>"), "static": pre("<?php ", rep("a::b")), "inst": pre("<?php ", rep("$a instanceof ")), "nowdoc": pre("<?php ", rep("<<<'A'\n")), "open only": rep("<?"), "backtick": pre("<?php ", rep("`$a"))} | {f"p {k}": pre("<?php ", v) for k, v in COMMON.items() if k.startswith(("open", "nest", "a", "mixed", "random", "quote"))},
 "bash": {"subst": rep("$("), "substn": nest("$(", ")"), "arith": rep("$(("), "param": rep("${a:-"), "paramn": nest("${a:-","}"), "if": rep("if(x)"), "ifs": rep("if a;then "), "case": rep("case a in b)"), "heredoc": rep("<<A "), "heredocs": rep("cat <<A <<B\n"), "heredoc interp": rep("<<A\n$(" ), "back": rep("`a "), "brace": rep("{a,"), "test": rep("[[ a "), "testm": rep("[[ a =~ "), "proc": rep("<("), "pipe": rep("a|"), "amp": rep("a&"), "and": rep("a&&"), "fn": rep("f(){ "), "redir": rep(">a"), "redirs": rep(" >&1"), "for": rep("for a in b;do "), "quote": rep('"$('), "dq": rep('"${a["'), "assign": rep("a=b "), "arr": rep("a=("), "concat": rep("$a"), "glob": rep("*?[a]"), "esc": rep("\\ "), "cmt": rep("#a\n"), "not": rep("! "), "ext": rep("@(a|"), "while": rep("while a;do "), "sq": rep("$'"), "longheredoc": lambda n: "cat " + "".join(f"<<A{i} " for i in range(n//7)), "heredoc long": lambda n: "cat <<" + "A"*n + "\n", "heredoc body": lambda n: "cat <<A\n" + "a $b\n"*(n//5), "heredoc nul": lambda n: "cat <<A\n" + "\x01"*n, "tern": rep("((a?b:"), "sub": rep("(a;"), "nameref": rep("${!a"), "regex": rep("[[ a =~ (b|c) ]]"), "numbers": rep("{1..2}")},
 "sql": {"union": rep("SELECT 1 UNION "), "unionall": rep("SELECT a FROM b UNION ALL "), "sub": rep("SELECT (SELECT "), "from": rep("SELECT * FROM ("), "case": rep("CASE WHEN a THEN "), "case sel": rep("SELECT CASE WHEN a THEN "), "and": rep("a AND "), "where": pre("SELECT a FROM b WHERE ", rep("c=1 AND ")), "in": pre("SELECT a FROM b WHERE c IN (", rep("1,")), "join": pre("SELECT a FROM b ", rep("JOIN c ON d=e ")), "values": pre("INSERT INTO a VALUES ", rep("(1,'a'),")), "cte": rep("WITH a AS ("), "dollar": rep("$$"), "dollartag": rep("$a$"), "create": rep("CREATE TABLE a("), "comment": rep("--a\n"), "paren": pre("SELECT ", rep("(")), "not": pre("SELECT ", rep("NOT ")), "arr": pre("SELECT ", rep("ARRAY[")), "cast": pre("SELECT a", rep("::b")), "between": pre("SELECT ", rep("a BETWEEN b AND ")), "begin": rep("BEGIN "), "semi": rep("a;"), "words": rep("select from where "), "quotes": rep("''"), "longtag": lambda n: "$" + "a"*n + "$", "tagbody": lambda n: "$a$" + "$b"*(n//2), "fn": rep("CREATE FUNCTION a() RETURNS b AS $$ "), "inserts": rep("INSERT INTO a (b,c) VALUES (1,'x''y');\n"), "op": pre("SELECT ", rep("a->>'b'")), "window": pre("SELECT ", rep("a() OVER (PARTITION BY ")), "alias": pre("SELECT ", rep("a b,"))},
}


def of(language: str) -> dict[str, Maker]:
    """All that is hostile to a language: what is to every one, and what is its own."""
    return COMMON | OWN[language]
