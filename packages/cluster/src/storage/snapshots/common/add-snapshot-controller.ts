import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { corev1, formatTime, type Stored } from '@kubewright/kube';
import {
  type ActOutcome,
  decisions,
  type Io,
  type Manager,
  type Request,
  type Result,
  requestFor,
  type Steps,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { ClusterError } from '../../../cluster-error.ts';
import type { DriverOptions } from '../../driver-options.ts';
import { AFTER_WRITE } from '../../look-after.ts';
import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  type VolumeSnapshotStatus,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
} from '../api.ts';
import { isDying } from '../marks.ts';
import { decideContent } from './decide-content.ts';
import { decideSnapshot } from './decide-snapshot.ts';
import type { ObservedSnapshot, SnapshotStep } from './snapshot-step.ts';
import { observeSnapshot } from './observe-snapshot.ts';

/** Joins VolumeSnapshots and their contents: the snapshot controller. */
export function addSnapshotController(manager: Manager, { backoff }: Pick<DriverOptions, 'backoff'>): void {
  const shared = { maxConcurrentReconciles: 5, backoff };
  manager.addController({
    ...shared,
    name: 'snapshots',
    reconciler: decisions(manager, volumesnapshots, STEPS, {
      component: 'snapshot-controller',
      writeStatus: (snapshot, status, { client }) =>
        client.update(volumesnapshots, { ...snapshot, status }, { subresource: 'status' }),
    }),
    sources: [
      watchKind(volumesnapshots),
      watchMapped(volumesnapshotcontents, snapshotOf),
      watchMapped(corev1.persistentvolumeclaims, (claim) => snapshotsOf(manager, claim)),
      watchMapped(volumesnapshotclasses, () => unready(manager)),
    ],
  });
  manager.addController({
    ...shared,
    name: 'snapshot-contents',
    reconciler: { reconcile: (request) => reconcileContent(manager, request) },
    sources: [watchKind(volumesnapshotcontents), watchMapped(volumesnapshots, contentsOf)],
  });
}

async function reconcileContent({ cache, client }: Manager, request: Request): Promise<Result> {
  const content = cache.get(volumesnapshotcontents, request);
  if (content === undefined) return {};
  const [key] = snapshotOf(content);
  const snapshot = key === undefined ? undefined : cache.get(volumesnapshots, key);
  const isIts = snapshot?.metadata.uid === content.spec.volumeSnapshotRef?.uid;
  const next = decideContent(content, isIts ? snapshot : undefined);
  if (next === undefined) return {};
  await client.update(volumesnapshotcontents, next);
  return AFTER_WRITE;
}

function contentsOf({ status }: VolumeSnapshot): readonly Request[] {
  const name = status?.boundVolumeSnapshotContentName;
  return name === undefined ? [] : [{ name }];
}

function snapshotOf({ spec }: VolumeSnapshotContent): readonly Request[] {
  const { name = '', namespace = '' } = spec.volumeSnapshotRef ?? {};
  return name === '' ? [] : [{ namespace, name }];
}

/** Those that wait for the claim, and those that it is restored from. */
function snapshotsOf(
  { cache }: Manager,
  { metadata, spec }: Stored<corev1.PersistentVolumeClaim>,
): readonly Request[] {
  return cache
    .list(volumesnapshots, { namespace: metadata.namespace })
    .filter(
      (one) =>
        one.spec.source.persistentVolumeClaimName === metadata.name ||
        one.metadata.name === spec.dataSource?.name,
    )
    .map(requestFor);
}

function unready({ cache }: Manager): readonly Request[] {
  return cache
    .list(volumesnapshots)
    .filter(({ status }) => status?.readyToUse !== true)
    .map(requestFor);
}

/** A webhook may have undone a write, and no event reports that. It is not tried twice in a row. */
const AFTER_WRITE_MS = 15_000;

type Action = Exclude<SnapshotStep, { type: 'none' | 'status' }>;

const REASONS: Readonly<Record<Action['type'], string>> = {
  updateSnapshot: 'UpdateSnapshot',
  updateClaim: 'UpdateClaim',
  updateContent: 'UpdateContent',
  deleteContent: 'DeleteContent',
  createContent: 'CreateContent',
  fail: 'Failing',
};

const STEPS: Steps<ObservedSnapshot, Action, VolumeSnapshotStatus, VolumeSnapshot> = {
  observe: (request, { cache }) => observeSnapshot(cache, request),
  decide(observed, _now, done) {
    const step = decideSnapshot(observed);
    if (step.type === 'status') return { reason: 'Reported', status: step.status, events: step.notes };
    if (step.type === 'none') return { reason: 'Settled' };
    if (done.some(({ action }) => action.type === step.type))
      return { reason: 'AlreadyTried', requeueAfter: AFTER_WRITE_MS };
    const events = step.type === 'createContent' ? [step.note] : [];
    return { reason: REASONS[step.type], action: step, events };
  },
  act,
  subject: ({ snapshot }) => snapshot,
  /** Says what is wrong, once. */
  refused({ snapshot }, { code, reason, message }, now) {
    if (code !== undefined) throw new ClusterError('Incomplete', message);
    const events = [{ type: 'Warning', reason, message }] as const;
    if (isDying(snapshot)) return { reason, events };
    if (snapshot.status?.error?.message === message) return { reason };
    const error = { time: formatTime(now), message };
    return { reason, events, status: { ...snapshot.status, readyToUse: false, error } };
  },
};

async function act(action: Action, { client }: Io): Promise<ActOutcome> {
  switch (action.type) {
    case 'fail':
      return action;
    case 'updateSnapshot':
      await ignoreNotFound(client.update(volumesnapshots, action.snapshot));
      return 'done';
    case 'updateClaim':
      await ignoreNotFound(client.update(corev1.persistentvolumeclaims, action.claim));
      return 'done';
    case 'updateContent':
      await client.update(volumesnapshotcontents, action.content);
      return 'done';
    case 'deleteContent':
      await remove(client, action.content);
      return 'done';
    case 'createContent':
      await createOnce(client, action.content);
      return 'done';
  }
}

async function remove(client: Client, content: VolumeSnapshotContent): Promise<void> {
  const { uid } = content.metadata;
  const options = uid === undefined ? {} : { preconditions: { uid } };
  await ignoreNotFound(client.delete(volumesnapshotcontents, keyOf(content), options));
}

async function createOnce(client: Client, content: VolumeSnapshotContent): Promise<void> {
  try {
    await client.create(volumesnapshotcontents, content);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
