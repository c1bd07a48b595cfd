import type { Stored } from '@kubewright/kube';
import { bodyOf, objectAt, stringAt } from '../../objects/read.ts';
import type { Store } from '../../storage/store.ts';
import { type Policy, readPolicy } from './policy.ts';

const GROUP = 'admissionregistration.k8s.io';

/**
 * The ValidatingAdmissionPolicies that have a binding, as they are now, by name. kube-apiserver reads them once a
 * second.
 */
export function policySource(store: Store): () => readonly Policy[] {
  const collections = ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'].map((resource) =>
    store.collection(GROUP, resource),
  );
  let policies: readonly Policy[] | undefined;
  const forget = (): void => {
    policies = undefined;
  };
  for (const collection of collections) collection.subscribe(forget);
  store.onRestore(forget);
  return () => {
    const [stored = [], bindings = []] = collections.map(({ entries }) =>
      entries.map(({ object }) => object),
    );
    policies ??= boundPolicies(stored, bindings);
    return policies;
  };
}

function boundPolicies(policies: readonly Stored[], bindings: readonly Stored[]): readonly Policy[] {
  const bound = new Map<string, Stored[]>();
  for (const binding of bindings) {
    const name = stringAt(objectAt(bodyOf(binding), 'spec'), 'policyName');
    bound.set(name, [...(bound.get(name) ?? []), binding]);
  }
  return policies.flatMap((policy) => {
    const own = bound.get(policy.metadata.name);
    return own === undefined ? [] : [readPolicy(policy, own)];
  });
}
