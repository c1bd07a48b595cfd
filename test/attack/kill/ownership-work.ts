import { corev1, ownerReferenceTo } from '@kubewright/kube';
import { COMPOSITIONS, RESOURCE_SLICES } from '../../../packages/operators/src/ownership/api.ts';
import type { Installation } from '../installation.ts';
import { keepTrying } from './keep-trying.ts';
import type { Work } from './work.ts';

const NAMESPACE = 'kill-ownership';
const OBJECTS = 5;

/** A Composition of some ConfigMaps each round; the one before the last is deleted. */
export function ownershipWork({ client, namespace }: Installation): Work {
  const live = new Set<string>();
  const names = (composition: string): readonly string[] =>
    Array.from({ length: OBJECTS }, (_, index) => `${composition}-${index}`);

  async function faultsOf(composition: string): Promise<readonly string[]> {
    const { items } = await client.list(corev1.configmaps, { namespace: NAMESPACE });
    const there = new Set(
      items.filter(({ data }) => data?.['of'] === composition).map(({ metadata }) => metadata.name),
    );
    const wrong = names(composition).filter((name) => there.has(name) !== live.has(composition));
    return wrong.map(
      (name) => `ownership: ConfigMap ${name} ${live.has(composition) ? 'is missing' : 'is left'}`,
    );
  }

  return {
    name: 'ownership',
    prepare: async () => void (await namespace(NAMESPACE)),
    async begin(round) {
      const name = `app-${round}`;
      live.add(name);
      const composition = await keepTrying(() =>
        client.create(COMPOSITIONS, {
          apiVersion: 'eno.azure.io/v1',
          kind: 'Composition',
          metadata: { name, namespace: NAMESPACE },
          spec: {},
        }),
      );
      const resources = names(name).map((one) => ({
        manifest: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: one, namespace: NAMESPACE },
          data: { of: name },
        }),
      }));
      await keepTrying(() =>
        client.create(RESOURCE_SLICES, {
          apiVersion: 'eno.azure.io/v1',
          kind: 'ResourceSlice',
          metadata: {
            name: `${name}-1`,
            namespace: NAMESPACE,
            ownerReferences: [ownerReferenceTo(composition, { controller: true, blockOwnerDeletion: true })],
          },
          spec: { resources },
        }),
      );
      const old = `app-${round - 2}`;
      if (!live.delete(old)) return;
      await keepTrying(() => client.delete(COMPOSITIONS, { namespace: NAMESPACE, name: old }));
    },
    async faults() {
      const compositions = await client.list(COMPOSITIONS, { namespace: NAMESPACE });
      const found = new Set(compositions.items.map(({ metadata }) => metadata.name));
      const left = [...found].filter((name) => !live.has(name));
      const all = [...new Set([...live, ...left])];
      const objects = await Promise.all(all.map(faultsOf));
      return [...left.map((name) => `ownership: Composition ${name} is left`), ...objects.flat()];
    },
  };
}
