import type { corev1, storagev1 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../api/annotations.ts';
import type { SnapshotContent, SnapshotContentStatus } from '../../api/snapshots.ts';
import type { VolumeRestoreRequest } from '../../api/volume-restore-request.ts';
import { keeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';
import { at, AUTHOR, requestMeta, stored, storedKeeper, timeAt } from '../../testing/requests.ts';
import { refusedRequest } from '../fail-request.ts';
import { decide, type RestoreDecision } from './decide.ts';
import { newSnapshot } from './new-claim.ts';
import type { ObservedRestore, Passage } from './observed-restore.ts';
import { failureOf } from './provisioning-failure.ts';

const REQUEST: VolumeRestoreRequest = {
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeRestoreRequest',
  metadata: requestMeta('back'),
  spec: {
    sourceRef: { kind: 'VolumeSnapshotContent', name: 'snap' },
    pvcTemplate: { metadata: { name: 'data' }, spec: { storageClassName: 'fast' } },
    pvcRetention: 'Keep',
    externalErrorPolicy: 'Terminal',
  },
};
const specWith = (more: Partial<VolumeRestoreRequest['spec']>): VolumeRestoreRequest => ({
  ...REQUEST,
  spec: { ...REQUEST.spec, ...more },
});
const KEEPER = storedKeeper(REQUEST, 'ret-pvc-uid-back');
const OURS = { type: 'ours', keeper: KEEPER } as const;
const ABSENT: LiveRead<never> = { type: 'absent', message: 'not found' };
const FORBIDDEN: LiveRead<never> = { type: 'forbidden', message: 'is forbidden' };

const READY: SnapshotContentStatus = { readyToUse: true, snapshotHandle: 'snap-1', restoreSize: 2 ** 30 };
const content = (
  status: SnapshotContentStatus = READY,
  metadata: SnapshotContent['metadata'] = { name: 'snap' },
) => ({
  type: 'found' as const,
  object: {
    ...stored({
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotContent',
      metadata,
      spec: { driver: 'disk', deletionPolicy: 'Delete', volumeSnapshotRef: {}, source: {} },
    } as const),
    status,
  },
});
const storageClass = (provisioner = 'disk'): LiveRead<storagev1.StorageClass> => ({
  type: 'found',
  object: stored({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'fast' },
    provisioner,
  }),
});
const PASSAGE: Passage = { source: content(), storageClass: storageClass() };

const decided = (more: Partial<ObservedRestore>, seconds = 1): RestoreDecision =>
  decide({ request: REQUEST, keeper: OURS, passage: PASSAGE, author: AUTHOR, ...more }, at(seconds));
const told = ({ status }: RestoreDecision): string => {
  const { type = 'none', status: is, reason, message } = status?.conditions?.[0] ?? {};
  return type === 'none' ? type : `${type}=${is}/${reason} ${message}`;
};

/** The content as the operator makes it. */
function ownContent(more: Partial<SnapshotContent['spec']> = {}) {
  const { action } = decided({});
  if (action?.type !== 'createContent') throw new TypeError('no content is made');
  return stored({ ...action.content, spec: { ...action.content.spec, ...more } });
}

/** The claim as the operator makes it, in a phase, bound to a volume. */
function claimIn(
  phase: 'Bound' | 'Lost' | 'Pending',
  annotations: Readonly<Record<string, string>> = { [ANNOTATIONS.restoreUid]: 'uid-back' },
) {
  const claim: corev1.PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'data', annotations },
    spec: { volumeName: 'pv' },
    status: { phase },
  };
  const object = stored(claim);
  return { ...object, metadata: { ...object.metadata, namespace: 'shop' } };
}
const volumeOf = (uid: string) =>
  stored({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv' },
    spec: { claimRef: { namespace: 'shop', name: 'data', uid } },
  } as const);

describe('a claim from a snapshot', () => {
  test('CAP-49 keeper, content, snapshot, claim, one write each; Completed when it is bound to its own volume', () => {
    expect(decided({ keeper: { type: 'absent' } }).action).toMatchObject({
      type: 'createKeeper',
      keeper: { metadata: { name: 'ret-pvc-uid-back' }, spec: { followObjectRef: { uid: 'uid-back' } } },
    });
    const first = decided({}).action;
    if (first?.type !== 'createContent') throw new TypeError('no content is made');
    expect(first.content.spec).toMatchObject({
      deletionPolicy: 'Retain',
      source: { snapshotHandle: 'snap-1' },
    });
    const made = { ...PASSAGE, content: stored(first.content) };
    const second = decided({ passage: made }).action;
    if (second?.type !== 'createSnapshot') throw new TypeError('no snapshot is made');
    const third = decided({ passage: { ...made, snapshot: stored(second.snapshot) } }).action;
    expect(third).toMatchObject({
      type: 'createClaim',
      claim: {
        metadata: { name: 'data', annotations: { [ANNOTATIONS.restoreUid]: 'uid-back' } },
        spec: { dataSource: { kind: 'VolumeSnapshot', name: 'restore-uid-back' } },
      },
    });
    const done = decided({ claim: claimIn('Bound'), volume: volumeOf('uid-data'), passage: {} }, 9);
    expect(done.status).toMatchObject({
      completionTimestamp: timeAt(9),
      conditions: [{ type: 'Ready', status: 'True', reason: 'Completed' }],
      pvcRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: 'shop',
        name: 'data',
        uid: 'uid-data',
      },
    });
  });

  test.each<[string, VolumeRestoreRequest, Passage, string]>([
    ['CAP-50 from a Pod', specWith({ sourceRef: { kind: 'Pod', name: 'snap' } }), {}, 'InvalidSource'],
    ['CAP-51 of a content that is not there', REQUEST, { ...PASSAGE, source: ABSENT }, 'NotFound'],
    ['CAP-51 of a content that may not be read', REQUEST, { ...PASSAGE, source: FORBIDDEN }, 'RBACDenied'],
    [
      'CAP-53 CAP-D6 of a content with an error',
      REQUEST,
      { ...PASSAGE, source: content({ error: { message: 'disk full' } }) },
      'InvalidSource',
    ],
    ['CAP-60 by another driver', REQUEST, { ...PASSAGE, storageClass: storageClass('tape') }, 'Incompatible'],
    [
      'CAP-61 that is too small',
      specWith({
        pvcTemplate: {
          metadata: { name: 'data' },
          spec: { storageClassName: 'fast', resources: { requests: { storage: '1Mi' } } },
        },
      }),
      PASSAGE,
      'Incompatible',
    ],
    [
      'CAP-62 CAP-D3 of a snapshot that another namespace has taken',
      REQUEST,
      {
        ...PASSAGE,
        source: content(READY, { name: 'snap', annotations: { [ANNOTATIONS.request]: 'bank/x' } }),
      },
      'RBACDenied',
    ],
    [
      'CAP-65 of a content that was replaced',
      specWith({ sourceRef: { kind: 'VolumeSnapshotContent', name: 'snap', uid: 'old' } }),
      PASSAGE,
      'NotFound',
    ],
  ])('%s ends it before anything is made', (_title, request, passage, reason) => {
    const decision = decided({ request, passage, keeper: { type: 'absent' } });
    expect(told(decision)).toContain(`Ready=False/${reason}`);
    expect(decision.action).toBeUndefined();
  });

  test('CAP-239 of another namespace is made where the request names that, and its author was checked', () => {
    const source = content(READY, { name: 'snap', annotations: { [ANNOTATIONS.request]: 'bank/x' } });
    const from = (namespace: string) =>
      specWith({ sourceRef: { kind: 'VolumeSnapshotContent', name: 'snap', namespace } });
    const observed = { passage: { ...PASSAGE, source }, keeper: { type: 'absent' } } as const;
    expect(decided({ ...observed, request: from('bank') }).action).toMatchObject({ type: 'createKeeper' });
    for (const [request, author, message] of [
      [from('other'), AUTHOR, 'was taken in namespace bank'],
      [from('shop'), AUTHOR, 'was taken in namespace bank'],
      [from('bank'), { type: 'notInstalled', message: 'nobody has checked' }, 'nobody has checked'],
      [from('bank'), undefined, 'its author is not known'],
    ] as const) {
      const { action, ...decision } = decide({ ...observed, request, ...(author && { author }) }, at(1));
      expect(told(decision)).toContain(`Ready=False/RBACDenied`);
      expect(told(decision)).toContain(message);
      expect(action).toBeUndefined();
    }
  });

  test('CAP-61 may be larger than the snapshot', () => {
    const request = specWith({
      pvcTemplate: {
        metadata: { name: 'data' },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '4Gi' } } },
      },
    });
    expect(decided({ request }).action).toMatchObject({ type: 'createContent' });
  });

  test.each([
    ['CAP-52 a snapshot that is not ready', { passage: { ...PASSAGE, source: content({}) } }],
    ['CAP-54 a claim that is not bound', { claim: claimIn('Pending'), passage: {} }],
  ])('%s is waited for, without a write at each look', (_title, observed) => {
    const first = decided(observed, 40);
    expect(told(first)).toBe('none');
    expect(first).toMatchObject({ reason: 'Wait', requeueAfter: 5000 });
    const again = decided({ ...observed, request: { ...REQUEST, status: first.status ?? {} } }, 45);
    expect(again.status).toEqual(first.status);
  });

  test('CAP-53 CAP-D6 an error may pass until the deadline, and a claim that is never bound ends it then', () => {
    const request = specWith({ externalErrorPolicy: 'UntilDeadline', deadlineSeconds: 60 });
    const failing = { ...PASSAGE, source: content({ error: { message: 'disk full' } }) };
    expect(decided({ request, passage: failing }, 59).status?.progress?.message).toBe('disk full');
    expect(told(decided({ request, passage: failing }, 60))).toContain(
      'DeadlineExceeded not done after 60 s: disk full',
    );
    expect(told(decided({ request, claim: claimIn('Pending'), passage: {} }, 60))).toContain(
      'DeadlineExceeded',
    );
  });

  describe('CAP-56 CAP-D5 that the provisioner reports a failure of', () => {
    const failed = (code: string, request = REQUEST, seconds = 1) =>
      decided(
        {
          request,
          claim: claimIn('Pending'),
          passage: {},
          failure: failureOf(`failed to provision volume: rpc error: code = ${code} desc = no`),
        },
        seconds,
      );
    const patient = specWith({ externalErrorPolicy: 'UntilDeadline', deadlineSeconds: 60 });

    test.each(['InvalidArgument', 'NotFound', 'AlreadyExists', 'OutOfRange', 'Unimplemented'])(
      'ends the request after %s, which no retry changes',
      (code) => {
        expect(told(failed(code))).toBe(
          `Ready=False/RestoreFailed failed to provision volume: rpc error: code = ${code} desc = no`,
        );
      },
    );

    test.each(['Unavailable', 'ResourceExhausted', 'DeadlineExceeded', 'Internal'])(
      'waits after %s, and says for what',
      (code) => {
        expect(told(failed(code))).toBe('none');
        expect(failed(code).status?.progress?.message).toContain(code);
      },
    );

    test('waits for a snapshot that the provisioner finds not ready: it says so without a code', () => {
      expect(failureOf('error getting handle for DataSource: snapshot is not Ready').permanent).toBe(false);
    });

    test('waits until the deadline where the request says so, and reports the failure then', () => {
      expect(told(failed('InvalidArgument', patient, 59))).toBe('none');
      expect(told(failed('InvalidArgument', patient, 60))).toContain(
        'DeadlineExceeded not done after 60 s: failed to provision volume: rpc error',
      );
    });
  });

  test.each<[string, Partial<ObservedRestore>, string]>([
    ['CAP-54 that has lost its volume', { claim: claimIn('Lost') }, 'RestoreFailed'],
    [
      'CAP-55 CAP-D4 of somebody else, bound',
      { claim: claimIn('Bound', {}), volume: volumeOf('uid-data') },
      'Conflict',
    ],
    [
      'CAP-55 CAP-D4 whose volume is bound to another claim',
      { claim: claimIn('Bound'), volume: volumeOf('other') },
      'Conflict',
    ],
  ])('a claim %s is no success', (_title, observed, reason) => {
    const decision = decided({ ...observed, passage: {} });
    expect(told(decision)).toContain(`Ready=False/${reason}`);
    expect(decision.action).toBeUndefined();
  });

  test('CAP-D2 a content of another owner, or of another snapshot, is left alone', () => {
    const passage = { ...PASSAGE, content: content().object };
    expect(told(decided({ passage }))).toContain(
      'Ready=False/Conflict VolumeSnapshotContent snap has another owner',
    );
    for (const spec of [{ source: { snapshotHandle: 'snap-2' } }, { driver: 'tape' }]) {
      const decision = decided({ passage: { ...PASSAGE, content: ownContent(spec) } });
      expect(told(decision)).toBe(
        'Ready=False/Conflict VolumeSnapshotContent restore-uid-back is not of snapshot snap-1',
      );
      expect(decision.action).toBeUndefined();
    }
  });

  test('CAP-57 its keeper has a uid before it owns anything, and follows this request', () => {
    const unnamed = keeperState(REQUEST, { type: 'found', object: storedKeeper(REQUEST, 'k', '') });
    expect(decided({ keeper: unnamed })).toEqual({ reason: 'WaitForKeeperUID', requeueAfter: 1000 });
    const other = { ...REQUEST, metadata: { ...REQUEST.metadata, uid: 'uid-other' } };
    const foreign = keeperState(REQUEST, { type: 'found', object: storedKeeper(other, 'ret-pvc-uid-back') });
    expect(told(decided({ keeper: foreign }))).toContain('Ready=False/Conflict');
  });

  test('CAP-64 belongs to the request only if that says so', () => {
    const ownersFor = (request: VolumeRestoreRequest) => {
      const { action } = decided({
        request,
        passage: { ...PASSAGE, content: ownContent(), snapshot: stored(newSnapshot(request, KEEPER)) },
      });
      if (action?.type !== 'createClaim') throw new TypeError('no claim is made');
      return action.claim.metadata.ownerReferences;
    };
    expect(ownersFor(REQUEST)).toBeUndefined();
    expect(ownersFor(specWith({ pvcRetention: 'WithRequest' }))).toMatchObject([{ uid: 'uid-keeper' }]);
  });

  test.each([
    [403, 'RBACDenied'],
    [422, 'InternalError'],
  ])('a write that the server rejects with %i ends it', (code, reason) => {
    const observed: ObservedRestore = { request: REQUEST, keeper: OURS, passage: PASSAGE };
    expect(told(refusedRequest(observed, { code, reason: 'any', message: 'no' }, at(1)))).toBe(
      `Ready=False/${reason} no`,
    );
  });
});
