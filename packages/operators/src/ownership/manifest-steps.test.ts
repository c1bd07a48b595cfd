import type { Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { AnyKindApi } from '../kit/any-kind-api.ts';
import { entry, live } from './testing/claims.ts';
import { answered, fakeAnyKindApi } from '../kit/testing/fake-any-kind-api.ts';
import { applied, own, rewritten, run, server, split } from './testing/reconciled.ts';

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
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(applied),
      apply: () => Promise.resolve(answered(applied)),
    });

    expect((await run(target)).reason).toBe('InSync');
    expect(target.calls).toEqual(['get', 'dry run as eno']);
  });

  test('an apply that does not get there at once is repeated, but not for ever', async () => {
    const restless = (version: number): Stored => ({
      ...applied,
      metadata: { ...applied.metadata, annotations: { version: String(version) } },
    });
    let version = 0;
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(restless(version)),
      apply: (_object, { dryRun }) =>
        Promise.resolve(answered(restless(dryRun ? version + 1 : (version += 1)))),
    });

    expect((await run(target)).state.reconciled).toBe(true);
    expect(target.calls.filter((call) => call === 'apply')).toHaveLength(2);
  });

  test('OWN-T10 an object that does not exist is applied, and nobody’s ownership is looked at', async () => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(undefined),
      apply: () => Promise.resolve(answered(applied)),
    });

    expect((await run(target)).state.reconciled).toBe(true);
    expect(target.calls).toEqual(['get', 'apply', 'dry run as eno']);
  });

  test('OWN-T11 an object that is being deleted is left alone', async () => {
    const deleting = { ...split, metadata: { ...split.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const target = fakeAnyKindApi({ get: () => Promise.resolve(deleting) });

    const result = await run(target);

    expect(result).toMatchObject({ reason: 'Deleting', state: { reconciled: false } });
    expect(target.calls).toEqual(['get']);
  });

  test('OWN-T8 in mode adopt an Update entry of our own name is moved, and a second run finds nothing', async () => {
    const twice = live([entry('eno', 'Apply', own), entry('eno', 'Update', own)]);
    const inSync = (): AnyKindApi => {
      let current: Stored = twice;
      return fakeAnyKindApi({
        get: () => Promise.resolve(current),
        apply: () => Promise.resolve(answered(current)),
        patchJson: (_ref, patch) => Promise.resolve(answered((current = rewritten(current, patch)))),
      });
    };
    const target = inSync() as ReturnType<typeof fakeAnyKindApi>;

    const first = await run(target, {}, { mode: 'adopt' });
    const writesOfFirst = target.calls.splice(0).filter((call) => call === 'rewrite');
    const second = await run(target, {}, { mode: 'adopt' }, first.state);

    expect(writesOfFirst).toHaveLength(1);
    expect(first.state.ownership).toMatchObject({ state: 'Moved', managers: ['eno (Update)'] });
    expect(second).toMatchObject({ reason: 'InSync', state: first.state });
    expect(target.calls).toEqual(['get', 'dry run as eno']);
  });
});

describe('manifests that are not applied', () => {
  test('a tombstone deletes what exists, by uid and version', async () => {
    let current: Stored | undefined = split;
    const target = fakeAnyKindApi({
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
    const target = fakeAnyKindApi({ get: () => Promise.resolve(deleting) });
    const annotations = { 'eno.azure.io/deletion-strategy': 'foreground' };

    expect(await run(target, { deleted: true, annotations })).toMatchObject({
      reason: 'Deleting',
      requeueAfter: 5_000,
    });
  });

  test('what is dropped is deleted although its strategy is orphan, which is for the Composition', async () => {
    let current: Stored | undefined = split;
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(current),
      delete: (object) => {
        current = undefined;
        return Promise.resolve(answered(object));
      },
    });
    const annotations = { 'eno.azure.io/deletion-strategy': 'orphan' };

    expect((await run(target, { deleted: true, annotations })).state).toMatchObject({ deleted: true });
    expect(target.calls).toEqual(['get', 'delete Background', 'get']);
  });

  test.each([
    ['eno.azure.io/disable-reconciliation', 'Disabled'],
    ['eno.azure.io/disable-updates', 'UpdatesDisabled'],
  ])('%s is honoured', async (annotation, reason) => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(split),
      apply: () => Promise.resolve(answered(split)),
    });

    expect((await run(target, { annotations: { [annotation]: 'true' } })).reason).toBe(reason);
    expect(target.calls).not.toContain('apply');
  });

  test('a manifest with readiness expressions does not become ready by itself', async () => {
    const target = fakeAnyKindApi({
      get: () => Promise.resolve(applied),
      apply: () => Promise.resolve(answered(applied)),
    });

    const result = await run(target, { annotations: { 'eno.azure.io/readiness': 'self.status.ready' } });

    expect(result.state).toEqual({ reconciled: true, applied: '{"f:spec":{}}' });
  });
});
