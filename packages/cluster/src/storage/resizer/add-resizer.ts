import type { Client } from '@kubewright/client';
import { corev1, errorText, type Stored } from '@kubewright/kube';
import { type EventNote, type Manager, type Request, watchKind, watchMapped } from '@kubewright/runtime';
import type { StorageBackend } from '../backend/storage-backend.ts';
import type { DriverOptions } from '../driver-options.ts';
import { lookAfter } from '../look-after.ts';
import { decideResize, grown, type ResizeStep } from './decide-resize.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;
type Volume = Stored<corev1.PersistentVolume>;
type Tools = {
  readonly client: Client;
  readonly backend: StorageBackend;
  readonly driver: string;
  readonly emit: (claim: Claim, note: EventNote) => void;
};

/** Makes volumes grow for bound claims that ask for more: external-resizer. */
export function addResizer(manager: Manager, { name: driver, backend, backoff }: DriverOptions): void {
  const { cache, client } = manager;
  const recorder = manager.recorderFor(`external-resizer ${driver}`);
  const emit: Tools['emit'] = (claim, note) => recorder.record(claim, note);
  const tools = { client, backend, driver, emit };
  manager.addController({
    name: 'resizer',
    backoff,
    sources: [watchKind(corev1.persistentvolumeclaims), watchMapped(corev1.persistentvolumes, claimOf)],
    reconciler: {
      async reconcile(request) {
        const claim = cache.get(corev1.persistentvolumeclaims, request);
        const name = claim?.spec.volumeName ?? '';
        const volume = name === '' ? undefined : cache.get(corev1.persistentvolumes, { name });
        if (claim === undefined || volume === undefined) return {};
        const step = decideResize(claim, volume, driver);
        await act(tools, { claim, volume }, step);
        return lookAfter(step);
      },
    },
  });
}

function claimOf({ spec: { claimRef } }: Volume): readonly Request[] {
  return claimRef === undefined ? [] : [{ namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' }];
}

type Pair = { readonly claim: Claim; readonly volume: Volume };

async function act(tools: Tools, pair: Pair, step: ResizeStep): Promise<void> {
  if (step.type === 'none') return;
  if (step.type === 'expand') return expand(tools, pair, step);
  await tools.client.update(corev1.persistentvolumeclaims, step.claim, { subresource: 'status' });
  const message = 'Resize volume succeeded';
  tools.emit(pair.claim, { type: 'Normal', reason: 'VolumeResizeSuccessful', message });
}

async function expand(
  { client, backend, driver, emit }: Tools,
  { claim, volume }: Pair,
  { handle, sizeBytes }: Extract<ResizeStep, { type: 'expand' }>,
): Promise<void> {
  const { name } = volume.metadata;
  const message = `External resizer is resizing volume ${name}`;
  emit(claim, { type: 'Normal', reason: 'Resizing', message });
  try {
    await backend.expandVolume(handle, sizeBytes);
  } catch (error) {
    const why = errorText(error);
    const failure = `resize volume "${name}" by resizer "${driver}" failed: ${why}`;
    emit(claim, { type: 'Warning', reason: 'VolumeResizeFailed', message: failure });
    throw error;
  }
  await client.update(corev1.persistentvolumes, grown(volume, claim));
}
