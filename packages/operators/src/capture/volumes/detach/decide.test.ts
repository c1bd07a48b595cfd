import type { corev1 } from '@kubewright/kube';
import { ownerReferenceTo } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import type { LiveRead } from '../../requests/read-live.ts';
import { at, AUTHOR, requestMeta, stored, storedKeeper, timeAt } from '../../testing/requests.ts';
import { decide, type DetachDecision } from './decide.ts';
import type { ObservedDetach } from './observed-detach.ts';

const REQUEST: VolumeCaptureRequest = {
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeCaptureRequest',
  metadata: requestMeta('off'),
  spec: {
    mode: 'Detach',
    target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'data', uid: 'uid-data' },
    externalErrorPolicy: 'Terminal',
  },
};
const KEEPER = storedKeeper(REQUEST, 'ret-pv-uid-off');
const OURS = { type: 'ours', keeper: KEEPER } as const;
const ABSENT: LiveRead<never> = { type: 'absent', message: 'not found' };
const PROGRESS = { keeperUID: 'uid-keeper', artifactUID: 'uid-pv', volumeName: 'pv' };
/** The request after its first write. */
const BEGUN: VolumeCaptureRequest = { ...REQUEST, status: { progress: PROGRESS } };

const found = <T extends corev1.PersistentVolumeClaim | corev1.PersistentVolume>(
  object: T,
  more: Partial<T['metadata']> = {},
) => ({ type: 'found', object: stored(object, more) }) as const;

const CLAIM: corev1.PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'shop', name: 'data' },
  spec: { volumeName: 'pv', storageClassName: 'fast' },
};
const claim = found(CLAIM);
const going = found(CLAIM, { deletionTimestamp: timeAt(1) });
const another = found(CLAIM, { uid: 'uid-another' });

type Spec = NonNullable<corev1.PersistentVolume['spec']>;
const volume = (spec: Partial<Spec> = {}, more: Partial<corev1.PersistentVolume['metadata']> = {}) =>
  found(
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv' },
      spec: {
        claimRef: { namespace: 'shop', name: 'data', uid: 'uid-data' },
        persistentVolumeReclaimPolicy: 'Retain',
        ...spec,
      },
    },
    more,
  );

const decided = (more: Partial<ObservedDetach>, seconds = 1): DetachDecision =>
  decide({ request: BEGUN, keeper: OURS, claim, volume: volume(), author: AUTHOR, ...more }, at(seconds));
const told = ({ status, action }: DetachDecision): string => {
  expect(action).toBeUndefined();
  const { status: is, reason, message } = status?.conditions?.[0] ?? {};
  return `Ready=${is}/${reason} ${message}`;
};

describe('a volume is detached', () => {
  test('CAP-39 CAP-D15 first a keeper, then the claim is deleted, then the volume is released: owned, and bound to no claim', () => {
    const begin = { request: REQUEST, keeper: { type: 'absent' } } as const;
    expect(decided(begin).action).toMatchObject({
      type: 'createKeeper',
      keeper: { metadata: { name: 'ret-pv-uid-off' } },
    });
    const first = decided({ request: REQUEST });
    expect(first.action).toMatchObject({ type: 'deleteClaim', claim: { metadata: { uid: 'uid-data' } } });
    // Recorded with, and so before, the write.
    expect(first.status?.progress).toEqual(PROGRESS);
    const last = decided({ claim: ABSENT });
    expect(last.action).toEqual({
      type: 'patchVolume',
      name: 'pv',
      body: {
        metadata: {
          resourceVersion: '1',
          annotations: expect.objectContaining({ 'storage-foundation.deckhouse.io/detached': 'true' }),
          ownerReferences: [ownerReferenceTo(KEEPER, { controller: true, blockOwnerDeletion: true })],
        },
        spec: { claimRef: expect.objectContaining({ name: 'ret-pv-uid-off', uid: 'uid-off' }) },
      },
    });
    const owned = volume({}, { ownerReferences: [ownerReferenceTo(KEEPER, { controller: true })] });
    const done = decided({ claim: ABSENT, volume: owned });
    expect(told(done)).toContain('Ready=True/Completed');
    expect(done.status?.data?.artifactRef).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      name: 'pv',
      uid: 'uid-pv',
    });
  });

  test.each(['Delete', 'Recycle', undefined])(
    'CAP-40 CAP-D15 of policy %s: it is set to Retain before anything is deleted, and whenever it is not',
    (policy) => {
      const risky = volume({ persistentVolumeReclaimPolicy: policy } as Partial<Spec>);
      const retain = { spec: { persistentVolumeReclaimPolicy: 'Retain' } };
      for (const seen of [{ request: REQUEST }, {}, { claim: going }, { claim: ABSENT }])
        expect(decided({ ...seen, volume: risky }).action).toMatchObject({
          type: 'patchVolume',
          body: { metadata: { resourceVersion: '1' }, ...retain },
        });
    },
  );

  test('CAP-41 CAP-D15 a claim that is used: it waits, and changes nothing, until the deadline', () => {
    const waiting = decided({ claim: going });
    expect(waiting).toMatchObject({ reason: 'WaitForClaim', requeueAfter: 500 });
    expect(waiting.status?.progress?.message).toContain('data is still used');
    expect(waiting.action).toBeUndefined();
    const request = { ...BEGUN, spec: { ...BEGUN.spec, deadlineSeconds: 60 } };
    expect(decided({ request, claim: going }, 59).status?.completionTimestamp).toBeUndefined();
    expect(told(decided({ request, claim: going }, 60))).toContain('DeadlineExceeded');
  });

  test('CAP-42 CAP-47 CAP-D25 a crash, or a new claim of the name: the recorded volume is released, the claim is left alone', () => {
    for (const later of [ABSENT, another])
      expect(decided({ claim: later }).action).toMatchObject({ type: 'patchVolume', name: 'pv' });
  });

  test('what a webhook has taken out of the last write is written again', () => {
    const ownerless = volume({ claimRef: { uid: 'uid-off' } });
    expect(decided({ claim: ABSENT, volume: ownerless }).reason).toBe('ReleaseVolume');
  });
});

describe('a volume stays as it is', () => {
  const owner = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'boss',
    uid: 'uid-boss',
    controller: true,
  };
  const unbound = found({ ...CLAIM, spec: {} });
  test.each<[string, Partial<ObservedDetach>, string]>([
    ['CAP-43 CAP-D15 without a claim', { claim: ABSENT }, 'NotFound PersistentVolumeClaim data not found'],
    [
      'CAP-43 whose claim was replaced',
      { claim: another },
      'NotFound PersistentVolumeClaim data was replaced',
    ],
    ['CAP-44 that is bound to nothing', { volume: volume({ claimRef: {} }) }, 'Conflict PersistentVolume pv'],
    [
      'CAP-45 CAP-D2 that belongs to something',
      { volume: volume({}, { ownerReferences: [owner] }) },
      'Conflict',
    ],
    [
      'CAP-46 of a claim that has none',
      { claim: unbound },
      'InternalError PersistentVolumeClaim data is not',
    ],
    ['that is not there', { volume: ABSENT }, 'NotFound PersistentVolume pv not found'],
    [
      'that nobody may read',
      { volume: { type: 'forbidden', message: 'is forbidden' } },
      'RBACDenied is forbidden',
    ],
  ])('%s', (_title, seen, expected) => {
    for (const keeper of [{ type: 'absent' }, OURS] as const)
      expect(told(decided({ request: REQUEST, keeper, ...seen }))).toContain(`Ready=False/${expected}`);
  });

  test('that was bound to somebody else, replaced, or adopted in the meantime', () => {
    const rebound = volume({ claimRef: { uid: 'uid-another' } });
    expect(told(decided({ claim: ABSENT, volume: rebound }))).toContain('Conflict');
    expect(told(decided({ claim: ABSENT, volume: volume({}, { uid: 'uid-new' }) }))).toContain('NotFound');
    const taken = volume({}, { ownerReferences: [owner] });
    expect(told(decided({ claim: ABSENT, volume: taken }))).toContain('belongs to ConfigMap boss');
  });

  test('of a request without a target', () => {
    const { target: _none, ...spec } = REQUEST.spec;
    expect(told(decided({ request: { ...REQUEST, spec } }))).toContain(
      'InternalError spec.target is missing',
    );
  });

  test('when the keeper was deleted: none is made again', () => {
    expect(told(decided({ keeper: { type: 'absent' } }))).toContain('NotFound the keeper was deleted');
  });
});
