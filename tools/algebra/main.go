// Prints goldens/algebra.json: what structured-merge-diff reads from fieldsV1, and what its set operations return.
//
//	go run . > ../../goldens/algebra.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

const (
	seed    = 1
	random  = 60
	deepest = 2
	widest  = 3
)

// texts are read one by one.
var texts = []string{
	`{}`, `null`, `[]`, `true`, `"f:a"`, `{"f:a":{}}`, `{"f:a":null}`, `{"f:a":{".":{}}}`, `{"f:a":{".":null}}`,
	`{"f:a":true}`, `{"f:a":[]}`, `{"f:a":"x"}`, `{"f:a":1}`, `{".":{}}`, `{".":{},"f:a":{}}`, `{"f:a":{"f:b":{},".":{}}}`,
	`{"f:":{}}`, `{"f":{}}`, `{"":{}}`, `{"x":{}}`, `{"fa":{}}`, `{"q:a":{}}`, `{"f:a":{"q:x":{}}}`, `{"f:a":{"q:x":{},"f:b":{}}}`,
	`{"f:app.kubernetes.io/name":{}}`, `{"f:a\"b":{}}`, `{"f:é":{}}`, `{"f:b":{},"f:a":{},"f:A":{}}`,
	`{"k:{\"b\":1,\"a\":\"x\"}":{}}`, `{"k:{\"name\":\"x\"}":{".":{},"f:name":{}}}`, `{"k:{}":{}}`, `{"k:[]":{}}`, `{"k:{\"a\":1":{}}`,
	`{"k:{\"p\":80}":{},"k:{\"p\":80.0}":{},"k:{\"p\":\"80\"}":{}}`,
	`{"k:{\"port\":53,\"protocol\":\"UDP\"}":{},"k:{\"port\":53,\"protocol\":\"TCP\"}":{}}`,
	`{"v:1":{},"v:\"1\"":{},"v:true":{},"v:null":{},"v:1.5":{}}`, `{"v:":{}}`, `{"v:x":{}}`,
	`{"i:0":{},"i:10":{},"i:2":{}}`, `{"i:x":{}}`, `{"i:":{}}`,
	`{"i:1":{},"v:1":{},"k:{\"a\":1}":{},"f:a":{}}`, `{"f:a":{},"f:a":{"f:b":{}}}`,
	`{"f:a":{"f:b":{"f:c":{"f:d":{}}}}}`, `{"f:a":{}} x`,
}

// pairs are set against each other.
var pairs = [][2]string{
	{`{"f:a":{"f:b":{}}}`, `{"f:a":{}}`},
	{`{"f:a":{}}`, `{"f:a":{"f:b":{}}}`},
	{`{"f:a":{".":{},"f:b":{}}}`, `{"f:a":{"f:b":{}}}`},
	{`{"f:a":{".":{},"f:b":{},"f:c":{}}}`, `{"f:a":{".":{},"f:b":{}}}`},
	{`{"k:{\"b\":1,\"a\":2}":{}}`, `{"k:{\"a\":2,\"b\":1}":{}}`},
	{`{"k:{\"p\":80}":{}}`, `{"k:{\"p\":\"80\"}":{}}`},
	{`{"v:1":{}}`, `{"v:1.0":{}}`},
	{`{"f:l":{".":{},"k:{\"name\":\"x\"}":{".":{},"f:i":{},"f:name":{}}}}`, `{"f:l":{"k:{\"name\":\"x\"}":{}}}`},
}

// elements of which random sets are made.
var elements = []string{`f:a`, `f:b`, `k:{"name":"x"}`, `v:1`}

type read struct {
	Op    string `json:"op"`
	In    string `json:"in"`
	Out   string `json:"out"`
	Error bool   `json:"error"`
	Empty bool   `json:"empty"`
}

type algebra struct {
	Op                  string `json:"op"`
	A                   string `json:"a"`
	B                   string `json:"b"`
	Union               string `json:"union"`
	Intersection        string `json:"intersection"`
	Difference          string `json:"difference"`
	RecursiveDifference string `json:"recursiveDifference"`
	DifferenceEmpty     bool   `json:"differenceEmpty"`
}

func main() {
	lines := []any{}
	for _, text := range texts {
		set := &fieldpath.Set{}
		err := set.FromJSON(strings.NewReader(text))
		lines = append(lines, read{"parse", text, written(set), err != nil, set.Empty()})
	}
	source := rand.New(rand.NewSource(seed))
	for n := 0; n < random; n++ {
		pairs = append(pairs, [2]string{randomSet(source, deepest), randomSet(source, deepest)})
	}
	for _, pair := range pairs {
		lines = append(lines, combine(pair[0], pair[1]))
	}
	if err := print(lines); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func combine(one, other string) algebra {
	a, b := parsed(one), parsed(other)
	difference := a.Difference(b)
	return algebra{
		"algebra", one, other,
		written(a.Union(b)), written(a.Intersection(b)), written(difference), written(a.RecursiveDifference(b)),
		difference.Empty(),
	}
}

func parsed(text string) *fieldpath.Set {
	set := &fieldpath.Set{}
	if err := set.FromJSON(strings.NewReader(text)); err != nil {
		panic(fmt.Sprintf("%s: %v", text, err))
	}
	return set
}

func written(set *fieldpath.Set) string {
	text, err := set.ToJSON()
	if err != nil {
		panic(err)
	}
	return string(text)
}

// randomSet writes fieldsV1 of a random set, whose elements are in any order.
func randomSet(source *rand.Rand, depth int) string {
	members := []string{}
	for _, index := range source.Perm(len(elements))[:source.Intn(widest+1)] {
		child := "{}"
		if depth > 0 {
			child = randomSet(source, depth-1)
		}
		name, _ := json.Marshal(elements[index])
		members = append(members, string(name)+":"+child)
	}
	if depth < deepest && len(members) > 0 && source.Intn(2) == 0 {
		members = append(members, `".":{}`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// print writes one case a line.
func print(cases []any) error {
	out := &bytes.Buffer{}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for _, one := range cases {
		if err := encoder.Encode(one); err != nil {
			return err
		}
	}
	rows := strings.Split(strings.TrimSpace(out.String()), "\n")
	_, err := fmt.Printf("[\n%s\n]\n", strings.Join(rows, ",\n"))
	return err
}
