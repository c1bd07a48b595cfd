import { type Client, ignoreNotFound } from '@kubewright/client';
import { errorText, formatTime, jsonEqual, type KubeObject } from '@kubewright/kube';
import {
  type EventNote,
  type Manager,
  type Reconciler,
  type Result,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { CsiError, isFinal } from '../../backend/csi-error.ts';
import type { BackendSnapshot, StorageBackend } from '../../backend/storage-backend.ts';
import type { DriverOptions } from '../../driver-options.ts';
import { lookAfter } from '../../look-after.ts';
import {
  type VolumeSnapshotContent,
  type VolumeSnapshotContentStatus,
  volumesnapshotclasses,
  volumesnapshotcontents,
} from '../api.ts';
import { BEING_CREATED, CONTENT_FINALIZER, isMarked, marked, unmarked, withoutFinalizers } from '../marks.ts';
import { contentChanged } from './content-changed.ts';
import { decideSidecar, type SidecarStep } from './decide-sidecar.ts';

type Tools = {
  readonly client: Client;
  readonly backend: StorageBackend;
  readonly now: () => number;
  readonly emit: (about: KubeObject, note: EventNote) => void;
};

/** How long until a snapshot that is not ready yet is looked at again. */
const LOOK_AGAIN_MS = 1000;

/** Has the storage system take and delete snapshots: csi-snapshotter. */
export function addSnapshotSidecar(
  manager: Manager,
  { name: driver, backend, backoff }: DriverOptions,
): void {
  const { cache, client, clock } = manager;
  const recorder = manager.recorderFor(`csi-snapshotter ${driver}`);
  const tools: Tools = {
    client,
    backend,
    now: () => clock.now(),
    emit: (about, note) => recorder.record(about, note),
  };
  const reconciler: Reconciler = {
    async reconcile(request) {
      const content = cache.get(volumesnapshotcontents, request);
      if (content?.spec.driver !== driver) return {};
      const { volumeSnapshotClassName: className } = content.spec;
      const found =
        className === undefined ? undefined : cache.get(volumesnapshotclasses, { name: className });
      const step = decideSidecar(content, found);
      return { ...lookAfter(step), ...(await act(tools, content, step)) };
    },
  };
  manager.addController({
    name: 'snapshot-sidecar',
    maxConcurrentReconciles: 5,
    backoff,
    reconciler,
    sources: [
      watchKind(volumesnapshotcontents, { predicates: [contentChanged] }),
      watchMapped(volumesnapshotclasses, ({ metadata: { name } }) =>
        cache
          .list(volumesnapshotcontents)
          .filter(({ spec }) => spec.volumeSnapshotClassName === name)
          .map(({ metadata }) => ({ name: metadata.name })),
      ),
    ],
  });
}

async function act(tools: Tools, content: VolumeSnapshotContent, step: SidecarStep): Promise<Result> {
  const { client, backend } = tools;
  switch (step.type) {
    case 'none':
      return {};
    case 'create':
      return create(tools, content, step);
    case 'fail':
      return fail(tools, content, { ...step, error: undefined });
    case 'look':
      return look(tools, content, step.handle);
    case 'settle':
      await client.update(volumesnapshotcontents, unmarked(content, BEING_CREATED));
      return {};
    case 'delete':
      await remove(tools, content, () => backend.deleteSnapshot(step.handle));
      return {};
    case 'release':
      await ignoreNotFound(
        client.update(volumesnapshotcontents, withoutFinalizers(content, CONTENT_FINALIZER)),
      );
      return {};
  }
}

/** The mark says that the storage system may hold a snapshot that no object has recorded yet. */
async function create(
  tools: Tools,
  content: VolumeSnapshotContent,
  { order, isFirst }: Extract<SidecarStep, { type: 'create' }>,
): Promise<Result> {
  const { client, backend } = tools;
  const begun = isMarked(content, BEING_CREATED)
    ? content
    : await client.update(volumesnapshotcontents, marked(content, BEING_CREATED));
  // Undone by a webhook: without it a snapshot could be left behind.
  if (!isMarked(begun, BEING_CREATED)) return { requeueAfter: LOOK_AGAIN_MS };
  let snapshot: BackendSnapshot;
  try {
    snapshot = await backend.createSnapshot(order);
  } catch (error) {
    const left = isFinal(error)
      ? await client.update(volumesnapshotcontents, unmarked(begun, BEING_CREATED))
      : begun;
    const said = JSON.stringify(errorText(error));
    const message = `failed to take snapshot of the volume ${order.volumeHandle}: ${said}`;
    return fail(tools, left, { message, isFirst, error });
  }
  const reported = await report(tools, begun, snapshot);
  if (isMarked(reported, BEING_CREATED))
    await client.update(volumesnapshotcontents, unmarked(reported, BEING_CREATED));
  return backend.isReady(snapshot) ? {} : { requeueAfter: LOOK_AGAIN_MS };
}

async function look(tools: Tools, content: VolumeSnapshotContent, handle: string): Promise<Result> {
  let snapshot: BackendSnapshot;
  try {
    snapshot = tools.backend.snapshot(handle);
  } catch (error) {
    return fail(tools, content, { message: errorText(error), isFirst: false, error });
  }
  await report(tools, content, snapshot);
  return tools.backend.isReady(snapshot) ? {} : { requeueAfter: LOOK_AGAIN_MS };
}

/** Writes what is known of the snapshot, if it has changed; resolves to the content as stored. */
async function report(
  { client, backend }: Tools,
  content: VolumeSnapshotContent,
  snapshot: BackendSnapshot,
): Promise<VolumeSnapshotContent> {
  const readyToUse = backend.isReady(snapshot);
  const { error, ...known } = content.status ?? {};
  const status: VolumeSnapshotContentStatus = {
    snapshotHandle: snapshot.handle,
    creationTime: BigInt(snapshot.createdAt) * 1_000_000n,
    restoreSize: snapshot.sizeBytes,
    ...known,
    readyToUse,
    ...(error === undefined || readyToUse ? {} : { error }),
  };
  if (jsonEqual(status, content.status ?? {})) return content;
  return client.update(volumesnapshotcontents, { ...content, status }, { subresource: 'status' });
}

type Failure = { readonly message: string; readonly isFirst: boolean; readonly error: unknown };

/** Says what is wrong, once, and has it tried again. */
async function fail(
  { client, now, emit }: Tools,
  content: VolumeSnapshotContent,
  { message: why, isFirst, error: cause }: Failure,
): Promise<never> {
  const message = `${isFirst ? 'Failed to create snapshot' : 'Failed to check and update snapshot content'}: ${why}`;
  if (content.status?.error?.message !== message) {
    const error = { time: formatTime(new Date(now())), message };
    const status = { ...content.status, readyToUse: false, error };
    await client.update(volumesnapshotcontents, { ...content, status }, { subresource: 'status' });
    const reason = isFirst ? 'SnapshotCreationFailed' : 'SnapshotContentCheckandUpdateFailed';
    emit(content, { type: 'Warning', reason, message });
  }
  throw cause instanceof Error ? cause : new CsiError('FailedPrecondition', message);
}

/** The handle is removed once the storage system has deleted the snapshot; the finalizer after that. */
async function remove(
  { client, emit }: Tools,
  content: VolumeSnapshotContent,
  deleteSnapshot: () => Promise<void>,
): Promise<void> {
  try {
    await deleteSnapshot();
  } catch (error) {
    emit(content, { type: 'Warning', reason: 'SnapshotDeleteError', message: 'Failed to delete snapshot' });
    throw error;
  }
  const {
    snapshotHandle: _handle,
    readyToUse: _ready,
    creationTime: _time,
    restoreSize: _size,
    ...status
  } = content.status ?? {};
  await ignoreNotFound(
    client.update(volumesnapshotcontents, { ...content, status }, { subresource: 'status' }),
  );
}
