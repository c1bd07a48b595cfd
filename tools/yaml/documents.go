package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// A writer of one document: at random, but so that most are well formed.
type writer struct {
	random  *rand.Rand
	anchors []string
}

func anyDocument(random *rand.Rand) string {
	var text strings.Builder
	if random.Intn(25) == 0 {
		text.WriteString(pick(random, "%YAML 1.1\n---\n", "%YAML 1.2\n---\n", "%TAG !e! tag:example.com,2000:\n---\n", "%YAML 1.1\n", "%A b\n---\n", "\ufeff"))
	}
	for number := range 1 + random.Intn(3)*random.Intn(2) {
		w := &writer{random: random}
		if number > 0 {
			text.WriteString(pick(random, "---\n", "---\n", "---\n", "--- # a comment\n", "---\n\n", "...\n---\n", "...\n", "--- "))
		} else if random.Intn(8) == 0 {
			text.WriteString("---\n")
		}
		text.WriteString(w.document())
	}
	written := text.String()
	switch random.Intn(20) {
	case 0:
		written = strings.ReplaceAll(written, "\n", "\r\n")
	case 1:
		written = strings.TrimSuffix(written, "\n")
	case 2, 3, 4:
		written = spoil(random, written)
	}
	return written
}

// spoil changes a text in one place.
func spoil(random *rand.Rand, text string) string {
	letters := []rune(text)
	if len(letters) == 0 {
		return text
	}
	at := random.Intn(len(letters))
	other := []rune(pick(random, " ", "\t", "\n", ":", ": ", "- ", "#", " #", "\"", "'", "[", "]", "{", "}", ",", "&", "*", "!", "|", ">", "%", "?", "\\", "a", "0"))
	switch random.Intn(3) {
	case 0:
		return string(letters[:at]) + string(letters[at+1:])
	case 1:
		return string(letters[:at]) + string(other) + string(letters[at:])
	default:
		return string(letters[:at]) + string(other) + string(letters[at+1:])
	}
}

func (w *writer) document() string {
	switch w.random.Intn(12) {
	case 0:
		return w.flow(3) + "\n"
	case 1:
		return pick(w.random, "", "# only a comment\n", "\n\n", "null\n", "~\n", w.inline()+"\n")
	case 2:
		return w.sequence(0, 3)
	case 3:
		return jsonText(w.random, 3) + "\n"
	default:
		return w.mapping(0, 4)
	}
}

func (w *writer) once(outOf int) bool { return w.random.Intn(outOf) == 0 }

func (w *writer) noise(indent int) string {
	switch w.random.Intn(16) {
	case 0:
		return "\n"
	case 1:
		return strings.Repeat(" ", indent) + "# a comment: {\n"
	case 2:
		return "# at the left\n"
	default:
		return ""
	}
}

func (w *writer) mapping(indent, depth int) string {
	var text strings.Builder
	space := strings.Repeat(" ", indent)
	if w.once(30) {
		text.WriteString(space + "? " + w.key() + "\n" + space + ": " + w.inline() + "\n")
	}
	keys := []string{}
	for range 1 + w.random.Intn(4) {
		text.WriteString(w.noise(indent))
		key := w.key()
		if len(keys) > 0 && w.once(20) {
			key = keys[w.random.Intn(len(keys))]
		}
		keys = append(keys, key)
		text.WriteString(space + key + ":" + w.value(indent, depth))
	}
	if len(w.anchors) > 0 && w.once(6) {
		text.WriteString(space + "<<: " + pick(w.random, "*"+w.anchor(), "[*"+w.anchor()+", *"+w.anchor()+"]", "{a: 1, b: 2}", "1", "~") + "\n")
	}
	return text.String()
}

func (w *writer) sequence(indent, depth int) string {
	var text strings.Builder
	space := strings.Repeat(" ", indent)
	for range 1 + w.random.Intn(4) {
		text.WriteString(w.noise(indent))
		switch {
		case depth > 0 && w.once(3):
			text.WriteString(space + "- " + strings.TrimLeft(w.mapping(indent+2, depth-1), " \n"))
		case depth > 0 && w.once(6):
			text.WriteString(space + "- " + strings.TrimLeft(w.sequence(indent+2, depth-1), " \n"))
		default:
			text.WriteString(space + "-" + w.value(indent, depth))
		}
	}
	return text.String()
}

// value is what stands behind `key:` or `-`, to the end of the line or lines.
func (w *writer) value(indent, depth int) string {
	properties := ""
	if w.once(12) {
		w.anchors = append(w.anchors, pick(w.random, "a", "b", "c-1", "d_2"))
		properties = " &" + w.anchors[len(w.anchors)-1]
	}
	if w.once(25) {
		properties += " " + pick(w.random, "!!map", "!!seq", "!!set", "!!str", "!a", "!!null")
	}
	switch kind := w.random.Intn(12); {
	case kind < 2 && depth > 0:
		return properties + w.comment() + "\n" + w.mapping(indent+pickNumber(w.random, 2, 2, 2, 4, 1), depth-1)
	case kind == 2 && depth > 0:
		return properties + w.comment() + "\n" + w.sequence(indent+pickNumber(w.random, 0, 2, 2, 4), depth-1)
	case kind == 3:
		return properties + " " + w.block(indent)
	case kind == 4 && depth > 0:
		return properties + " " + w.flow(depth-1) + w.comment() + "\n"
	case kind == 5 && len(w.anchors) > 0:
		return " *" + w.anchor() + w.comment() + "\n"
	case kind == 6:
		return properties + " " + w.folded(indent) + "\n"
	case kind == 7 && w.once(3):
		return properties + w.comment() + "\n"
	default:
		return properties + " " + w.inline() + w.comment() + "\n"
	}
}

func (w *writer) anchor() string {
	if w.once(40) {
		return "unknown"
	}
	return w.anchors[w.random.Intn(len(w.anchors))]
}

func pickNumber(random *rand.Rand, options ...int) int { return options[random.Intn(len(options))] }

func (w *writer) comment() string {
	return pick(w.random, "", "", "", "", "", " # why", "  ", "\t# why", " #")
}

func (w *writer) key() string {
	if w.once(30) {
		return pick(w.random, "1", "0x10", "1.5", "yes", "on", "no", "true", "~", "null", "1e3", "22:30", "2026-11-29", "\"quoted\"", "'a: b'", "a b", "a/b.c",
			"!!str 1", "\"\\u0041\"", ".", "f:spec", "k:{\"name\":\"a\"}", "[a]", "{a: b}", "\"a b\" ", "é", "18446744073709551615", ".nan", "<<")
	}
	return pick(w.random, "a", "b", "name", "spec", "image", "data", "tag", "labels", "port", "app.kubernetes.io/name")
}

func (w *writer) inline() string {
	if w.once(5) {
		return pick(w.random, writtenScalars[w.random.Intn(len(writtenScalars))], plainScalar(w.random), quotedScalar(w.random))
	}
	return pick(w.random, "web", "nginx:1.25", "1", "80", "true", "yes", "e10", "\"on\"", "'0755'", "0755", "22:30", "https://example.com/a?b=c#d", "a #b",
		"{{ .Values.a }}", "web", "web", "\"*.example.com\"", "-", "~", "\"a\\nb\"", "'it''s'", "a, b", "[]", "{}", "100m", "1Gi", "2026-11-29", "1.10", "9007199254740993", "/bin/sh -c 'a'")
}

// block is a literal or folded scalar, whose lines are indented more than indent.
func (w *writer) block(indent int) string {
	deeper := indent + pickNumber(w.random, 1, 2, 2, 2, 4)
	header := pick(w.random, "|", "|", ">") + pick(w.random, "", "", "-", "+")
	if w.once(8) {
		header += fmt.Sprint(deeper - indent)
	}
	var text strings.Builder
	text.WriteString(header + pick(w.random, "", "", "", " # why", " ") + "\n")
	for range w.random.Intn(5) {
		switch w.random.Intn(6) {
		case 0:
			text.WriteString(strings.Repeat(" ", w.random.Intn(deeper+3)) + "\n")
		case 1:
			text.WriteString(strings.Repeat(" ", deeper+w.random.Intn(4)) + pick(w.random, "more", "\ttab", "# no comment") + "\n")
		default:
			text.WriteString(strings.Repeat(" ", deeper) + pick(w.random, "line", "a: b", "#!/bin/sh", "---", "echo \"a\" ", "- x", "{", "é", "tab\tinside", "%a") + "\n")
		}
	}
	return text.String()
}

// folded is a scalar of several lines without a header.
func (w *writer) folded(indent int) string {
	space := strings.Repeat(" ", indent+pickNumber(w.random, 1, 2, 2, 4, 0))
	quote := pick(w.random, "", "'", "\"")
	lines := []string{}
	for range 1 + w.random.Intn(3) {
		lines = append(lines, pick(w.random, "words", "more words", "1", "a b  c", "é", "x,y", ""))
	}
	joint := pick(w.random, "\n"+space, "\n"+space, "\n\n"+space, " \n"+space, "\n"+space)
	if quote == "\"" {
		joint = pick(w.random, joint, "\\\n"+space, "\\n\\\n"+space+"\\ ")
	}
	return quote + strings.Join(lines, joint) + quote
}

func (w *writer) flow(depth int) string {
	items := []string{}
	isMap := w.once(2)
	for range w.random.Intn(4) {
		item := pick(w.random, "a", "1", "\"b\"", "'c'", "yes", "a b", "-1", "x:y", "http://a", "~", "\"\"", "0755", "!!str 1", "é", "0x1F", "e10", "1.5", "on")
		if w.once(40) {
			item = "a?b"
		}
		if depth > 0 && w.once(3) {
			item = w.flow(depth - 1)
		}
		if len(w.anchors) > 0 && w.once(8) {
			item = "*" + w.anchor() + " "
		}
		if isMap {
			item = pick(w.random, "a", "b", "\"c\"", "'d'", "e f", "1", "\"<<\"", "? g") + pick(w.random, ": ", ": ", ": ", ":  ", ":\n    ") + item
			if w.once(12) {
				item = pick(w.random, "a", "\"b\":1", "c:", "? d", ":", "\"e\" : 1", "f: ")
			}
		} else if w.once(12) {
			item = pick(w.random, "a: b", "\"a\":1", "? a : b", "a:", "", "- 1", "{}")
		}
		items = append(items, item)
	}
	joint := pick(w.random, ", ", ",", ", ", ",\n      ", " , ", ", # why\n      ", ",\n")
	end := pick(w.random, "", "", "", " ", ",", "\n    ", "\n")
	if len(items) == 0 && end == "," {
		end = ""
	}
	if isMap {
		return "{" + pick(w.random, "", " ", "\n      ") + strings.Join(items, joint) + end + "}"
	}
	return "[" + pick(w.random, "", " ", "\n      ") + strings.Join(items, joint) + end + "]"
}

// jsonText is JSON, as programs write it and as people lay it out.
func jsonText(random *rand.Rand, depth int) string {
	space := pick(random, "", "", " ", "\n  ", "\n\t")
	members := []string{}
	for range random.Intn(4) {
		value := pick(random, "1", "-0", "1.5", "1e3", "true", "null", `"a"`, `"\u00e9"`, `"on"`, `""`, "9007199254740993", "1E5", `"\t"`, `"é"`)
		if random.Intn(60) == 0 {
			value = pick(random, `"\ud83d\ude00"`, `"a\/b"`, `"\ud800"`)
		}
		if depth > 0 && random.Intn(3) == 0 {
			value = jsonText(random, depth-1)
		}
		members = append(members, fmt.Sprintf("%s%q:%s%s", space, pick(random, "a", "b", "c d", "<<", "1", "é"), pick(random, "", " "), value))
	}
	return "{" + strings.Join(members, ",") + pick(random, "", space) + "}"
}
