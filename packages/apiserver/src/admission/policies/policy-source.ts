import type { Stored } from '@kubewright/kube';
import { bodyOf, objectAt, stringAt } from '../../objects/read.ts';
import type { Store } from '../../storage/store.ts';
import { type Binding, type Policy, readBinding, readPolicy } from './policy.ts';

export const GROUP = 'admissionregistration.k8s.io';

/**
 * The ValidatingAdmissionPolicies that have a binding, as they are now, by name. kube-apiserver reads them once a
 * second.
 */
export function policySource(store: Store): () => readonly Policy[] {
  const policyCollection = store.collection(GROUP, 'validatingadmissionpolicies');
  const bindingCollection = store.collection(GROUP, 'validatingadmissionpolicybindings');
  // Compiling is dear: a policy that has not changed is read once.
  const read = new WeakMap<Stored, Omit<Policy, 'bindings'>>();
  const readOnce = (policy: Stored): Omit<Policy, 'bindings'> => {
    const known = read.get(policy) ?? readPolicy(policy);
    read.set(policy, known);
    return known;
  };
  let policies: readonly Policy[] | undefined;
  const forget = (): void => {
    policies = undefined;
  };
  for (const collection of [policyCollection, bindingCollection]) collection.subscribe(forget);
  store.onRestore(forget);
  return () => {
    policies ??= boundPolicies(policyCollection.entries, bindingCollection.entries, readOnce);
    return policies;
  };
}

type Entries = readonly { readonly object: Stored }[];

function boundPolicies(
  policies: Entries,
  bindings: Entries,
  readOnce: (policy: Stored) => Omit<Policy, 'bindings'>,
): readonly Policy[] {
  const bound = new Map<string, Binding[]>();
  for (const { object } of bindings) {
    const name = stringAt(objectAt(bodyOf(object), 'spec'), 'policyName');
    bound.set(name, [...(bound.get(name) ?? []), readBinding(object)]);
  }
  return policies.flatMap(({ object }) => {
    const own = bound.get(object.metadata.name);
    return own === undefined ? [] : [{ ...readOnce(object), bindings: own }];
  });
}
