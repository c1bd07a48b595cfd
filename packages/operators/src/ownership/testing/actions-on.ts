import { ignoreNotFound, keyOf } from '@kubewright/client';
import { corev1, type KubeObject, type Stored } from '@kubewright/kube';
import { expect } from 'vitest';
import { COMPOSITIONS, RESOURCE_SLICES } from '../api.ts';
import type { Compositions } from './use-compositions.ts';

/** What users do to Compositions, and see of them. */
export function actionsOn({ arena, until }: Compositions) {
  return {
    remove: async (owner: KubeObject): Promise<void> =>
      void (await arena.client.delete(COMPOSITIONS, keyOf(owner as Stored))),
    untilGone: (owner: KubeObject): Promise<void> =>
      until(async () =>
        expect(await ignoreNotFound(arena.client.get(COMPOSITIONS, keyOf(owner as Stored)))).toBeUndefined(),
      ),
    /** Takes the manifest of an object out of a slice. */
    drop: async (slice: KubeObject, name: string): Promise<void> => {
      const key = keyOf(slice);
      const { spec } = await arena.client.get(RESOURCE_SLICES, key);
      const resources = (spec?.resources ?? []).filter(
        ({ manifest = '' }) => !manifest.includes(`"${name}"`),
      );
      await arena.client.patch(RESOURCE_SLICES, key, {
        type: 'merge',
        body: { spec: { resources } } as never,
      });
    },
    /** The reasons of the Events of an object. */
    events: async ({ metadata }: KubeObject): Promise<readonly string[]> => {
      const { items } = await arena.client.list(corev1.events, { namespace: arena.namespace });
      return items
        .filter(({ involvedObject }) => involvedObject.name === metadata.name)
        .flatMap(({ reason }) => reason ?? []);
    },
  };
}
