import { type Client, createClient, discoverResources } from '@kubewright/client';
import { isConditionTrue, type Transport } from '@kubewright/kube';
import { waitForObject } from '@kubewright/runtime';
import { getText } from '../../../../kubewright/src/discover/get-text.ts';
import { findResource } from '../../../../kubewright/src/discover/find-resource.ts';
import { paintFor } from '../../kit/paint.ts';
import type { CommandResult, CommandStage } from '../../kit/operator.ts';
import { KAUSALITIES, type KausalitySpec } from '../api.ts';

/** A policy for the namespaces of a suite, as soon as it is effective. */
export async function createPolicy(
  admin: Client,
  name: string,
  spec: Omit<KausalitySpec, 'resources'> & Partial<KausalitySpec>,
): Promise<void> {
  const resources = [
    { apiGroups: [''], resources: ['configmaps'] },
    { apiGroups: ['apps'], resources: ['deployments', 'replicasets', 'statefulsets'] },
    { apiGroups: ['demo.kubewright.io'], resources: ['sites'] },
  ];
  await admin.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name },
    spec: { resources, ...spec },
  });
  await waitForObject(admin, KAUSALITIES, { name }, (policy) =>
    isConditionTrue(policy?.status?.conditions, 'Ready'),
  );
}

/** What the verbs of the command line work with; `printed` is what they said. */
export function commandStage(transport: Transport, namespace: string): CommandStage & { printed(): string } {
  let text = '';
  const stage = {
    client: createClient(transport),
    out: (more: string) => void (text += more),
    paint: paintFor(false),
    signal: new AbortController().signal,
    discover: () => discoverResources(transport),
    namespace,
    findResource: async (name: string) => findResource(name, await discoverResources(transport)),
    findSchema: () => Promise.resolve(undefined),
    getText: (path: string) => getText(path, transport),
    progress: () => undefined,
    print: (result: CommandResult) => void (text += result.text()),
    printed: () => text,
  };
  return stage;
}
