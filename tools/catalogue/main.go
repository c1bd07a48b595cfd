// Command catalogue prints the facts about Kubernetes' Go types that /openapi/v3 does not carry: what a field does
// with its zero value when it is written as JSON, and the Go type names that decoding errors mention.
//
// Output: {"<OpenAPI definition>": {"go": "v1.PodSpec", "fields": {"<json name>": "<fact>"}}}. A fact is
// `<zero>[:<go type>[:<embedded Go fields>]]`; zero is d (dropped), w (written), k (a pointer, kept) or n (a pointer
// written as null). The Go type stands only where the OpenAPI schema does not tell it.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type definition struct {
	Go     string            `json:"go"`
	Fields map[string]string `json:"fields"`
}

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme, aggregator.AddToScheme} {
		if err := add(known); err != nil {
			panic(err)
		}
	}
	definitions := map[string]definition{}
	for _, t := range known.AllKnownTypes() {
		if !strings.Contains(t.PkgPath(), "/internalversion") && t.Name() != "APIGroup" {
			visit(t, definitions)
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(definitions); err != nil {
		panic(err)
	}
}

// visit records t, and every struct type that its fields reach.
func visit(t reflect.Type, definitions map[string]definition) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	name := modelName(t)
	if _, seen := definitions[name]; seen || t.Kind() != reflect.Struct || ownJSON(t) {
		return
	}
	found := definition{Go: t.String(), Fields: map[string]string{}}
	definitions[name] = found
	addFields(t, nil, found.Fields, definitions)
}

func addFields(t reflect.Type, embedded []string, fields map[string]string, definitions map[string]definition) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case field.Anonymous && name == "":
			addFields(field.Type, append(embedded[:len(embedded):len(embedded)], field.Name), fields, definitions)
		default:
			fields[name] = fact(field.Type, options, embedded)
			visit(field.Type, definitions)
		}
	}
}

func fact(t reflect.Type, options string, embedded []string) string {
	parts := []string{zero(t, options), goType(t), strings.Join(embedded, ".")}
	return strings.TrimRight(strings.Join(parts, ":"), ":")
}

func zero(t reflect.Type, options string) string {
	omitEmpty, omitZero := false, false
	for _, option := range strings.Split(options, ",") {
		omitEmpty = omitEmpty || option == "omitempty"
		omitZero = omitZero || option == "omitzero"
	}
	switch {
	case t.Kind() == reflect.Pointer && (omitEmpty || omitZero):
		return "k"
	case t.Kind() == reflect.Pointer:
		return "n"
	case omitZero || omitEmpty && t.Kind() != reflect.Struct:
		return "d"
	default:
		return "w"
	}
}

// goType is empty where a reader of the OpenAPI schema would guess the same.
func goType(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if plain(t) {
		return ""
	}
	return t.String()
}

func plain(t reflect.Type) bool {
	if t.PkgPath() != "" {
		return t.Kind() == reflect.Struct
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64, reflect.Uint8:
		return true
	case reflect.Slice:
		return plain(t.Elem())
	case reflect.Map:
		return t.Key() == reflect.TypeFor[string]() && plain(t.Elem())
	default:
		return false
	}
}

func ownJSON(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

func modelName(t reflect.Type) string {
	if named, ok := reflect.New(t).Interface().(interface{ OpenAPIModelName() string }); ok {
		return named.OpenAPIModelName()
	}
	return t.PkgPath() + "." + t.Name()
}
