// Records what Kubernetes makes of expressions in the rules of a CustomResourceDefinition: the error of compiling one, the
// error of evaluating it, or its value as '%s'.format prints it. One line of JSON each: goldens/README.md says what it has.
//
//	go run . ../../goldens/rules >../../goldens/rules/outcomes.jsonl
package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// The schema and the object that all expressions see as `self`.
var schemaText, objectText []byte

//go:embed expressions.txt
var written string

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: rules FOLDER")
	}
	schemaText, objectText = read("schema.json"), read("object.json")
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	seen := map[string]bool{}
	for _, expression := range append(lines(written), operations()...) {
		if seen[expression] {
			continue
		}
		seen[expression] = true
		if err := encoder.Encode(append([]string{expression}, outcome(expression)...)); err != nil {
			log.Fatal(err)
		}
	}
}

func read(name string) []byte {
	data, err := os.ReadFile(filepath.Join(os.Args[1], name))
	if err != nil {
		log.Fatal(err)
	}
	return data
}

func lines(text string) []string {
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	return found
}

// outcome is the kind of what came of an expression, and its text.
func outcome(expression string) []string {
	printed := "'%s'.format([" + expression + "])"
	structural := schemaWith(apiextensions.ValidationRule{Rule: printed + " == '\\u0007'", MessageExpression: printed})
	results, err := cel.Compile(structural, model.SchemaDeclType(structural, false), apiservercel.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.NewExpressionsEnvLoader())
	if err != nil {
		log.Fatalf("%s: %v", expression, err)
	}
	if failure := results[0].Error; failure != nil {
		return []string{"compile", errorsIn(failure.Detail)}
	}
	object := map[string]any{}
	if err := utiljson.Unmarshal(objectText, &object); err != nil {
		log.Fatal(err)
	}
	found, _ := cel.NewValidator(structural, false, apiservercel.PerCallLimit).
		Validate(context.Background(), nil, structural, object, nil, apiservercel.RuntimeCELCostBudget)
	if len(found) != 1 {
		log.Fatalf("%s: %v", expression, found)
	}
	if before, _, failed := strings.Cut(found[0].Detail, " evaluating rule: "); failed {
		return []string{"error", before}
	}
	if before, _, failed := strings.Cut(found[0].Detail, ": call arguments did not match "); failed {
		return []string{"error", before}
	}
	return []string{"value", found[0].Detail}
}

var (
	errorLine = regexp.MustCompile(`(?m)^(?:compilation failed: )?ERROR: <input>:(.*)$`)
	// The type of `self` has another name each time.
	selfType = regexp.MustCompile(`selfType\d+`)
)

// errorsIn are the places and texts of the errors of a compilation, without the lines that show them in the source.
func errorsIn(detail string) string {
	found := []string{}
	for _, match := range errorLine.FindAllStringSubmatch(detail, -1) {
		found = append(found, match[1])
	}
	if len(found) == 0 {
		found = []string{detail}
	}
	return selfType.ReplaceAllString(strings.Join(found, "\n"), "selfType")
}

func schemaWith(rule apiextensions.ValidationRule) *schema.Structural {
	var external apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(schemaText, &external); err != nil {
		log.Fatal(err)
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &internal, nil); err != nil {
		log.Fatal(err)
	}
	internal.XValidations = apiextensions.ValidationRules{rule}
	structural, err := schema.NewStructural(&internal)
	if err != nil {
		log.Fatal(err)
	}
	return structural
}
