package main

import "fmt"

// One literal of each type, and a second one where two make a difference.
var literals = []string{
	"1", "-2", "3u", "1.5", "'a'", "b'a'", "true", "null", "[1]", "['a']", "{'a': 1}", "duration('1m')",
	"timestamp('2026-01-02T03:04:05Z')", "int", "optional.of(1)", "optional.none()", "self.port", "quantity('1')",
}

var operators = []string{"+", "-", "*", "/", "%", "==", "<", "in", "&&"}

var functions = []string{
	"int", "uint", "double", "string", "bytes", "bool", "dyn", "type", "duration", "timestamp", "size", "!", "-",
}

// operations are all operators with all pairs of literals, all conversions, and what reads a part of a value.
func operations() []string {
	var made []string
	for _, left := range literals {
		for _, operator := range operators {
			for _, right := range literals {
				made = append(made, fmt.Sprintf("%s %s %s", left, operator, right))
			}
		}
		for _, function := range functions {
			made = append(made, fmt.Sprintf("%s(%s)", function, left))
		}
		made = append(made, left+"[0]", left+"['a']", left+" ? 1 : 2", "true ? "+left+" : 1")
	}
	return made
}
