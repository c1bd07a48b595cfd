import { type Client, ignoreNotFound, isNotFound, keyOf } from '@kubewright/client';
import { corev1, errorText, storagev1, type Stored } from '@kubewright/kube';
import {
  addFinalizer,
  type Manager,
  type Request,
  removeFinalizer,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { STORAGE_PROVISIONER } from '../../controllers/volumes/annotations.ts';
import { CsiError } from '../backend/csi-error.ts';
import type { DriverOptions } from '../driver-options.ts';
import { lookAfter } from '../look-after.ts';
import { volumesnapshots } from '../snapshots/api.ts';
import { decideProvision, PROVISIONER_FINALIZER } from './decide-provision.ts';
import { decideDeletion, type VolumeStep } from './decide-deletion.ts';
import type { Volume } from './provision-step.ts';
import { type Tools, UnfinishedOrders } from './unfinished-orders.ts';
import { indexAttachments, observeClaim, observeVolume } from './observe-claim.ts';

/** Makes volumes for claims, and deletes them when they are released: external-provisioner. */
export function addProvisioner(manager: Manager, options: DriverOptions): void {
  const { cache, client } = manager;
  const recorder = manager.recorderFor(options.name);
  const { backend, topologyKey } = options;
  const tools: Tools = { client, backend, emit: (about, note) => recorder.record(about, note) };
  indexAttachments(cache);
  if (topologyKey !== undefined) cache.informer(corev1.nodes);
  addMaker(manager, options, tools);
  addDeleter(manager, options, tools);
}

const WORKERS = 5;

function addMaker(
  manager: Manager,
  { name: driver, topologyKey, backoff }: DriverOptions,
  tools: Tools,
): void {
  const unfinished = new UnfinishedOrders();
  manager.addController({
    name: 'provisioner-claims',
    maxConcurrentReconciles: WORKERS,
    backoff,
    reconciler: {
      async reconcile(request) {
        const observed = observeClaim(manager.cache, request, topologyKey);
        const order = observed && { claim: observed.claim, step: decideProvision(observed, driver) };
        await unfinished.finish(tools, request, order);
        if (order === undefined) return {};
        await unfinished.provision(tools, order);
        return lookAfter(order.step);
      },
    },
    sources: [
      watchKind(corev1.persistentvolumeclaims),
      watchMapped(storagev1.storageclasses, () => pendingClaims(manager, driver)),
      // Who waits for a snapshot to be ready tries again when it is.
      watchMapped(volumesnapshots, () => pendingClaims(manager, driver)),
    ],
  });
}

function addDeleter(manager: Manager, { name: driver, backoff }: DriverOptions, tools: Tools): void {
  manager.addController({
    name: 'provisioner-volumes',
    maxConcurrentReconciles: WORKERS,
    backoff,
    reconciler: {
      async reconcile(request) {
        const observed = observeVolume(manager.cache, request);
        if (observed === undefined) return {};
        const step = decideDeletion(observed, driver);
        await release(tools, observed.volume, step);
        return lookAfter(step);
      },
    },
    sources: [
      watchKind(corev1.persistentvolumes),
      watchMapped(storagev1.volumeattachments, ({ spec: { source } }) =>
        source.persistentVolumeName === undefined ? [] : [{ name: source.persistentVolumeName }],
      ),
    ],
  });
}

function pendingClaims({ cache }: Manager, driver: string): readonly Request[] {
  return cache
    .list(corev1.persistentvolumeclaims)
    .filter(
      ({ metadata, spec }) => !spec.volumeName && metadata.annotations?.[STORAGE_PROVISIONER] === driver,
    )
    .map(requestFor);
}

async function release(
  { client, backend, emit }: Tools,
  volume: Stored<Volume>,
  step: VolumeStep,
): Promise<void> {
  const ref = corev1.persistentvolumes;
  if (step.type === 'protect') await addFinalizer({ client }, ref, volume, PROVISIONER_FINALIZER);
  if (step.type === 'release') await removeFinalizer({ client }, ref, volume, PROVISIONER_FINALIZER);
  if (step.type !== 'fail' && step.type !== 'delete') return;
  try {
    if (step.type === 'fail') throw new CsiError('FailedPrecondition', step.message);
    await backend.deleteVolume(step.handle);
  } catch (error) {
    const message = step.type === 'fail' ? step.message : errorText(error);
    emit(volume, { type: 'Warning', reason: 'VolumeFailedDelete', message });
    throw error;
  }
  await remove(client, volume);
}

/** Deletes the object, then takes the finalizer off what is left of it. */
async function remove(client: Client, volume: Volume): Promise<void> {
  const { uid } = volume.metadata;
  const options = { preconditions: { uid } };
  await ignoreNotFound(client.delete(corev1.persistentvolumes, keyOf(volume), options));
  try {
    const left = await client.get(corev1.persistentvolumes, keyOf(volume));
    if (left.metadata.uid === uid)
      await removeFinalizer({ client }, corev1.persistentvolumes, left, PROVISIONER_FINALIZER);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
