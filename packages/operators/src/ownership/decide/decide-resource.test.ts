import type { Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { answered, refused } from '../../kit/testing/fake-any-kind-api.ts';
import type { ResourceState } from '../api.ts';
import { readManifest } from '../read-manifest.ts';
import type { ObservedResource } from './observed-resource.ts';
import { DEFAULT_POLICY, type MigrationPolicy } from '../migration-policy.ts';
import { entry, initContainers, item, live as deployment } from '../testing/claims.ts';
import { applied, own, shell, split } from '../testing/reconciled.ts';
import { decideResource } from './decide-resource.ts';

const now = new Date(Date.UTC(2026, 0, 1));
const changed: Stored = { ...applied, spec: { replicas: 9 } };
const deleting: Stored = {
  ...split,
  metadata: { ...split.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
};
/** An init container that nobody owns, because an apply gave it up and a webhook put it back. */
const putBack = deployment([entry('eno', 'Apply', { 'f:spec': {} })]);
const removing = JSON.stringify(initContainers({ [item('base-os-bash')]: {} }));
const nothingOwned = answered({ ...split, metadata: { ...split.metadata, managedFields: [] } });
const moved: ResourceState = { ownership: { state: 'Moved', message: 'moved' } };

const replicas = { op: 'add', path: '/spec/replicas', value: 7 };
const deletes = { op: 'add', path: '/metadata/deletionTimestamp', value: 'now' };

type Case = Partial<Omit<ObservedResource, 'manifest'>> & {
  readonly annotation?: readonly [string, string];
  /** The manifest is a Patch with these operations. */
  readonly patch?: readonly object[];
  readonly deleted?: boolean;
  readonly policy?: Partial<MigrationPolicy>;
  readonly previous?: ResourceState;
  readonly applies?: number;
  readonly failOpen?: boolean;
};

function decide({ annotation, patch: ops, deleted = false, ...more }: Case) {
  const { policy, previous = {}, applies = 0, failOpen = false, live, ...answers } = more;
  const annotations = annotation === undefined ? {} : { [`eno.azure.io/${annotation[0]}`]: annotation[1] };
  const target = { apiVersion: 'apps/v1', kind: 'Deployment' };
  const patch = { apiVersion: 'eno.azure.io/v1', kind: 'Patch', patch: { ...target, ops } };
  const object = {
    ...(ops === undefined ? target : patch),
    metadata: { name: 'web', namespace: 'shop', annotations },
  };
  const manifest = readManifest({ manifest: JSON.stringify(object), deleted });
  if (typeof manifest === 'string') return expect.unreachable(manifest);
  const context = {
    previous,
    policy: { ...DEFAULT_POLICY, ...policy },
    now,
    readySince: '2026-01-01T00:00:00Z',
    interval: undefined,
    failOpen,
    exists: live !== undefined,
    rejected: undefined,
    applies,
  };
  return decideResource({ manifest, live, ...answers }, context);
}

const replaces: Case['annotation'] = ['replace', 'true'];
const shared = { live: split, dryRun: refused(422, shell), probe: nothingOwned };

describe('one look at one manifest', () => {
  test.each<[what: string, is: Case, reason: string, action: string | undefined]>([
    ['is switched off', { annotation: ['disable-reconciliation', 'true'] }, 'Disabled', undefined],
    ['is a Patch of nothing', { patch: [] }, 'NoTarget', undefined],
    ['is a Patch that changes nothing', { patch: [], live: split }, 'InSync', undefined],
    ['is a Patch', { patch: [replicas], live: split }, 'Patch', 'patch'],
    ['is a Patch that was sent', { patch: [replicas], live: split, applies: 1 }, 'Applied', undefined],
    ['is a Patch that goes', { patch: [replicas], live: split, deleted: true }, 'Gone', undefined],
    [
      'is a Patch that does not fit',
      { patch: [{ op: 'remove', path: '/x' }], live: split },
      'Refused',
      undefined,
    ],
    ['is a Patch that deletes', { patch: [deletes], live: split }, 'Delete', 'delete'],
    ['is a tombstone of nothing', { deleted: true }, 'Gone', undefined],
    ['is a tombstone', { deleted: true, live: split }, 'Delete', 'delete'],
    ['is a tombstone of what is going', { deleted: true, live: deleting }, 'Gone', undefined],
    ['does not exist', {}, 'Create', 'apply'],
    ['is being deleted', { live: deleting }, 'Deleting', undefined],
    [
      'is not to be updated',
      { annotation: ['disable-updates', 'true'], live: split },
      'UpdatesDisabled',
      undefined,
    ],
    ['replaces', { annotation: replaces, live: applied, dryRun: answered(changed) }, 'Replace', 'replace'],
    [
      'replaces nothing',
      { annotation: replaces, live: applied, dryRun: answered(applied) },
      'InSync',
      undefined,
    ],
    [
      'replaces, and was sent',
      { annotation: replaces, live: applied, dryRun: answered(changed), applies: 1 },
      'Applied',
      undefined,
    ],
    [
      'replaces, and is rejected',
      { annotation: replaces, live: applied, dryRun: refused(422, 'no') },
      'Refused',
      undefined,
    ],
    [
      'OWN-T53 replaces what is shared',
      { annotation: replaces, live: split, dryRun: answered(changed) },
      'Replace',
      'replace',
    ],
    ['is as it should be', { live: applied, dryRun: answered(applied) }, 'InSync', undefined],
    ['differs', { live: applied, dryRun: answered(changed) }, 'Apply', 'apply'],
    [
      'differs though applied twice',
      { live: applied, dryRun: answered(changed), applies: 2 },
      'Applied',
      undefined,
    ],
    ['cannot be removed', shared, 'Migrate', 'rewrite'],
    ['may not be taken from others', { ...shared, policy: { sources: [['helm']] } }, 'Unlisted', undefined],
    ['is only looked at', { ...shared, policy: { mode: 'observe' } }, 'Observed', undefined],
    ['is left alone', { ...shared, policy: { mode: 'off' } }, 'Refused', undefined],
    ['is invalid', { live: split, dryRun: refused(422, 'no') }, 'Refused', undefined],
    [
      'has a wrong annotation',
      { annotation: ['migrate-ownership-mode', 'x'], live: split },
      'InvalidPolicy',
      undefined,
    ],
  ])('that %s', (_what, is, reason, action) => {
    const decision = decide(is);
    expect([decision.reason, decision.action?.type]).toEqual([reason, action]);
  });

  test('says that it is reconciled only of what is, and keeps what was moved', () => {
    const done = decide({ live: applied, dryRun: answered(applied), previous: moved });
    const owned = '{"f:spec":{}}';
    expect(done.status).toEqual({
      ...moved,
      reconciled: true,
      ready: '2026-01-01T00:00:00Z',
      applied: owned,
    });
    const applying = decide({ live: applied, dryRun: answered(changed), previous: moved });
    expect(applying.status).toEqual({ ...moved, applied: owned });
  });

  test('takes back what an undone apply gave up before it writes anything else', () => {
    const owned = deployment([entry('eno', 'Apply', own)]);
    const { reason, status } = decide({ live: owned, dryRun: answered(applied) });
    expect([reason, status]).toEqual(['Apply', { removing, applied: '{"f:spec":{}}' }]);
    const previous = { removing };
    const decision = decide({ live: putBack, dryRun: answered(putBack), previous, applies: 1 });
    expect(decision).toMatchObject({ reason: 'Reclaim', action: { type: 'rewrite' } });
    expect(decision).not.toHaveProperty('status');
    const gone = decide({ live: applied, dryRun: answered(applied), previous, applies: 1 });
    expect(gone.reason).toBe('InSync');
  });

  test('guards an apply with the version that was looked at', () => {
    const { action } = decide({ live: applied, dryRun: answered(changed) });
    expect(action).toMatchObject({ object: { metadata: { resourceVersion: '9' } } });
  });

  test('a failure counts as success if the manifest fails open', () => {
    const decision = decide({ live: split, dryRun: refused(422, 'no'), failOpen: true });
    expect(decision).toEqual({
      reason: 'FailedOpen',
      status: { reconciled: true, ready: '2026-01-01T00:00:00Z' },
    });
  });

  test('a failure is news once', () => {
    const first = decide({ live: split, dryRun: refused(422, 'no') });
    expect(first.events?.map(({ reason }) => reason)).toEqual(['ReconciliationFailed']);
    const again = decide({ live: split, dryRun: refused(422, 'no'), previous: first.status ?? {} });
    expect(again).toMatchObject({ events: [], requeueAfter: 5_000 });
  });
});
