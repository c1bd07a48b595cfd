import type { KubeObject, OwnerReference } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import {
  approvals,
  child,
  CTL,
  decided,
  resized,
  site,
  update,
  users,
  withAnnotations,
} from '../testing/objects.ts';
import { decideAdmission } from './decide-admission.ts';
import { NOW } from '../testing/objects.ts';

const OWNER: OwnerReference = {
  apiVersion: 'example.com/v1',
  kind: 'Site',
  name: 'web',
  uid: 'p-1',
  controller: true,
};
const OTHER: OwnerReference = { ...OWNER, name: 'other', uid: 'p-2' };

const ownedBy = (...ownerReferences: readonly OwnerReference[]): KubeObject =>
  child({ metadata: { ownerReferences: ownerReferences as never } });
/** A write of metadata alone. */
const reowned = (from: readonly OwnerReference[], to: readonly OwnerReference[], user = CTL) =>
  update(ownedBy(...from), { object: ownedBy(...to), user });

const WAYS: readonly (readonly [name: string, to: readonly OwnerReference[]])[] = [
  ['removes it', []],
  ['makes it no controller', [{ ...OWNER, controller: false }]],
  ['gives the object to another', [OTHER]],
  ['adds another before it', [{ ...OWNER, controller: false }, OTHER]],
  ['changes its uid', [{ ...OWNER, uid: 'p-9' }]],
  ['changes its name', [{ ...OWNER, name: 'gone' }]],
  ['changes its kind', [{ ...OWNER, kind: 'Gone' }]],
  ['changes its group', [{ ...OWNER, apiVersion: 'gone.example.com/v1' }]],
];

describe('DRF-83 a controller takes nothing from a reconciled parent without approval', () => {
  test.each(WAYS)('it %s', (_name, to) => {
    const decision = decided(reowned([OWNER], to), site());
    expect(decision).toMatchObject({ reason: 'Drift', allowed: false });
    expect(decision.message).toContain(
      `${CTL} updates ReplicaSet web (metadata.ownerReferences), but nobody`,
    );
    expect(decided(reowned([OWNER], to), site(), 'log')).toMatchObject({ reason: 'Drift', allowed: true });
  });

  test.each(WAYS)('what follows from a change of the parent may: it %s', (_name, to) => {
    const changed = site({ status: { observedGeneration: 2 } });
    expect(decided(reowned([OWNER], to), changed)).toMatchObject({ reason: 'Reconciling', allowed: true });
  });

  test('a person may, and so may the garbage collector; who wrote the object, and why, stays as it was', () => {
    for (const user of ['alice', 'system:serviceaccount:kube-system:generic-garbage-collector']) {
      const decision = decided(reowned([OWNER], [], user), site());
      expect(decision).toMatchObject({ reason: 'OtherActor', allowed: true });
      expect(decision.annotations).toEqual(child().metadata.annotations);
    }
    const deleting = site({ metadata: { deletionTimestamp: '2026-01-01T09:00:00Z' } });
    expect(decided(reowned([OWNER], []), deleting)).toMatchObject({
      reason: 'ParentDeleting',
      allowed: true,
    });
  });

  test('a frozen parent keeps what it has', () => {
    const frozen = site({ annotations: { [ANNOTATIONS.freeze]: 'true' } });
    expect(decided(reowned([OWNER], [], 'alice'), frozen)).toMatchObject({
      reason: 'Frozen',
      allowed: false,
    });
  });

  test('an approval of mode once covers it once', () => {
    const approved = site({ annotations: approvals({ generation: 3 }) });
    const decision = decided(reowned([OWNER], []), approved);
    expect(decision).toMatchObject({ reason: 'Approved', allowed: true });
    expect(decision.annotations).toHaveProperty([ANNOTATIONS.usedApprovals]);
    const used = withAnnotations(ownedBy(OWNER), decision.annotations ?? {});
    const again = update(used, { object: withAnnotations(ownedBy(), decision.annotations ?? {}) });
    expect(decided(again, approved).reason).toBe('Drift');
  });

  test('what is no change of the controller owner is metadata', () => {
    const extra: OwnerReference = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n-1' };
    for (const to of [
      [OWNER, extra],
      [extra, OWNER],
      [{ ...OWNER, blockOwnerDeletion: false }],
      // As a new version of a controller writes it; where that is not served, the owner is found all the same.
      [{ ...OWNER, apiVersion: 'example.com/v2' }],
    ])
      expect(decided(reowned([OWNER], to), site())).toMatchObject({ reason: 'Metadata', allowed: true });
  });
});

describe('DRF-84 a controller adopts nothing for a reconciled parent without approval', () => {
  test('neither what it created without an owner, nor what was another controller’s', () => {
    for (const from of [[], [{ ...OWNER, controller: false }]]) {
      const decision = decided(reowned(from, [OWNER]), site());
      expect(decision).toMatchObject({ reason: 'Drift', allowed: false });
      expect(decision.message).toContain('(metadata.ownerReferences)');
    }
    const reconciling = site({ status: { observedGeneration: 2 } });
    expect(decided(reowned([], [OWNER]), reconciling)).toMatchObject({
      reason: 'Reconciling',
      allowed: true,
    });
  });

  test('with its content, in one write', () => {
    const review = update(ownedBy(), { object: resized(ownedBy(OWNER)) });
    expect(decided(review, site())).toMatchObject({ reason: 'Drift', allowed: false });
  });

  test('a person may, also one who alone has written the object, before the parent has a status', () => {
    expect(decided(reowned([], [OWNER], 'alice'), site())).toMatchObject({
      reason: 'OtherActor',
      allowed: true,
    });
    const unknown = site({ annotations: { [ANNOTATIONS.controllers]: '' } });
    const hers = { [ANNOTATIONS.updaters]: users('alice') };
    const review = update(withAnnotations(ownedBy(), hers), {
      object: withAnnotations(ownedBy(OWNER), hers),
      user: 'alice',
    });
    expect(decided(review, unknown)).toMatchObject({ reason: 'UnknownController', allowed: true });
  });

  test('beside the approval that takes the object from its owner, none of mode once gives it to another', () => {
    const second = { ...reowned([OTHER], [OWNER]), isSecond: true };
    const generation = site({ annotations: approvals({ generation: 3, mode: 'generation' }) });
    expect(decided(second, site({ annotations: approvals({ generation: 3 }) })).reason).toBe('Drift');
    expect(decided(second, generation).reason).toBe('Approved');
  });
});

test('DRF-85 a write of the status changes neither owner nor policy', () => {
  const facts = { parent: undefined, mode: 'enforce', isEnding: false } as const;
  const status = { ...reowned([OWNER], []), isStatus: true };
  const decision = decideAdmission(status, facts, NOW);
  expect(decision).toMatchObject({ reason: 'Status', allowed: true, restored: { ownerReferences: [OWNER] } });
  expect(decideAdmission({ ...status, isUnderAnother: true }, facts, NOW).restored).toEqual({
    ownerReferences: [OWNER],
    labels: {},
  });
  const plain = { ...reowned([OWNER], [OWNER]), isStatus: true };
  expect(decideAdmission(plain, facts, NOW).restored).toEqual({});
});

test('DRF-86 to put an object under another policy by its labels is a change', () => {
  const labelled = child({ metadata: { labels: { tier: 'dev' } } });
  const review = update(child(), { object: labelled, isUnderAnother: true });
  const decision = decided(review, site());
  expect(decision).toMatchObject({ reason: 'Drift', allowed: false });
  expect(decision.message).toContain('updates ReplicaSet web (metadata.labels, which policies select)');
  expect(decided({ ...review, user: 'alice' }, site())).toMatchObject({
    reason: 'OtherActor',
    allowed: true,
  });
  expect(decided(update(child(), { object: labelled }), site()).reason).toBe('Metadata');
});
