import { ignoreNotFound, isForbidden, isNotFound, type ResourceRef } from '@kubewright/client';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import type { CommandStage } from '../../kit/operator.ts';
import { KAUSALITIES, type Kausality, type Mode } from '../api.ts';
import { modeOf } from '../policy/mode-of.ts';
import { policyFor, type Target } from '../policy/policy-for.ts';

/** The mode of an object, and the policy that tracks it. `unknown`: the user may not read policies. */
export type ModeFound =
  | { readonly mode: Mode; readonly policy: string }
  | { readonly mode: 'untracked' | 'unknown' };

/** The mode in which the next change of an object is checked. */
export async function readMode(
  live: Stored,
  { group, resource }: ResourceRef,
  parent: KubeObject | undefined,
  { client }: CommandStage,
): Promise<ModeFound> {
  const { namespace = '', labels = {} } = live.metadata;
  const [policies, home] = await Promise.all([readPolicies(client), readNamespace(client, namespace)]);
  if (policies === undefined) return { mode: 'unknown' };
  const namespaceLabels = { 'kubernetes.io/metadata.name': namespace, ...home?.metadata.labels };
  const target: Target = { group, resource, namespace, namespaceLabels, labels: [labels] };
  const policy = policyFor(policies, target);
  if (policy === undefined) return { mode: 'untracked' };
  const mode = modeOf({ old: live, parent, namespace: home, policy }, target);
  return { mode, policy: policy.metadata.name };
}

async function readPolicies(client: CommandStage['client']): Promise<readonly Kausality[] | undefined> {
  try {
    return (await client.list(KAUSALITIES)).items;
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

async function readNamespace(client: CommandStage['client'], name: string): Promise<Stored | undefined> {
  if (name === '') return undefined;
  try {
    return await ignoreNotFound(client.get(corev1.namespaces, { name }));
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
