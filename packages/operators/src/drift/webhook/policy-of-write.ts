import { corev1, jsonEqual, type KubeObject } from '@kubewright/kube';
import { type AdmissionRequest, type Cache, keepMetadata, partOf } from '@kubewright/runtime';
import { KAUSALITIES, type Kausality } from '../api.ts';
import { modeIn, policyFor, type Target } from '../policy/policy-for.ts';

export const NAMESPACES = partOf(corev1.namespaces, 'drift', { transform: keepMetadata });

/** The policy that a write is checked by. */
export type PolicyOfWrite = {
  readonly target: Target;
  readonly policy: Kausality;
  /** The object has another policy after the write than before, or none. */
  readonly isUnderAnother: boolean;
};

/**
 * Undefined: the object is not tracked, neither before nor after the write. A client must not choose the policy by the
 * labels that it sends: of two, one that enforces counts, else that of the stored object.
 */
export function policyOfWrite(
  request: AdmissionRequest,
  { old, object }: { readonly old?: KubeObject | undefined; readonly object?: KubeObject | undefined },
  cache: Cache,
): PolicyOfWrite | undefined {
  const policies = cache.list(KAUSALITIES);
  const states = old === undefined || hasSameLabels(old, object) ? [object] : [old, object];
  const found = states.map((state) => {
    const target = targetOf(request, state, cache);
    return { target, policy: policyFor(policies, target) };
  });
  const [before, after] = [found[0], found.at(-1)];
  const isUnderAnother = before?.policy?.metadata.name !== after?.policy?.metadata.name;
  const known = found.flatMap(({ target, policy }) => (policy === undefined ? [] : [{ target, policy }]));
  const strict = known.find(({ target, policy }) => modeIn(policy.spec, target) === 'enforce') ?? known[0];
  return strict === undefined ? undefined : { ...strict, isUnderAnother };
}

function hasSameLabels(old: KubeObject, object: KubeObject | undefined): boolean {
  return object === undefined || jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {});
}

function targetOf(
  { resource, namespace }: AdmissionRequest,
  object: KubeObject | undefined,
  cache: Cache,
): Target {
  const { group } = resource;
  const name = { 'kubernetes.io/metadata.name': namespace };
  const namespaceLabels = { ...name, ...namespaceOf(cache, namespace)?.metadata.labels };
  const labels = object === undefined ? [] : [object.metadata.labels ?? {}];
  return { group, resource: resource.resource, namespace, namespaceLabels, labels };
}

export function namespaceOf(cache: Cache, name: string): KubeObject | undefined {
  return name === '' ? undefined : cache.get(NAMESPACES, { name });
}
