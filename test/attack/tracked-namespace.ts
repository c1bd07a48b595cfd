import type { Client } from '@kubewright/client';
import { isConditionTrue } from '@kubewright/kube';
import { KAUSALITIES } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import type { Installation } from './installation.ts';
import { keepTrying } from './kill/keep-trying.ts';

/** A policy of `drift` that denies, for ConfigMaps and Sites of a namespace. Resolves when it is in effect. */
export async function trackNamespace(client: Client, namespace: string): Promise<void> {
  await client.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: namespace },
    spec: {
      mode: 'enforce',
      namespaces: { names: [namespace] },
      resources: [
        { apiGroups: [''], resources: ['configmaps'] },
        { apiGroups: ['demo.kubewright.io'], resources: ['sites'] },
      ],
    },
  });
  await waitForObject(client, KAUSALITIES, { name: namespace }, (live) =>
    isConditionTrue(live?.status?.conditions, 'Ready'),
  );
}

/** The second client looks from now on: a manager that has just met a kind of owners is not ready until it has listed them. */
export async function lookFromNow({ healthPort, secondClient }: Installation): Promise<void> {
  await keepTrying(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${healthPort}/readyz`);
    if (!ok) throw new TypeError('the manager is not ready');
  });
  await secondClient.begin();
}
