// Command internal-types prints the shape in which kube-apiserver shows a struct in the message of a validation error:
// the JSON of its internal Go type. From tools/assets/kubernetes, whose pins it shares with the binaries:
//
//	go run ./internal-types > ../../../packages/apiserver/data/internal-types.json
//
// Output: {"<type>": "<field> <field> …"}, the fields in the order in which Go writes them, those of embedded structs
// among them. A field is `<name>[~][=<path>]:<form>`. The name is the one shown; `~` says that a zero value is left
// out; the path leads to the value in the v1 object, and stands there unless it is the name with a small first letter.
// A form is s (string), i (number), b (boolean), y (bytes), q (quantity), o (int or string), d (duration), t (time), x
// (any JSON) or the name of a type; before it, `?` says pointer, `*` list, `%` map.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/authorization"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/policy"
	"k8s.io/kubernetes/pkg/apis/rbac"
	"k8s.io/kubernetes/pkg/apis/storage"
)

// roots are the types that validation shows, each with its form on the wire.
var roots = [][2]any{
	{metav1.LabelSelector{}, metav1.LabelSelector{}},
	{metav1.ObjectMeta{}, metav1.ObjectMeta{}},
	{core.EphemeralContainer{}, corev1.EphemeralContainer{}},
	{core.EventSource{}, corev1.EventSource{}},
	{core.NodeAddress{}, corev1.NodeAddress{}},
	{core.ObjectReference{}, corev1.ObjectReference{}},
	{core.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{}},
	{core.PersistentVolumeSource{}, corev1.PersistentVolumeSource{}},
	{core.PodTemplateSpec{}, corev1.PodTemplateSpec{}},
	{core.ScopeSelector{}, corev1.ScopeSelector{}},
	{core.ServicePort{}, corev1.ServicePort{}},
	{core.Taint{}, corev1.Taint{}},
	{core.VolumeNodeAffinity{}, corev1.VolumeNodeAffinity{}},
	{apps.DaemonSetUpdateStrategy{}, appsv1.DaemonSetUpdateStrategy{}},
	{apps.DeploymentStrategy{}, appsv1.DeploymentStrategy{}},
	{apps.StatefulSetUpdateStrategy{}, appsv1.StatefulSetUpdateStrategy{}},
	{authorization.NonResourceAttributes{}, authorizationv1.NonResourceAttributes{}},
	{batch.PodFailurePolicy{}, batchv1.PodFailurePolicy{}},
	{batch.SuccessPolicy{}, batchv1.SuccessPolicy{}},
	{batch.UncountedTerminatedPods{}, batchv1.UncountedTerminatedPods{}},
	{policy.PodDisruptionBudgetSpec{}, policyv1.PodDisruptionBudgetSpec{}},
	{rbac.RoleRef{}, rbacv1.RoleRef{}},
	{storage.CSINodeDriver{}, storagev1.CSINodeDriver{}},
	{storage.VolumeAttachmentSpec{}, storagev1.VolumeAttachmentSpec{}},
}

// scalars have a MarshalJSON of their own.
var scalars = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "q",
	reflect.TypeFor[intstr.IntOrString](): "o",
	reflect.TypeFor[metav1.Duration]():    "d",
	reflect.TypeFor[metav1.Time]():        "t",
	reflect.TypeFor[metav1.MicroTime]():   "t",
}

// types are those seen, by their names.
var types = map[string][]string{}

func main() {
	for _, root := range roots {
		visit(reflect.TypeOf(root[0]), reflect.TypeOf(root[1]))
	}
	names := []string{}
	for name := range types {
		names = append(names, name)
	}
	slices.Sort(names)
	lines := []string{}
	for _, name := range names {
		line, err := json.Marshal(strings.Join(types[name], " "))
		if err != nil {
			panic(err)
		}
		lines = append(lines, fmt.Sprintf("  %q: %s", name, line))
	}
	fmt.Fprintf(os.Stdout, "{\n%s\n}\n", strings.Join(lines, ",\n"))
}

// visit records t, a struct whose form on the wire is wire.
func visit(t, wire reflect.Type) {
	name := nameOf(t)
	if _, seen := types[name]; seen {
		return
	}
	types[name] = nil
	types[name] = fieldsOf(t, wire, "")
}

// fieldsOf gives the fields of t; prefix leads from the v1 object to the one of type wire.
func fieldsOf(t, wire reflect.Type, prefix string) []string {
	fields := []string{}
	for i := range t.NumField() {
		field := t.Field(i)
		tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == "-" || !field.IsExported() {
			continue
		}
		at, peer := find(wire, field.Name)
		if field.Anonymous && tag == "" {
			fields = append(fields, fieldsOf(field.Type, peer, prefix+at)...)
			continue
		}
		shown := field.Name
		if tag != "" {
			shown = tag
		}
		source := strings.TrimSuffix(prefix+at, ".")
		text := shown
		if strings.Contains(options, "omit") {
			text += "~"
		}
		if source != strings.ToLower(shown[:1])+shown[1:] {
			text += "=" + source
		}
		fields = append(fields, text+":"+form(field.Type, peer))
	}
	return fields
}

// find gives the path, with a dot behind it unless it is empty, and the type of the field of wire that is called name.
func find(wire reflect.Type, name string) (string, reflect.Type) {
	for wire.Kind() == reflect.Pointer {
		wire = wire.Elem()
	}
	field, found := wire.FieldByNameFunc(func(other string) bool { return strings.EqualFold(other, name) })
	if !found {
		fmt.Fprintf(os.Stderr, "%s has no field %s\n", wire, name)
		return strings.ToLower(name[:1]) + name[1:] + ".", nil
	}
	at, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if at == "" {
		return "", field.Type
	}
	return at + ".", field.Type
}

func form(t, wire reflect.Type) string {
	if wire == nil {
		wire = t
	}
	if wire.Kind() == reflect.Pointer && t.Kind() != reflect.Pointer {
		wire = wire.Elem()
	}
	if wire.Kind() != reflect.Pointer && t.Kind() == reflect.Pointer {
		wire = reflect.PointerTo(wire)
	}
	if scalar, found := scalars[t]; found {
		return scalar
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return "x"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "?" + form(t.Elem(), wire.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "y"
		}
		return "*" + form(t.Elem(), wire.Elem())
	case reflect.Map:
		return "%" + form(t.Elem(), wire.Elem())
	case reflect.Struct:
		visit(t, wire)
		return nameOf(t)
	case reflect.String:
		return "s"
	case reflect.Bool:
		return "b"
	case reflect.Interface:
		return "x"
	default:
		return "i"
	}
}

// nameOf is `core.PodSpec`, or `meta.LabelSelector`.
func nameOf(t reflect.Type) string {
	if t.PkgPath() == "k8s.io/apimachinery/pkg/apis/meta/v1" {
		return "meta." + t.Name()
	}
	return path.Base(t.PkgPath()) + "." + t.Name()
}
