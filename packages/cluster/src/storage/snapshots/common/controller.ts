import { type Client, ignoreNotFound, isAlreadyExists, keyOf } from '@kubewright/client';
import { corev1, formatTime, type KubeObject, type Stored } from '@kubewright/kube';
import {
  type EventNote,
  type Manager,
  type Request,
  type Result,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { CsiError } from '../../backend/csi-error.ts';
import type { DriverOptions } from '../../driver-options.ts';
import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumesnapshotclasses,
  volumesnapshotcontents,
  volumesnapshots,
} from '../api.ts';
import { decideContent } from './decide-content.ts';
import { decideSnapshot } from './decide-snapshot.ts';
import type { SnapshotStep } from './decision.ts';
import { observeSnapshot } from './observe.ts';

type Tools = {
  readonly client: Client;
  readonly now: () => number;
  readonly tell: (about: KubeObject, note: EventNote) => void;
};

/** Joins VolumeSnapshots and their contents: the snapshot controller. */
export function addSnapshotController(manager: Manager, { backoff }: Pick<DriverOptions, 'backoff'>): void {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor('snapshot-controller');
  const tools: Tools = {
    client,
    now: () => clock.now(),
    tell: (about, note) => void recorder.record(about, note),
  };
  const shared = { maxConcurrentReconciles: 5, backoff };
  manager.addController({
    ...shared,
    name: 'snapshots',
    reconciler: {
      async reconcile(request) {
        const observed = observeSnapshot(cache, request);
        if (observed !== undefined) await act(tools, observed.snapshot, decideSnapshot(observed));
        return {};
      },
    },
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
  if (next !== undefined) await client.update(volumesnapshotcontents, next);
  return {};
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

async function act(tools: Tools, snapshot: VolumeSnapshot, step: SnapshotStep): Promise<void> {
  const { client, tell } = tools;
  switch (step.type) {
    case 'none':
      return;
    case 'updateSnapshot':
      await ignoreNotFound(client.update(volumesnapshots, step.snapshot));
      return;
    case 'updateClaim':
      await ignoreNotFound(client.update(corev1.persistentvolumeclaims, step.claim));
      return;
    case 'updateContent':
      await client.update(volumesnapshotcontents, step.content);
      return;
    case 'deleteContent':
      return remove(client, step.content);
    case 'createContent':
      await createOnce(client, step.content);
      tell(snapshot, step.note);
      return;
    case 'status':
      return report(tools, snapshot, step);
    case 'fail':
      return fail(tools, snapshot, step);
  }
}

async function remove(client: Client, content: VolumeSnapshotContent): Promise<void> {
  const { uid } = content.metadata;
  const options = uid === undefined ? {} : { preconditions: { uid } };
  await ignoreNotFound(client.delete(volumesnapshotcontents, keyOf(content), options));
}

async function report(
  { client, tell }: Tools,
  snapshot: VolumeSnapshot,
  { status, notes }: Extract<SnapshotStep, { type: 'status' }>,
): Promise<void> {
  await client.update(volumesnapshots, { ...snapshot, status }, { subresource: 'status' });
  for (const note of notes) tell(snapshot, note);
}

async function createOnce(client: Client, content: VolumeSnapshotContent): Promise<void> {
  try {
    await client.create(volumesnapshotcontents, content);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Says what is wrong, once, and has it tried again. */
async function fail(
  { client, now, tell }: Tools,
  snapshot: VolumeSnapshot,
  { reason, message, untold = false }: Extract<SnapshotStep, { type: 'fail' }>,
): Promise<never> {
  if (untold || snapshot.status?.error?.message !== message) {
    const error = { time: formatTime(new Date(now())), message };
    const status = { ...snapshot.status, readyToUse: false, error };
    if (!untold) await client.update(volumesnapshots, { ...snapshot, status }, { subresource: 'status' });
    tell(snapshot, { type: 'Warning', reason, message });
  }
  throw new CsiError('FailedPrecondition', message);
}
