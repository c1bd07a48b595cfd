// Command protobuf prints the field numbers of Kubernetes' Go types in their protobuf form, for a server that takes
// what Go clients send.
//
// Output: {"kinds": {"<apiVersion>/<kind>": "<type>"}, "types": {"<type>": {"<number>": "<json name>:<form>"}}}. A form
// is s (string), b (bytes), i (integer), o (boolean), d (double), m<type> (message) or the name of a scalar type of
// apimachinery (Time, MicroTime, Duration, Quantity, IntOrString, FieldsV1, RawExtension, JSON); `*` before it says
// repeated, `%` a map with string keys. An empty JSON name is a struct whose fields belong to the one around it.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

var scalars = map[string]bool{
	"Time": true, "MicroTime": true, "Duration": true, "Quantity": true, "IntOrString": true, "FieldsV1": true,
	"RawExtension": true, "JSON": true,
}

type output struct {
	Kinds map[string]string            `json:"kinds"`
	Types map[string]map[string]string `json:"types"`
}

func main() {
	known := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{scheme.AddToScheme, apiextensions.AddToScheme} {
		if err := add(known); err != nil {
			panic(err)
		}
	}
	out := output{Kinds: map[string]string{}, Types: map[string]map[string]string{}}
	for gvk, t := range known.AllKnownTypes() {
		stable := gvk.Version == "v1" || gvk.Version == "v2"
		if !stable || strings.HasSuffix(gvk.Kind, "List") || strings.HasSuffix(gvk.Kind, "Options") || gvk.Kind == "WatchEvent" {
			continue
		}
		out.Kinds[gvk.GroupVersion().String()+"/"+gvk.Kind] = out.visit(t)
	}
	out.Kinds["v1/DeleteOptions"] = out.visit(reflect.TypeFor[metav1.DeleteOptions]())
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		panic(err)
	}
}

// visit records t and every struct type that its fields reach; it returns t's name.
func (o output) visit(t reflect.Type) string {
	name := typeName(t)
	if _, seen := o.Types[name]; seen {
		return name
	}
	fields := map[string]string{}
	o.Types[name] = fields
	for i := range t.NumField() {
		field := t.Field(i)
		parts := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		jsonName, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields[parts[1]] = jsonName + ":" + o.form(field.Type)
	}
	return name
}

func (o output) form(t reflect.Type) string {
	if scalars[t.Name()] && t.Kind() == reflect.Struct {
		return t.Name()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return o.form(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "b"
		}
		return "*" + o.form(t.Elem())
	case reflect.Map:
		return "%" + o.form(t.Elem())
	case reflect.Struct:
		return "m" + o.visit(t)
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "o"
	case reflect.Float32, reflect.Float64:
		return "d"
	default:
		return "i"
	}
}

func typeName(t reflect.Type) string {
	path := strings.TrimPrefix(strings.TrimPrefix(t.PkgPath(), "k8s.io/api/"), "k8s.io/")
	path = strings.TrimPrefix(path, "apimachinery/pkg/apis/")
	path = strings.TrimPrefix(path, "apiextensions-apiserver/pkg/apis/")
	return path + "." + t.Name()
}
