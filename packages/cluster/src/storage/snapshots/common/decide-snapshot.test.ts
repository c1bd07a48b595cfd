import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import type {
  VolumeSnapshot,
  VolumeSnapshotContent,
  VolumeSnapshotContentStatus,
  VolumeSnapshotStatus,
} from '../api.ts';
import {
  BEING_DELETED,
  BOUND_FINALIZER,
  CLAIM_FINALIZER,
  CONTENT_FINALIZER,
  SOURCE_FINALIZER,
} from '../marks.ts';
import { decideSnapshot } from './decide-snapshot.ts';
import type { ObservedSnapshot, SnapshotStep } from './snapshot-step.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

const BOTH = [SOURCE_FINALIZER, BOUND_FINALIZER];
const DYING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const ready: VolumeSnapshotStatus = { readyToUse: true, boundVolumeSnapshotContentName: 'snapcontent-s' };
const dynamic = { persistentVolumeClaimName: 'data' };
const byHand = { volumeSnapshotContentName: 'snapcontent-s' };

const snapshotOf = (
  metadata: Partial<Stored<VolumeSnapshot>['metadata']>,
  status?: VolumeSnapshotStatus,
  source: VolumeSnapshot['spec']['source'] = dynamic,
): Stored<VolumeSnapshot> => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { namespace: 'ns', name: 'snap', uid: 's', resourceVersion: '7', finalizers: BOTH, ...metadata },
  spec: { source, volumeSnapshotClassName: 'daily' },
  ...defined({ status }),
});
type ContentLooks = {
  readonly metadata?: Partial<Stored<VolumeSnapshotContent>['metadata']>;
  readonly uid?: string;
  readonly policy?: 'Delete' | 'Retain';
  readonly given?: true;
  readonly status?: VolumeSnapshotContentStatus;
};
/** The content of the snapshot, unless `looks` say otherwise; `given`: it was there before the snapshot. */
function contentOf(looks: ContentLooks = {}): Stored<VolumeSnapshotContent> {
  const { metadata = {}, uid = 's', policy = 'Delete', given, status } = looks;
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: 'snapcontent-s',
      uid: 'content',
      resourceVersion: '1',
      finalizers: [CONTENT_FINALIZER],
      ...metadata,
    },
    spec: {
      volumeSnapshotRef: { namespace: 'ns', name: 'snap', uid },
      deletionPolicy: policy,
      driver: 'disk',
      source: given ? { snapshotHandle: 'given' } : { volumeHandle: 'h' },
      volumeSnapshotClassName: 'daily',
    },
    ...defined({ status }),
  };
}
const claimOf = (finalizers: readonly string[] = []): Claim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'ns', name: 'data', uid: 'c', resourceVersion: '1', finalizers },
  spec: { volumeName: 'pv' },
  status: { phase: 'Bound' },
});
const held = claimOf([CLAIM_FINALIZER]);
const marked = { annotations: { [BEING_DELETED]: 'yes' } };

const decided = (more: Partial<ObservedSnapshot>): SnapshotStep =>
  decideSnapshot({
    snapshot: snapshotOf({}),
    content: undefined,
    claim: claimOf(),
    volume: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv', uid: 'v', resourceVersion: '1' },
      spec: { claimRef: { uid: 'c' }, csi: { driver: 'disk', volumeHandle: 'h' } },
    },
    classes: [
      {
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshotClass',
        metadata: { name: 'daily', uid: 'daily', resourceVersion: '1' },
        driver: 'disk',
        deletionPolicy: 'Delete',
      },
    ],
    claimIsUsed: false,
    isBeingRestored: false,
    ...more,
  });

/** The step, and which finalizers the object has after it. */
function summary(step: SnapshotStep): string {
  if (step.type === 'fail') return `fail ${step.reason}`;
  if (step.type === 'status') return ['status', ...step.notes.map(({ reason }) => reason)].join(' ');
  const object =
    step.type === 'updateSnapshot' ? step.snapshot : step.type === 'updateClaim' ? step.claim : undefined;
  const marks: Readonly<Record<string, string>> = {
    [SOURCE_FINALIZER]: 'source',
    [BOUND_FINALIZER]: 'bound',
    [CLAIM_FINALIZER]: 'claim',
  };
  return [step.type, ...(object?.metadata.finalizers ?? []).map((name) => marks[name] ?? name)].join(' ');
}

test.each<[string, Partial<ObservedSnapshot>, string]>([
  ['that is new', { snapshot: snapshotOf({ finalizers: [] }) }, 'updateSnapshot source'],
  [
    'that is held: its claim is held',
    { snapshot: snapshotOf({ finalizers: [SOURCE_FINALIZER] }) },
    'updateClaim claim',
  ],
  [
    'whose claim is held',
    { snapshot: snapshotOf({ finalizers: [SOURCE_FINALIZER] }), claim: held },
    'createContent',
  ],
  [
    'whose content is to go with it',
    { snapshot: snapshotOf({ finalizers: [SOURCE_FINALIZER] }), content: contentOf() },
    'updateSnapshot source bound',
  ],
  ['whose content says nothing yet', { content: contentOf() }, 'status'],
  [
    'that was taken',
    { content: contentOf({ status: { creationTime: 1_000_000_000, readyToUse: false } }) },
    'status SnapshotCreated',
  ],
  [
    'that is ready at once',
    { content: contentOf({ status: { creationTime: 1_000_000_000, readyToUse: true } }) },
    'status SnapshotCreated SnapshotReady',
  ],
  ['whose content is of another', { content: contentOf({ uid: 'x' }) }, 'fail SnapshotContentMisbound'],
  [
    'that is ready: the claim is released',
    { snapshot: snapshotOf({}, ready), content: contentOf(), claim: held },
    'updateClaim',
  ],
  [
    'that is ready, while another is taken of the claim',
    { snapshot: snapshotOf({}, ready), content: contentOf(), claim: held, claimIsUsed: true },
    'none',
  ],
  ['that is ready', { snapshot: snapshotOf({}, ready), content: contentOf() }, 'none'],
  ['that lost its content', { snapshot: snapshotOf({}, ready) }, 'fail SnapshotContentMissing'],
  [
    "that is ready with another's content",
    { snapshot: snapshotOf({}, ready), content: contentOf({ uid: 'x' }) },
    'fail SnapshotMisbound',
  ],
])('a snapshot %s', (_title, more, expected) => expect(summary(decided(more))).toBe(expected));

const named = snapshotOf({}, undefined, byHand);

test.each<[string, Partial<ObservedSnapshot>, string]>([
  ['that is not there', {}, 'fail SnapshotContentMissing'],
  ['that was made from a volume', { content: contentOf() }, 'fail SnapshotContentMismatch'],
  ['that is for anyone of this name', { content: contentOf({ given: true, uid: '' }) }, 'updateContent'],
  ['that is for this one', { content: contentOf({ given: true }) }, 'status'],
  ['that is for another', { content: contentOf({ given: true, uid: 'x' }) }, 'fail SnapshotContentMisbound'],
])('a snapshot by hand of a content %s', (_title, more, expected) => {
  expect(summary(decided({ snapshot: named, claim: undefined, ...more }))).toBe(expected);
});

const leaving = snapshotOf(DYING, ready);

test.each<[string, Partial<ObservedSnapshot>, string]>([
  ['without a content', {}, 'updateSnapshot'],
  ["with another's content", { content: contentOf({ uid: 'x' }) }, 'updateSnapshot'],
  [
    'while a claim is made from it',
    { content: contentOf(), isBeingRestored: true },
    'fail SnapshotDeletePending',
  ],
  ['whose content is not marked', { content: contentOf() }, 'updateContent'],
  ['whose content is marked', { content: contentOf({ metadata: marked }) }, 'deleteContent'],
  [
    'whose content is retained',
    { content: contentOf({ metadata: marked, policy: 'Retain' }) },
    'updateSnapshot',
  ],
  [
    'whose content is going',
    { content: contentOf({ metadata: { ...marked, ...DYING } }) },
    'updateSnapshot bound',
  ],
  ['that holds its claim', { content: contentOf(), claim: held }, 'updateClaim'],
  ['that nobody holds', { snapshot: snapshotOf({ ...DYING, finalizers: [] }) }, 'none'],
])('a snapshot that is to go, %s', (_title, more, expected) => {
  expect(summary(decided({ snapshot: leaving, ...more }))).toBe(expected);
});
