import type { KubeObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { answered, fakeAnyKindApi } from '../kit/testing/fake-any-kind-api.ts';
import { entry } from './testing/claims.ts';
import { rewritten, run } from './testing/reconciled.ts';

const labelsOf = (...names: readonly string[]) => ({
  'f:metadata': { 'f:labels': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
});

function web(labels: Readonly<Record<string, string>>, ...owned: readonly string[]): Stored {
  const managedFields: readonly ManagedFieldsEntry[] =
    owned.length === 0 ? [] : [entry('eno', 'Apply', labelsOf(...owned))];
  const metadata = {
    name: 'web',
    namespace: 'shop',
    uid: 'web',
    resourceVersion: '7',
    labels,
    managedFields,
  };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata };
}

const manifest = (labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels },
});

/** A server with a policy: it puts the label `tier` back into so many responses to dry runs and applies. */
function restoring({ dryRuns = 0, applies = 0 }) {
  let current = web({ tier: 'front' }, 'tier');
  const sent: KubeObject[] = [];
  const left = { dryRuns, applies };
  const target = fakeAnyKindApi({
    get: () => Promise.resolve(current),
    apply(object, { dryRun }) {
      const { labels = {} } = object.metadata;
      const isDropped = !Object.hasOwn(labels, 'tier');
      const isOurs = JSON.stringify(current.metadata.managedFields).includes('f:tier');
      const isBack = isDropped && left[dryRun ? 'dryRuns' : 'applies']-- > 0;
      const isThere = isBack || (!isOurs && current.metadata.labels?.['tier'] !== undefined);
      const next = web({ ...(isThere && { tier: 'front' }), ...labels }, ...Object.keys(labels));
      if (!dryRun) {
        current = next;
        sent.push(object);
      }
      return Promise.resolve(answered(next));
    },
    patchJson: (_ref, patch) => Promise.resolve(answered((current = rewritten(current, patch)))),
  });
  return { target, sent, labels: () => current.metadata.labels };
}

describe('a label that the manifest dropped and a policy puts back', () => {
  const restored = {
    reconciled: true,
    ownership: { state: 'Left', reason: 'Restored', paths: ['.metadata.labels.tier'] },
  };

  test('stays ours, is reported, and goes once nothing puts it back', async () => {
    const { target, sent, labels } = restoring({ dryRuns: 2 });

    const first = await run(target, { object: manifest({}) });
    expect(first).toMatchObject({ reason: 'InSync', state: restored });
    expect(await run(target, { object: manifest({}) }, {}, { ...first.state, ready: 'yes' })).toMatchObject({
      state: restored,
      requeueAfter: 60_000,
    });
    expect(sent).toEqual([]);

    const { state } = await run(target, { object: manifest({}) }, {}, first.state);
    expect(state).toMatchObject({ reconciled: true });
    expect(state).not.toHaveProperty('ownership');
    expect(labels()).toEqual({});
  });

  test('does not keep the rest from being applied', async () => {
    const { target, sent, labels } = restoring({ dryRuns: 9 });

    const { state } = await run(target, { object: manifest({ app: 'web' }) });

    expect(state).toMatchObject(restored);
    expect(sent).toHaveLength(1);
    expect(labels()).toEqual({ tier: 'front', app: 'web' });
  });

  test('goes with another apply where only the first was undone', async () => {
    const { target, labels } = restoring({ applies: 1 });

    expect(await run(target, { object: manifest({}) })).toMatchObject({ state: { reconciled: true } });
    expect(labels()).toEqual({});
  });
});
