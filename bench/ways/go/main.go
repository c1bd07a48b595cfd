// Applies one object the way other tools do: first their own step that moves field ownership, then a server-side apply.
//
//	ways -way csaupgrade|flux|argo -manager eno -from a,b < object.json
//
// KUBECONFIG names the cluster. With argo only ownership is moved: Argo CD then runs kubectl.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/fluxcd/pkg/ssa"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func main() {
	way := flag.String("way", "", "csaupgrade, flux or argo")
	manager := flag.String("manager", "", "the manager that applies")
	from := flag.String("from", "", "managers whose fields it takes, comma-separated")
	flag.Parse()
	if err := run(context.Background(), *way, *manager, strings.Split(*from, ",")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, way, manager string, from []string) error {
	object := &unstructured.Unstructured{}
	if err := json.NewDecoder(os.Stdin).Decode(&object.Object); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		return err
	}
	switch way {
	case "flux":
		return applyAsFlux(ctx, c, object, manager, from)
	case "argo":
		return upgrade(ctx, c, object, manager, from[:1])
	case "csaupgrade":
		if err := upgrade(ctx, c, object, manager, from); err != nil {
			return err
		}
		return c.Patch(ctx, object, client.Apply, client.FieldOwner(manager), client.ForceOwnership)
	}
	return fmt.Errorf("-way %q: want csaupgrade, flux or argo", way)
}

// upgrade moves the fields of updaters as client-go's csaupgrade does.
func upgrade(ctx context.Context, c client.Client, object *unstructured.Unstructured, manager string, from []string) error {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(object.GroupVersionKind())
	if err := c.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
		return err
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(live, sets.New(from...), manager)
	if err != nil || patch == nil {
		return err
	}
	return c.Patch(ctx, live, client.RawPatch(types.JSONPatchType, patch))
}

// applyAsFlux uses the library of kustomize-controller, with the managers that it always takes fields from, and `from` as
// those that its flag --override-manager adds.
func applyAsFlux(ctx context.Context, c client.Client, object *unstructured.Unstructured, manager string, from []string) error {
	taken := []ssa.FieldManager{
		{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
		{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
		{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
		{Name: manager, OperationType: metav1.ManagedFieldsOperationUpdate},
	}
	for _, name := range from {
		if name == manager {
			continue
		}
		for _, operation := range []metav1.ManagedFieldsOperationType{
			metav1.ManagedFieldsOperationApply, metav1.ManagedFieldsOperationUpdate,
		} {
			taken = append(taken, ssa.FieldManager{Name: name, OperationType: operation, ExactMatch: true})
		}
	}
	applier := ssa.NewResourceManager(c, nil, ssa.Owner{Field: manager, Group: "kubewright.dev"})
	options := ssa.DefaultApplyOptions()
	options.Cleanup = ssa.ApplyCleanupOptions{FieldManagers: taken}
	_, err := applier.Apply(ctx, object, options)
	return err
}
