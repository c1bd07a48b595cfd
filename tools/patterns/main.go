// Records what Go's regexp does with patterns: the error of Compile, or what FindAllString finds in each text.
//
//	go run . >../../packages/kube/src/schema/structural/testdata/re2.json
package main

import (
	"encoding/json"
	"log"
	"math/rand"
	"os"
	"regexp"
	"strings"
)

var texts = []string{
	"", "a", "b", "ab", "ba", "aab", "abc", "ABC", "aBc", "abcabc", "aaa", "a-b", "a.b", "a b", "a\nb", "\n", "ab\ncd\n",
	"web-0", "0", "42", "2020-01-31", "1.5Gi", "foo_bar", "foo/bar", "{a}", "[a]", "(a)", "a{2}", "a|b", "^a$", "\\d", "\t",
	"é", "É", "ß", "ſ", "k", "K", "\u212a", "αβγ", "ΑΒΓ", "日本", "😀", "x😀y", "\u00a0", "\u2028", "\x00", "-", "]", "z.", "*.example.com",
	"https://example.com/a", "fe80::1", "zone=eu,app=web", "a\\b", "Straße", "١٢",
}

// Written by hand: each construct of the syntax, right and wrong, and patterns of widely used CustomResourceDefinitions.
var written = strings.Split(strings.Trim(`
^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$
^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$
^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$
^([0-9]{1,5}(h|m|s|ms)){1,4}$
(?i)(^0|([0-9]*l)?[0-9.]+((K|M|G|T|E|P)i?)?B)$
(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$
(?i)^(https?|ftp)://[^\s/$.?#].[^\s]*$
^(?:https?|oci):\/\/.*$
^(?i:foo)bar$
a(?i:b)c
a(?i)b
(?i:a)B
(?s:a.b)
a(?s).b
(?s)a.b
(?-s)a.b
(?s-i:a.B)
(?m)^b$
^b$
(?m:^b$)
(?ms)^.b$
(?U)a+
(?U)a+?
(?U:a*)b
a+?
a*?b
a??
a{2}
a{2,}
a{1,2}?
a{,2}
a{2
a{2,1}
a{0}
a{0,0}
a{1000}
a{1001}
a{1,1001}
(a{100}){10}
(a{100}){11}
((a{10}){10}){10}
((a{10}){10}){11}
(a{1000}){1}
(?:a{32}){32}
a**
a*+
a+*
a?{2}
a{2}{3}
a{2}*
(a*)*
(a*)+
(a+)+$
(a|aa)*$
(|a)*
(|a)+
(a|)+
(^)*
(?:$)*
(\b)+
(?:(a?)*?)$
*
+a
?
|*
(*)
(?:*)
a|*
a||b
|
||
()
(|)
(
)
(()
())
a)
(a
[
]
[]
[]]
[^]
[^]]
[]a]
[^]a]
[a
[a-
[a-]
[-a]
[a-a]
[z-a]
[a-z-9]
[a-b-c]
[\d-z]
[\w-]
[\w-.]
[-\w]
[z-\d]
[\d-\w]
[\n]
[\-x]
[\]]
[\\]
[\a]
[\b]
[\B]
[\z]
[\Q]\E]
[[:alpha:]]
[[:^alpha:]]
[^[:^alpha:]]
[[:word:]-]
[[:nope:]]
[[:alpha]
[:alpha:]
[[.a.]]
[[=a=]]
[a[:digit:]b]
[\pL]
[\p{L}\d]
[^\pL]
[^\x00-\x7f]
[\x{61}-\x{63}]
[\101]
[&&]
[a&&b]
[a--b]
[a||b]
[~~]
[(]
[)]
[{}]
[/]
[+--]
[!-/]
[ -~]
[😀]
[é-ü]
[\u0061]
\pL
\PL
\p{L}
\p{^L}
\P{^L}
\P{L}
\pN
\pNd
\p{Nd}
\p{Lu}
(?i)\p{Lu}
(?i)\P{Lu}
\p{Ll}
\p{Lt}
\p{Greek}
\P{Greek}
(?i)\p{Greek}
\p{Han}
\p{Latin}
\p{Any}
\pZ
\p{Zs}
\pS
\pC
\p{Nope}
\p{greek}
\p
\p{
\p{L
\pq
\p{Script=Greek}
\p{sc=Greek}
\p{Letter}
\p{L&}
\p{LC}
\d
\D
\w
\W
\s
\S
\b
\B
\ba
a\b
\Bb
\A
\Aa
a\z
a\Z
a\A
$a
a^
^^a
a$$
^*
$*
^?a
\b*
\b?
^{2}
\a
\f
\t
\n
\r
\v
\e
\c
\cA
\C
\C*
\G
\h
\H
\K
\N
\R
\X
\Q
\Qa.b\E
\Qa.b
a\Q*\E
\Qa\E*
\Q\E*
\Qab\E{2}
\E
a\E
\x
\x4
\x41
\x{41}
\x{}
\x{110000}
\x{10ffff}
\x{D800}
\xZZ
\0
\00
\000
\07
\08
\1
\12
\101
\123
\400
\8
\9
(a)\1
(a)\2
\k<a>
(?P<x>a)
(?<x>a)
(?P<x>a)(?P<x>b)
(?<x>a)|(?<x>b)
(?P<1>a)
(?P<x-y>a)
(?P<é>a)
(?P<>a)
(?P<x
(?P=x)
(?P>x)
(?'x'a)
(?=a)
(?!a)
(?<=a)b
(?<!a)b
(?>a)
(?#c)
(?|a|b)
(?(1)a|b)
(?
(?)
(?i
(?i)
(?z)
(?ii)
(?i-i)
(?--i)
(?i-)
(?-)
(?x)a
(?x:a b)
(?n)
(?-i:A)
(?i)(?-i)A
(?i)a(?-i:B)c
(?i)k
(?i)K
(?i)s
(?i)ſ
(?i)ß
(?i)é
(?i)[k]
(?i)[^k]
(?i)[a-z]
(?i)[^a-z]
(?i)straße
(?i)α
(?i)\x{212a}
\.
\-
\_
\/
\:
\@
\#
\%
\,
\;
\<
\>
\=
\!
\~
\"
\'
\ 
\&
\é
\日
\
a\
{
}
{}
{a}
{2}
a{a}
a{2,a}
a{-1}
a{ 2}
a{02}
a{2,03}
a{99999}
a{1,99999999}
.
..
.*
.+
.*?
^.*$
(.*)(.*)
^(.)(.)$
a.c
x.y
[^a]
[^\n]
[^.]
foo|bar
foo|foobar
foobar|foo
(foo|foobar)/
(a|ab)(c|bcd)
(a|ab)(bc|c)?
(?:a|ab)(?:c|bc)
a*a*a*
(a*)(ab)*(b)*
ab|a|b
abc|ab
(ab|a)c?
\b\w+\b
\w+
\W+
[a-z]+
[^a-z]+
\s+
\S+
^\S+$
-?\d+
\d{4}-\d{2}-\d{2}
^\d{4}-\d{2}-\d{2}$
([a-z]+)=([a-z]+)
,?[a-z]+=[a-z]+
[0-9a-f:]+::[0-9a-f]*
^[^\/]+\/[^\/]+$
\\.
\\\\
^\\d$
é
É
日
😀
.😀
\x{1F600}
[^\x{0}-\x{ffff}]
\u0061
\U00000061
a\u
\Pé
αβ
[α-γ]+
`, "\n"), "\n")

var atoms = []string{
	"a", "b", "c", ".", "\\d", "\\w", "\\W", "\\s", "[ab]", "[^a]", "[a-c]", "\\b", "\\B", "^", "$", "-", "0", "[[:alpha:]]", "\\pL", "\\n", "é", "A", "(?:)", "\\x61",
}
var suffixes = []string{"", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,1}", "{2,}"}

func generated(random *rand.Rand, depth int) string {
	if depth == 0 || random.Intn(3) == 0 {
		return atoms[random.Intn(len(atoms))] + suffixes[random.Intn(len(suffixes))]
	}
	one, other := generated(random, depth-1), generated(random, depth-1)
	switch random.Intn(6) {
	case 0:
		return one + "|" + other
	case 1:
		return "(" + one + ")" + suffixes[random.Intn(len(suffixes))] + other
	case 2:
		return "(?:" + one + "|" + other + ")" + suffixes[random.Intn(len(suffixes))]
	case 3:
		return "(?i:" + one + ")" + other
	default:
		return one + other
	}
}

type record struct {
	Pattern string `json:"pattern"`
	Error   string `json:"error,omitempty"`
	// What is found, by the index of the text; texts without a match are left out.
	Found map[int][]string `json:"found,omitempty"`
}

func recordOf(pattern string) record {
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return record{Pattern: pattern, Error: err.Error()}
	}
	found := map[int][]string{}
	for i, text := range texts {
		if matches := compiled.FindAllString(text, -1); matches != nil {
			found[i] = matches
		}
	}
	return record{Pattern: pattern, Found: found}
}

func main() {
	random := rand.New(rand.NewSource(1))
	patterns := written
	for range 300 {
		patterns = append(patterns, generated(random, 4))
	}
	records := []json.RawMessage{}
	for _, pattern := range patterns {
		line, err := json.Marshal(recordOf(pattern))
		if err != nil {
			log.Fatal(err)
		}
		records = append(records, line)
	}
	list, _ := json.Marshal(texts)
	os.Stdout.WriteString("{\"texts\": " + string(list) + ",\n\"patterns\": [\n")
	for i, line := range records {
		if i > 0 {
			os.Stdout.WriteString(",\n")
		}
		os.Stdout.Write(line)
	}
	os.Stdout.WriteString("\n]}\n")
}
