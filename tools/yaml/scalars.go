package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// Written by hand: every word and every form of number that the library resolves, their neighbours, and what people write.
var writtenScalars = append(strings.Split(strings.Trim(`
y
Y
yes
Yes
YES
yEs
true
True
TRUE
tRUE
on
On
ON
oN
n
N
no
No
NO
nO
false
False
FALSE
off
Off
OFF
~
null
Null
NULL
nULL
nil
none
.nan
.NaN
.NAN
.Nan
.inf
.Inf
.INF
+.inf
-.inf
+.Inf
-.INF
.infinity
inf
nan
NaN
Infinity
<<
=
.
..
...
-
--
---
+
_
0
-0
+0
00
-0.0
0.0
0.
.0
1.
-1.
.5
-.5
+.5
5.
1.5
1.10
1.0
10.0
1e3
1E3
1e+3
1e-3
1.e3
.5e3
.e3
e3
e10
e1234567
1234e567
1234e56
12e3456
1e400
-1e400
1e309
1e308
1e-400
5e-324
1e21
1e20
1e18
1e16
123456789012345678901234567890
9007199254740991
9007199254740992
9007199254740993
-9007199254740993
9223372036854775807
9223372036854775808
-9223372036854775808
-9223372036854775809
18446744073709551615
18446744073709551616
+18446744073709551615
9007199254740993.0
9.007199254740993e15
0x1F
0X1f
0x
0xg
-0x1F
+0x1f
0x1_F
0x8000000000000000
0x7fffffffffffffff
0xffffffffffffffff
0x10000000000000000
-0x8000000000000000
0x1p4
0x1.8p1
0o755
0O755
0o8
0o
-0o17
0o1777777777777777777777
0755
0644
0888
08
09
008
-0755
+0755
0_7
0777777777777777777777
01777777777777777777777
02777777777777777777777
0b101
0B101
0b2
0b
-0b101
+0b101
0b-11
0b+11
-0b-11
-0b+11
+0b-11
0b1111111111111111111111111111111111111111111111111111111111111111
0b11111111111111111111111111111111111111111111111111111111111111111
1_000
1__000
1_
_1
1_000.5
1_000.5_5
.5_0
._5
1_e3
1e_3
-_1
+_
0x_f
0_x1
12:30
22:30
22:30:45
1:60
190:20:30
190:20:30.15
-12:30
80:80
2026-11-29
2026-1-2
2026-13-29
2026-11-29T10:00:00Z
2026-11-29t10:00:00Z
2026-11-29 10:00:00
2026-11-29T10:00:00.123456Z
2026-11-29T10:00:00+02:00
2001-12-14 21:59:43.10 -5
1.2.3
v1.2.3
10.0.0.1
::1
fe80::1
100m
1Gi
1.5Gi
1e3Mi
1k
10%
1h30m
5s
a:b
a: b
a #b
a#b
#a
key:
:
:a
?a
-a
- a
? a
@a
%a
a%
*a
&a b
!a b
! 1
! 0x10
! "1"
! '1'
! yes
!
!!
!!str
!!str 1
!!str yes
!!str ~
!!str null
!!str 1.0
!!int 1
!!int "1"
!!int '0x10'
!!int 1.0
!!int 1.5
!!int abc
!!int yes
!!int ~
!!int
!!int 18446744073709551615
!!float 1
!!float 1.5
!!float "1.5"
!!float 1e3
!!float .inf
!!float abc
!!float 18446744073709551615
!!float 9223372036854775807
!!float 9007199254740993
!!bool yes
!!bool "yes"
!!bool true
!!bool 1
!!bool abc
!!null ~
!!null null
!!null ''
!!null
!!null abc
!!null 0
!!binary aGVsbG8=
!!binary "aGVsbG8="
!!binary aGVsbG8
!!binary a
!!binary "aGVs bG8="
!!binary /w==
!!binary ''
!!timestamp 2026-11-29
!!timestamp "2026-11-29"
!!timestamp 2026-11-31
!!timestamp 2026-02-30
!!timestamp 2024-02-29
!!timestamp 2023-02-29
!!timestamp 2026-11-29T10:00:00Z
!!timestamp 2026-11-29T25:00:00Z
!!timestamp 2026-11-29 10:00:00
!!timestamp abc
!!timestamp 1
!!merge <<
!!value =
!!set a
!!omap a
!<tag:yaml.org,2002:str> 1
!<tag:yaml.org,2002:int> 1
!<!a> 1
!e!a 1
!!a!b 1
!secret 1
!Ref Name
!Sub "${A}"
''
""
'a''b'
"a\"b"
"\0\a\b\t\n\v\f\r\e\ \"\/\\\N\_\L\P"
"\x41\u0042\U00000043"
"\U0001F600"
"\ud83d\ude00"
"\ud800"
"\U00110000"
"\'"
"\q"
"\xg0"
"\u12"
'\n'
"yes"
'1'
"~"
'null'
"<<"
'<<'
|
>
|-
`+"`a"+`
a, b
a]
a}
[a
{a
"a
'a
"a"b
'a'b
"a" b
"a" #b
"a"#b
a	b
a	#b
a		b
é
日本
😀
e1f2a3b
1e2a3b4
1234567
7654321e
00e1234
0e0
0e1
1d3
1f
1L
+1
++1
+-1
1+1
1-1
1/2
1,000
1 000
$1
NaN.0
-NaN
+NaN
.nan.
-.nan
+.nan
0x1.8
0.1.2
.1.2
1..2
1.2e3.4
1e3e4
1e+-3
00.5
0_0.5
09.5
0e08
-.5e-3
-e3
+e3
-.e3
True1
yes1
nully
~a
~~
TRUE 1
null null
`, "\n"), "\n"), "", " ", "a ", " a", "a\x00", "a\x01", "a\x07", "a\x7f", "a\u0085b", "a\u2028b", "\ufeffa", "a\ufeffb", "\ufffe", "\u00a0", "\u00a01", "'a\u2028b'", "\"a\u0085b\"")

func pick(random *rand.Rand, options ...string) string { return options[random.Intn(len(options))] }

func repeat(random *rand.Rand, alphabet string, least, most int) string {
	letters := []rune(alphabet)
	var text strings.Builder
	for range least + random.Intn(most-least+1) {
		text.WriteRune(letters[random.Intn(len(letters))])
	}
	return text.String()
}

func anyScalar(random *rand.Rand) string {
	switch random.Intn(20) {
	case 0, 1:
		return pick(random, "!!str", "!!int", "!!float", "!!bool", "!!null", "!!binary", "!!timestamp", "!a", "!",
			"!<tag:yaml.org,2002:float>", "!!seq", "!!map") + " " + pick(random, plainScalar(random), quotedScalar(random))
	case 2, 3:
		return quotedScalar(random)
	case 4:
		return repeat(random, "ab1 :#-?,[]{}&*!|>'\"%@`\\.~é😀\t", 1, 8)
	default:
		return plainScalar(random)
	}
}

func quotedScalar(random *rand.Rand) string {
	switch random.Intn(4) {
	case 0:
		return "'" + strings.ReplaceAll(plainScalar(random), "'", "''") + "'"
	case 1:
		return `"` + plainScalar(random) + `"`
	case 2:
		escapes := ""
		for range 1 + random.Intn(4) {
			escapes += pick(random, `\n`, `\t`, `\\`, `\"`, `\/`, `\0`, `\e`, `\x4`+repeat(random, "0123456789abcdefg", 1, 1),
				`\u`+repeat(random, "0123456789abcdefABCDEF", 4, 4), `\U0001f6`+repeat(random, "0123456789", 2, 2), `\N`, `\_`, `\L`, `\P`,
				`\`+repeat(random, "abcdefghijklmnopqrstuvwxyz 0123456789'", 1, 1), "a", " ", "é")
		}
		return `"` + escapes + `"`
	default:
		return "'" + repeat(random, "ab 1:#,[]{}&*!|>\"%@\\.~é😀\t", 0, 8) + "'"
	}
}

func plainScalar(random *rand.Rand) string {
	switch random.Intn(16) {
	case 0:
		return repeat(random, "0123456789abcdef", 7, 8)
	case 1:
		return repeat(random, "0123456789", 3, 6) + "e" + repeat(random, "0123456789", 1, 4)
	case 2:
		return repeat(random, "0123456789e", 4, 9)
	case 3:
		return pick(random, "", "", "-", "+") + pick(random, "0x", "0X", "0o", "0O", "0b", "0B", "0", "") + repeat(random, "01234567", 1, 24)
	case 4:
		return pick(random, "", "", "-", "+") + pick(random, "0x", "0b", "0o", "0", "") + repeat(random, "0123456789_abcdefABF", 1, 18)
	case 5:
		return repeat(random, "0123456789_+-.eExXoObB", 1, 10)
	case 6:
		return repeat(random, "01._e", 1, 8)
	case 7:
		return fmt.Sprintf("%s%d.%s%s", pick(random, "", "-", "+"), random.Intn(2000), repeat(random, "0123456789_", 0, 6),
			pick(random, "", "", "e"+repeat(random, "+-0123456789", 1, 3)))
	case 8:
		return fmt.Sprintf("%s%d", pick(random, "", "-", "+"), random.Uint64()>>random.Intn(64))
	case 9:
		return fmt.Sprintf("%d:%0*d%s", random.Intn(200), 1+random.Intn(2), random.Intn(70), pick(random, "", fmt.Sprintf(":%02d", random.Intn(70)), ".5"))
	case 10:
		return fmt.Sprintf("%04d-%0*d-%0*d%s", random.Intn(3000), 1+random.Intn(2), random.Intn(14), 1+random.Intn(2), random.Intn(33),
			pick(random, "", "", "T10:00:00Z", "t1:2:3Z", " 10:20:30", "T10:00:00.5+02:00", "T24:00:00Z", "T10:00"))
	case 11:
		word := pick(random, "yes", "no", "on", "off", "true", "false", "null", "y", "n", ".nan", ".inf", "-.inf", "~")
		letters := []byte(word)
		for i := range letters {
			if random.Intn(3) == 0 {
				letters[i] = strings.ToUpper(string(letters[i]))[0]
			}
		}
		return string(letters) + pick(random, "", "", "", repeat(random, "a1.- ", 1, 1))
	case 12:
		return fmt.Sprintf("%d%s", random.Intn(5000), pick(random, "m", "k", "Ki", "Mi", "Gi", "M", "G", "E", "e3", "%", "s", "h", "ms", "µ", "d"))
	case 13:
		return pick(random, "v", "", "release-") + fmt.Sprintf("%d.%d%s", random.Intn(30), random.Intn(30), pick(random, "", ".0", ".1", "-rc1", "+build", "_1"))
	case 14:
		return repeat(random, "abcdefghijklmnopqrstuvwxyz-", 1, 10) + pick(random, "", ":"+repeat(random, "0123456789", 1, 4), "/"+repeat(random, "abc", 1, 4), " #"+repeat(random, "abc", 1, 4), "#")
	default:
		return repeat(random, "~.+-_0123456789yYnNtTfFoOabc:= ", 1, 6)
	}
}
