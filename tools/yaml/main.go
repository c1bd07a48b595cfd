// Records how Kubernetes reads YAML: what sigs.k8s.io/yaml and the decoders of apimachinery make of generated scalars and
// documents. One line of JSON each: goldens/README.md says what it has.
//
//	go run . scalars >../../goldens/yaml/scalars.jsonl
//	go run . documents >../../goldens/yaml/documents.jsonl
//
// A seed and a number behind make others: go run . documents 7 20000
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"math/rand"
	"os"
	"strconv"
	"strings"
)

const (
	scalarCount   = 10_000
	documentCount = 1_000
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 && len(os.Args) != 4 {
		log.Fatal("usage: yaml scalars | documents [SEED COUNT]")
	}
	seed, count := map[string]int{"scalars": 1, "documents": 2}[os.Args[1]], map[string]int{"scalars": scalarCount, "documents": documentCount}[os.Args[1]]
	if len(os.Args) == 4 {
		seed, count = number(os.Args[2]), number(os.Args[3])
	}
	random := rand.New(rand.NewSource(int64(seed)))
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	print := func(record []any) {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(record); err != nil {
			log.Fatal(err)
		}
	}
	switch os.Args[1] {
	case "scalars":
		for _, text := range distinct(random, count, writtenScalars, anyScalar) {
			print([]any{text, itemOf(text), keyOf(text)})
		}
	case "documents":
		for _, text := range distinct(random, count, writtenDocuments, anyDocument) {
			print(readDocument(text))
		}
	}
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// distinct has the texts written by hand, then generated ones, until there are count.
func distinct(random *rand.Rand, count int, written []string, generate func(*rand.Rand) string) []string {
	seen := map[string]bool{}
	texts := []string{}
	add := func(text string) {
		// A text of JSON has no invalid UTF-8.
		if !seen[text] && strings.ToValidUTF8(text, "") == text {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for _, text := range written {
		add(text)
	}
	for len(texts) < count {
		add(generate(random))
	}
	return texts[:count]
}
