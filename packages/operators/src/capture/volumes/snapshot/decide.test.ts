import type { corev1, storagev1 } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../api/annotations.ts';
import type { SnapshotClass, SnapshotContentStatus, StoredContent } from '../../api/snapshots.ts';
import type { VolumeCaptureRequest } from '../../api/volume-capture-request.ts';
import { keeperState } from '../../requests/keeper-state.ts';
import type { LiveRead } from '../../requests/read-live.ts';
import { at, AUTHOR, requestMeta, stored, storedKeeper, timeAt } from '../../testing/requests.ts';
import { refusedRequest } from '../fail-request.ts';
import { decide } from './decide.ts';
import type { ObservedSnapshot, Source } from './observed-snapshot.ts';

const REQUEST: VolumeCaptureRequest = {
  apiVersion: 'storage-foundation.deckhouse.io/v1alpha1',
  kind: 'VolumeCaptureRequest',
  metadata: requestMeta('snap'),
  spec: {
    mode: 'Snapshot',
    target: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: 'data', uid: 'uid-data' },
    externalErrorPolicy: 'Terminal',
  },
};
const KEEPER = storedKeeper(REQUEST, 'retainer-vcr-uid-snap');
const OURS = { type: 'ours', keeper: KEEPER } as const;

function found<
  T extends corev1.PersistentVolumeClaim | corev1.PersistentVolume | storagev1.StorageClass | SnapshotClass,
>(object: T) {
  return { type: 'found', object: stored(object) } as const;
}
const claim = found({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'shop', name: 'data' },
  spec: { volumeName: 'pv', storageClassName: 'fast' },
} as const);
const volume = found({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv' },
  spec: { csi: { driver: 'disk', volumeHandle: 'vol-1' } },
} as const);
const storageClass = found({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast', annotations: { [ANNOTATIONS.snapshotClass]: 'snaps' } },
  provisioner: 'disk',
} as const);
const snapshotClass = found({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotClass',
  metadata: { name: 'snaps' },
  driver: 'disk',
  deletionPolicy: 'Retain',
} as const);
const unbound = found({ ...claim.object, spec: { storageClassName: 'fast' } });
const classless = found({ ...claim.object, spec: { volumeName: 'pv' } });
const local = found({ ...volume.object, spec: { hostPath: { path: '/data' } } });
const plain = found({ ...storageClass.object, metadata: { name: 'fast' } });
const SOURCE: Source = { claim, volume, storageClass, snapshotClass };

const forbidden: LiveRead<never> = { type: 'forbidden', message: 'is forbidden' };
const absent: LiveRead<never> = { type: 'absent', message: 'not found' };

const decided = (more: Partial<ObservedSnapshot>, seconds = 1) =>
  decide({ request: REQUEST, keeper: OURS, source: SOURCE, author: AUTHOR, ...more }, at(seconds));

/** The content as the operator makes it, with what the driver's sidecar says of it. */
function contentWith(status?: SnapshotContentStatus, owner = KEEPER): StoredContent {
  const { action } = decided({ keeper: { type: 'ours', keeper: owner } });
  if (action?.type !== 'createContent') throw new TypeError('no content is made');
  return { ...stored(action.content), ...(status && { status }) };
}
const told = ({ status }: ReturnType<typeof decided>): string => {
  const { type = 'none', status: is, reason, message } = status?.conditions?.[0] ?? {};
  return type === 'none' ? type : `${type}=${is}/${reason} ${message}`;
};

describe('a snapshot of a claim', () => {
  test('CAP-182 where nobody checks authors, the request says so', () => {
    const author = { type: 'notInstalled', message: 'nobody has checked' } as const;
    expect(decided({ keeper: { type: 'absent' }, author })).toMatchObject({
      reason: 'CreateKeeper',
      status: { conditions: [{ type: 'AuthorChecked', status: 'False', reason: 'NotInstalled' }] },
    });
  });

  test('CAP-1 one keeper first, then one content that it owns; no Ready yet', () => {
    const first = decided({ keeper: { type: 'absent' } });
    expect(first).toEqual({
      reason: 'CreateKeeper',
      action: {
        type: 'createKeeper',
        keeper: {
          apiVersion: 'deckhouse.io/v1alpha1',
          kind: 'ObjectKeeper',
          metadata: { name: 'retainer-vcr-uid-snap' },
          spec: {
            mode: 'FollowObject',
            followObjectRef: {
              apiVersion: REQUEST.apiVersion,
              kind: 'VolumeCaptureRequest',
              namespace: 'shop',
              name: 'snap',
              uid: 'uid-snap',
            },
          },
        },
      },
    });
    const second = decided({});
    expect(second.status).toEqual({ progress: { keeperUID: 'uid-keeper' } });
    expect(second.action).toMatchObject({
      content: {
        metadata: {
          name: 'snapshot-uid-snap',
          annotations: { 'snapshot.storage.kubernetes.io/volumesnapshot-being-deleted': 'yes' },
          ownerReferences: [{ kind: 'ObjectKeeper', uid: 'uid-keeper', controller: true }],
        },
        spec: {
          driver: 'disk',
          source: { volumeHandle: 'vol-1' },
          volumeSnapshotRef: { namespace: 'shop', name: 'snapshot-uid-snap', uid: 'uid-snap' },
          deletionPolicy: 'Retain',
          volumeSnapshotClassName: 'snaps',
        },
      },
    });
  });

  test('CAP-2 CAP-26 ready: Completed, with the time and the artifact', () => {
    const { status, events } = decided({ content: contentWith({ readyToUse: true }) }, 9);
    expect(status).toMatchObject({
      completionTimestamp: timeAt(9),
      conditions: [{ type: 'Ready', status: 'True', reason: 'Completed' }],
      data: {
        artifactRef: {
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind: 'VolumeSnapshotContent',
          name: 'snapshot-uid-snap',
          uid: 'uid-snapshot-uid-snap',
        },
      },
    });
    expect(status?.conditions).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'Normal', reason: 'Completed' }]);
  });

  test.each<[string, Source, string]>([
    ['CAP-4 no claim', { claim: absent }, 'NotFound PersistentVolumeClaim data not found'],
    ['CAP-6 no right to the claim', { claim: forbidden }, 'RBACDenied is forbidden'],
    ['CAP-6 no right to the volume', { claim, volume: forbidden }, 'RBACDenied is forbidden'],
    ['CAP-6 no right to the class', { claim, volume, storageClass: forbidden }, 'RBACDenied is forbidden'],
    ['CAP-6 no right to its class', { ...SOURCE, snapshotClass: forbidden }, 'RBACDenied is forbidden'],
    ['CAP-9 no volume', { claim, volume: absent }, 'NotFound PersistentVolume pv not found'],
    [
      'CAP-8 a claim that is not bound',
      { claim: unbound },
      'InternalError PersistentVolumeClaim data is not bound',
    ],
    [
      'CAP-10 a volume of no driver',
      { claim, volume: local },
      'InternalError PersistentVolume pv is not a CSI volume',
    ],
    ['CAP-11 no class', { claim: classless, volume }, 'InternalError the claim has no storageClassName'],
    [
      'CAP-12 a class that names none',
      { claim, volume, storageClass: plain },
      'NotFound StorageClass fast names no',
    ],
    [
      'CAP-12 no such class',
      { ...SOURCE, snapshotClass: absent },
      'NotFound VolumeSnapshotClass snaps not found',
    ],
  ])('%s ends it', (_title, source, expected) => {
    const decision = decided({ keeper: { type: 'absent' }, source });
    expect(told(decision)).toContain(`Ready=False/${expected}`);
    expect(decision.action).toBeUndefined();
  });

  test('CAP-14 past the schema: an unknown mode, and no target', () => {
    const mode = { ...REQUEST, spec: { ...REQUEST.spec, mode: 'Foo' as 'Snapshot' } };
    expect(told(decided({ request: mode, keeper: { type: 'absent' } }))).toContain(
      'InvalidMode unknown mode Foo',
    );
    const { target: _none, ...spec } = REQUEST.spec;
    const aimless = { ...REQUEST, spec };
    expect(told(decided({ request: aimless, keeper: { type: 'absent' } }))).toContain(
      'InternalError spec.target is missing',
    );
  });

  test('CAP-19 CAP-D1 a claim that was replaced is not captured in its stead', () => {
    const request = {
      ...REQUEST,
      spec: { ...REQUEST.spec, target: { ...REQUEST.spec.target!, uid: 'old' } },
    };
    expect(told(decided({ request }))).toContain('NotFound PersistentVolumeClaim data was replaced');
  });

  test('CAP-D1 an object of another kind is not taken for the claim of its name', () => {
    for (const more of [{ kind: 'ConfigMap' }, { apiVersion: 'v2' }]) {
      const request = { ...REQUEST, spec: { ...REQUEST.spec, target: { ...REQUEST.spec.target!, ...more } } };
      const decision = decided({ request });
      expect(told(decision)).toMatch(/UnsupportedTargetKind .* is not a PersistentVolumeClaim$/u);
      expect(decision.action).toBeUndefined();
    }
  });

  test('CAP-13 a class of another driver', () => {
    const other = { ...snapshotClass.object, driver: 'tape' };
    const decision = decided({ source: { ...SOURCE, snapshotClass: { type: 'found', object: other } } });
    expect(told(decision)).toContain('InternalError VolumeSnapshotClass snaps uses driver tape');
  });

  test('CAP-15 CAP-D6 an error of the storage system ends it at once, with its text and time', () => {
    const error = { message: 'disk full', time: timeAt(2) };
    expect(told(decided({ content: contentWith({ error }) }))).toBe(
      `Ready=False/SnapshotCreationFailed disk full (at ${timeAt(2)})`,
    );
  });

  test('CAP-15 CAP-D5 CAP-D6 until the deadline it is shown, and may pass', () => {
    const spec = { ...REQUEST.spec, externalErrorPolicy: 'UntilDeadline' } as const;
    const request = { ...REQUEST, spec };
    const failing = contentWith({ error: { message: 'disk full' } });
    const waiting = decided({ request, content: failing }, 599);
    expect(told(waiting)).toBe('none');
    expect(waiting.status?.progress?.message).toBe('disk full');
    expect(told(decided({ request, content: contentWith({ readyToUse: true }) }, 599))).toContain(
      'Completed',
    );
    expect(told(decided({ request, content: failing }, 600))).toContain('DeadlineExceeded');
  });

  test('CAP-16 CAP-D6 an error that is left from before does not count once it is ready', () => {
    const content = contentWith({ readyToUse: true, error: { message: 'once' } });
    expect(told(decided({ content }))).toContain('Completed');
  });

  test('CAP-17 CAP-D20 not ready: the same status at each look', () => {
    const content = contentWith();
    let request = { ...REQUEST, status: decided({ content }).status ?? {} };
    for (let look = 2; look < 22; look++) {
      const { status, requeueAfter } = decided(
        { request, content: { ...content, status: { readyToUse: false } } },
        look,
      );
      expect(status).toEqual(request.status);
      expect(requeueAfter).toBeGreaterThan(0);
      request = { ...request, status: status ?? {} };
    }
    expect(request.status.conditions).toBeUndefined();
  });

  test('CAP-18 CAP-D7 what happens to the claim later does not matter', () => {
    const content = contentWith({ readyToUse: true });
    expect(told(decided({ content, source: { claim: absent } }))).toContain('Completed');
  });
});

describe('its keeper', () => {
  test('CAP-23 without a uid owns nothing yet', () => {
    const keeper = keeperState(REQUEST, { type: 'found', object: storedKeeper(REQUEST, 'k', '') });
    expect(decided({ keeper })).toEqual({ reason: 'WaitForKeeperUID', requeueAfter: 1000 });
  });

  test('CAP-24 CAP-28 that exists already is used, whoever has created it', () => {
    const keeper = keeperState(REQUEST, { type: 'found', object: KEEPER });
    expect(decided({ keeper }).action).toMatchObject({ type: 'createContent' });
  });

  test('CAP-25 CAP-31 and so is a content that it owns', () => {
    expect(decided({ content: contentWith() })).toMatchObject({
      reason: 'WaitForSnapshot',
      status: { progress: { artifactUID: 'uid-snapshot-uid-snap' } },
    });
  });

  const ref = KEEPER.spec.followObjectRef!;
  test.each([
    ['CAP-29 of another request', { mode: 'FollowObject', followObjectRef: { ...ref, uid: 'other' } }],
    ['CAP-30 of mode TTL', { mode: 'TTL', ttl: '1m' }],
    ['CAP-30 of another kind', { mode: 'FollowObject', followObjectRef: { ...ref, kind: 'Pod' } }],
    ['CAP-30 of another name', { mode: 'FollowObject', followObjectRef: { ...ref, name: 'other' } }],
    [
      'CAP-30 of another namespace',
      { mode: 'FollowObject', followObjectRef: { ...ref, namespace: 'other' } },
    ],
    ['CAP-30 of nothing', { mode: 'FollowObject' }],
  ] as const)('%s is left alone', (_title, spec) => {
    const keeper = keeperState(REQUEST, { type: 'found', object: { ...KEEPER, spec } });
    const decision = decided({ keeper });
    expect(told(decision)).toContain('Ready=False/Conflict');
    expect(decision.action).toBeUndefined();
  });

  test('CAP-32 CAP-D2 a content of another keeper is left alone', () => {
    const other = storedKeeper(REQUEST, 'retainer-vcr-uid-snap', 'uid-other');
    const decision = decided({ content: contentWith({ readyToUse: true }, other) });
    expect(told(decision)).toContain('Ready=False/Conflict');
  });

  test('CAP-106 a content that somebody has adopted since is still the one that was asked for', () => {
    const adopter = storedKeeper(REQUEST, 'keep', 'uid-adopter');
    const content = contentWith({ readyToUse: true }, adopter);
    const request = { ...REQUEST, status: decided({ content: contentWith() }).status ?? {} };
    expect(told(decided({ request, content }))).toContain('Ready=True/Completed');
  });

  test.each([
    [403, 'RBACDenied'],
    [422, 'InternalError'],
  ])('CAP-33 a content that the server rejects with %i ends it', (code, reason) => {
    const observed: ObservedSnapshot = { request: REQUEST, keeper: OURS, source: SOURCE };
    const decision = refusedRequest(observed, { code, reason: 'any', message: 'no' }, at(1));
    expect(told(decision)).toBe(`Ready=False/${reason} no`);
  });

  test('CAP-34 CAP-35 what somebody deleted is not made again', () => {
    const made = {
      ...REQUEST,
      status: { progress: { keeperUID: 'uid-keeper', artifactUID: 'uid-content' } },
    };
    expect(told(decided({ request: made }))).toContain('NotFound the snapshot was deleted');
    expect(told(decided({ request: made, keeper: { type: 'absent' } }))).toContain(
      'NotFound the keeper was deleted',
    );
  });
});
