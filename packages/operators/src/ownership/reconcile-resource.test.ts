import type { Clock } from '@kubewright/client';
import type { Json, JsonObject, KubeObject, ManagedFieldsEntry } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { ResourceState } from './api.ts';
import { readManifest } from './observe/manifest.ts';
import { DEFAULT_POLICY, type MigrationPolicy } from './policy.ts';
import { reconcileResource, type ResourceResult } from './reconcile-resource.ts';
import type { Answer, Target } from './target.ts';
import { entry, initContainers, item, live } from './testing/claims.ts';
import { answered, fakeTarget, refused } from './testing/fake-target.ts';

/** Time stands still and every wait is over at once. */
const clock: Clock = {
  now: () => Date.UTC(2026, 0, 1),
  monotonic: () => 0,
  after(_ms, callback) {
    queueMicrotask(callback);
    return () => undefined;
  },
};

const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
const theirs = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:command': {} } });
const split = live([entry('eno', 'Apply', own), entry('Go-http-client', 'Update', theirs)]);
const alone = live([entry('eno', 'Apply', { 'f:spec': {} })], []);
const applied: KubeObject = { ...alone, metadata: { ...alone.metadata, resourceVersion: '9' } };
const shell = 'spec.template.spec.initContainers[0].image: Required value';

function run(
  target: Target,
  manifest: { object?: KubeObject; deleted?: boolean; annotations?: JsonObject } = {},
  policy: Partial<MigrationPolicy> = {},
  state: ResourceState = {},
): Promise<ResourceResult> {
  const metadata = { name: 'web', namespace: 'shop', annotations: manifest.annotations ?? {} };
  const object = manifest.object ?? { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {} };
  const read = readManifest({ manifest: JSON.stringify(object), deleted: manifest.deleted ?? false });
  if (typeof read === 'string') throw new Error(read);
  const deps = { target, clock, random: () => 0, policy: { ...DEFAULT_POLICY, ...policy } };
  return reconcileResource(read, state, deps, () => Promise.resolve());
}

/** A server that takes rewrites, refuses the dry run while the item is shared, and then applies. */
function server(first: KubeObject): ReturnType<typeof fakeTarget> & { current: KubeObject } {
  const state = { current: first };
  const isShared = (): boolean =>
    (state.current.metadata.managedFields ?? []).some(
      ({ manager, fieldsV1 }) => manager !== 'eno' && JSON.stringify(fieldsV1).includes('{".":{}'),
    );
  const target = fakeTarget({
    get: () => Promise.resolve(state.current),
    apply: (_object, { manager, dryRun }) => Promise.resolve(apply(manager, dryRun)),
    patchJson: (_ref, patch) => Promise.resolve(answered((state.current = rewritten(state.current, patch)))),
  });
  function apply(manager: string, dryRun: boolean): Answer {
    if (manager === 'kubewright-probe')
      return answered({ ...first, metadata: { ...first.metadata, managedFields: [] } });
    if (isShared()) return refused(422, shell);
    if (!dryRun) state.current = applied;
    return answered(applied);
  }
  return Object.assign(target, {
    get current() {
      return state.current;
    },
  });
}

function rewritten(object: KubeObject, patch: Json): KubeObject {
  const [fields] = patch as unknown as readonly { value: readonly ManagedFieldsEntry[] }[];
  const next = String(Number(object.metadata.resourceVersion) + 1);
  return {
    ...object,
    metadata: { ...object.metadata, managedFields: fields?.value ?? [], resourceVersion: next },
  };
}

describe('one object, from observation to the last write', () => {
  test('a blocked removal is rewritten, tried again and applied', async () => {
    const target = server(split);

    const result = await run(target);

    expect(target.calls).toEqual([
      'get',
      'dry run as eno',
      'dry run as kubewright-probe',
      'rewrite',
      'dry run as eno',
      'apply',
      'dry run as eno',
    ]);
    expect(result.state).toMatchObject({ reconciled: true, ready: '2026-01-01T00:00:00Z' });
    expect(result.events.map(({ reason }) => reason)).toEqual(['OwnershipMigrated']);
  });

  test('an object that is as it should be is not written', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(applied),
      apply: () => Promise.resolve(answered(applied)),
    });

    expect((await run(target)).reason).toBe('InSync');
    expect(target.calls).toEqual(['get', 'dry run as eno']);
  });

  test('an apply that does not get there at once is repeated, but not for ever', async () => {
    const restless = (version: number): KubeObject => ({
      ...applied,
      metadata: { ...applied.metadata, annotations: { version: String(version) } },
    });
    let version = 0;
    const target = fakeTarget({
      get: () => Promise.resolve(restless(version)),
      apply: (_object, { dryRun }) =>
        Promise.resolve(answered(restless(dryRun ? version + 1 : (version += 1)))),
    });

    expect((await run(target)).state.reconciled).toBe(true);
    expect(target.calls.filter((call) => call === 'apply')).toHaveLength(2);
  });

  test('OWN-T10 an object that does not exist is applied, and nobody’s ownership is looked at', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(undefined),
      apply: () => Promise.resolve(answered(applied)),
    });

    expect((await run(target)).state.reconciled).toBe(true);
    expect(target.calls).toEqual(['get', 'apply', 'dry run as eno']);
  });

  test('OWN-T11 an object that is being deleted is left alone', async () => {
    const deleting = { ...split, metadata: { ...split.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const target = fakeTarget({ get: () => Promise.resolve(deleting) });

    const result = await run(target);

    expect(result).toMatchObject({ reason: 'Deleting', state: { reconciled: false } });
    expect(target.calls).toEqual(['get']);
  });

  test('OWN-T8 in mode adopt an Update entry of our own name is moved, and a second run finds nothing', async () => {
    const twice = live([entry('eno', 'Apply', own), entry('eno', 'Update', own)]);
    const inSync = (): Target => {
      let current: KubeObject = twice;
      return fakeTarget({
        get: () => Promise.resolve(current),
        apply: () => Promise.resolve(answered(current)),
        patchJson: (_ref, patch) => Promise.resolve(answered((current = rewritten(current, patch)))),
      });
    };
    const target = inSync() as ReturnType<typeof fakeTarget>;

    const first = await run(target, {}, { mode: 'adopt' });
    const writesOfFirst = target.calls.splice(0).filter((call) => call === 'rewrite');
    const second = await run(target, {}, { mode: 'adopt' }, first.state);

    expect(writesOfFirst).toHaveLength(1);
    expect(first.state.ownership).toMatchObject({ state: 'Moved', managers: ['eno (Update)'] });
    expect(second).toMatchObject({ reason: 'InSync', state: first.state });
    expect(target.calls).toEqual(['get', 'dry run as eno']);
  });
});

describe('races and refusals', () => {
  test('a rewrite that meets a conflict is planned anew from a fresh read', async () => {
    const target = server(split);
    let conflicts = 2;
    const racing: Target = {
      ...target,
      patchJson: (...args) =>
        conflicts-- > 0 ? Promise.resolve(refused(409, 'changed')) : target.patchJson(...args),
    };

    const result = await run(racing);

    expect(result.state.reconciled).toBe(true);
    expect(target.calls.filter((call) => call === 'get')).toHaveLength(3);
  });

  test('a probe that meets a conflict is a race too, not a refusal of the manifest', async () => {
    const target = server(split);
    let conflicts = 1;
    const racing: Target = {
      ...target,
      apply: (object, options) =>
        options.manager === 'kubewright-probe' && conflicts-- > 0
          ? Promise.resolve(refused(409, 'changed'))
          : target.apply(object, options),
    };

    expect((await run(racing)).state.reconciled).toBe(true);
  });

  test('after five conflicts the queue decides when to try again', async () => {
    const target = server(split);
    const racing: Target = { ...target, patchJson: () => Promise.resolve(refused(409, 'changed')) };

    expect(await run(racing)).toMatchObject({ reason: 'Conflict', requeueAfter: 1_000, events: [] });
    expect(target.calls.filter((call) => call === 'get')).toHaveLength(6);
  });

  test('OWN-T41 a rewrite that the server ignored is reported and not repeated', async () => {
    const target = server(split);
    const ignoring: Target = { ...target, patchJson: () => Promise.resolve(answered(split)) };

    const result = await run(ignoring);

    expect(result).toMatchObject({
      reason: 'RewriteIgnored',
      state: { reconciled: false },
      requeueAfter: 60_000,
    });
    expect(target.calls.filter((call) => call === 'dry run as eno')).toHaveLength(1);
  });

  test('a manifest that is itself invalid is reported as the server words it, and nothing is moved', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, 'spec.selector: Required value')),
    });

    const result = await run(target);

    expect(result.state).toEqual({ reconciled: false, reconciliationError: 'spec.selector: Required value' });
    expect(result.events.map(({ reason }) => reason)).toEqual(['ReconciliationFailed']);
  });

  test('the same failure is told once', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, 'no')),
    });
    const first = await run(target);

    expect((await run(target, {}, {}, first.state)).events).toEqual([]);
  });

  test('an admission policy that denies the rewrite is reported once, with its words', async () => {
    const target = server(split);
    const denying: Target = { ...target, patchJson: () => Promise.resolve(refused(422, 'denied by policy')) };

    expect(await run(denying)).toMatchObject({
      reason: 'Refused',
      state: { reconciliationError: 'denied by policy' },
    });
  });

  test('an annotation that cannot be read blocks everything that it speaks of', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(refused(422, shell)),
    });

    const result = await run(target, { annotations: { 'eno.azure.io/migrate-ownership': 'spec[' } });

    expect(result).toMatchObject({ reason: 'InvalidPolicy', state: { reconciled: false } });
  });
});

describe('manifests that are not applied', () => {
  test('a tombstone deletes what exists, by uid and version', async () => {
    let current: KubeObject | undefined = split;
    const target = fakeTarget({
      get: () => Promise.resolve(current),
      delete: (object) => {
        current = undefined;
        return Promise.resolve(answered(object));
      },
    });

    expect((await run(target, { deleted: true })).state).toMatchObject({ reconciled: true, deleted: true });
    expect(target.calls).toEqual(['get', 'delete Background', 'get']);
  });

  test('a tombstone with foreground deletion waits until the object is gone', async () => {
    const deleting = { ...split, metadata: { ...split.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const target = fakeTarget({ get: () => Promise.resolve(deleting) });
    const annotations = { 'eno.azure.io/deletion-strategy': 'foreground' };

    expect(await run(target, { deleted: true, annotations })).toMatchObject({
      reason: 'Deleting',
      requeueAfter: 5_000,
    });
  });

  test('an orphaned tombstone leaves the object', async () => {
    const target = fakeTarget({ get: () => Promise.resolve(split) });
    const annotations = { 'eno.azure.io/deletion-strategy': 'orphan' };

    expect((await run(target, { deleted: true, annotations })).state).toMatchObject({ deleted: true });
  });

  test.each([
    ['eno.azure.io/disable-reconciliation', 'Disabled'],
    ['eno.azure.io/disable-updates', 'UpdatesDisabled'],
    ['eno.azure.io/replace', 'Unsupported'],
  ])('%s is honoured', async (annotation, reason) => {
    const target = fakeTarget({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(answered(split)),
    });

    expect((await run(target, { annotations: { [annotation]: 'true' } })).reason).toBe(reason);
    expect(target.calls).not.toContain('apply');
  });

  test('a manifest with readiness expressions does not become ready by itself', async () => {
    const target = fakeTarget({
      get: () => Promise.resolve(applied),
      apply: () => Promise.resolve(answered(applied)),
    });

    const result = await run(target, { annotations: { 'eno.azure.io/readiness': 'self.status.ready' } });

    expect(result.state).toEqual({ reconciled: true });
  });
});
