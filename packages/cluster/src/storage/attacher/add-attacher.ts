import { type Client, ignoreNotFound } from '@kubewright/client';
import { corev1, errorText, formatTime, storagev1, type Stored } from '@kubewright/kube';
import {
  addFinalizer,
  type Manager,
  removeFinalizer,
  requestFor,
  watchKind,
  watchMapped,
} from '@kubewright/runtime';
import { CsiError } from '../backend/csi-error.ts';
import type { StorageBackend } from '../backend/storage-backend.ts';
import type { DriverOptions } from '../driver-options.ts';
import { AFTER_WRITE, lookAfter } from '../look-after.ts';
import { attachmentsOf, indexAttachments } from '../provisioner/observe-claim.ts';
import { type AttacherStep, attacherFinalizer, decideAttacher, mayRelease } from './decide-attacher.ts';

type Attachment = Stored<storagev1.VolumeAttachment>;
type Tools = {
  readonly client: Client;
  readonly backend: StorageBackend;
  readonly now: () => number;
  readonly finalizer: string;
};

const WORKERS = 5;

/** Attaches volumes to nodes as VolumeAttachments ask: external-attacher. */
export function addAttacher(manager: Manager, { name: driver, backend, backoff }: DriverOptions): void {
  const { cache, client, clock } = manager;
  indexAttachments(cache);
  const tools: Tools = { client, backend, now: () => clock.now(), finalizer: attacherFinalizer(driver) };
  manager.addController({
    name: 'attacher',
    maxConcurrentReconciles: WORKERS,
    backoff,
    reconciler: {
      async reconcile(request) {
        const attachment = cache.get(storagev1.volumeattachments, request);
        if (attachment === undefined) return {};
        const name = attachment.spec.source.persistentVolumeName ?? '';
        const volume = cache.get(corev1.persistentvolumes, { name });
        const step = decideAttacher({ attachment, volume }, driver);
        await act(tools, attachment, step);
        return lookAfter(step);
      },
    },
    sources: [
      watchKind(storagev1.volumeattachments),
      watchMapped(corev1.persistentvolumes, ({ metadata: { name } }) =>
        attachmentsOf(cache, name).map(requestFor),
      ),
    ],
  });
  addReleaser(manager, backoff, driver);
}

/** Removes the finalizer of volumes that are being deleted and attached nowhere. */
function addReleaser(manager: Manager, backoff: DriverOptions['backoff'], driver: string): void {
  const { cache, client } = manager;
  manager.addController({
    name: 'attacher-volumes',
    backoff,
    reconciler: {
      async reconcile(request) {
        const volume = cache.get(corev1.persistentvolumes, request);
        const attachments = attachmentsOf(cache, request.name).length;
        if (volume === undefined || !mayRelease(volume, attachments, driver)) return {};
        await removeFinalizer({ client }, corev1.persistentvolumes, volume, attacherFinalizer(driver));
        return AFTER_WRITE;
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

async function act(tools: Tools, attachment: Attachment, step: AttacherStep): Promise<void> {
  const { client, backend, finalizer } = tools;
  const { nodeName } = attachment.spec;
  switch (step.type) {
    case 'none':
      return;
    case 'holdVolume':
      await addFinalizer({ client }, corev1.persistentvolumes, step.volume, finalizer);
      return;
    case 'hold':
      await addFinalizer({ client }, storagev1.volumeattachments, attachment, finalizer);
      return;
    case 'attach':
      return attempt(tools, attachment, 'attachError', () => backend.attach(step.handle, nodeName));
    case 'detach':
      return attempt(tools, attachment, 'detachError', () => backend.detach(step.handle, nodeName));
    case 'release':
      await removeFinalizer({ client }, storagev1.volumeattachments, attachment, finalizer);
      return;
    case 'fail':
      return fail(tools, attachment, 'attachError', new CsiError('FailedPrecondition', step.message));
  }
}

type Fault = 'attachError' | 'detachError';

async function attempt(
  tools: Tools,
  attachment: Attachment,
  fault: Fault,
  call: () => Promise<void>,
): Promise<void> {
  const { client, finalizer } = tools;
  try {
    await call();
  } catch (error) {
    return fail(tools, attachment, fault, error);
  }
  const written = await writeStatus(client, attachment, { attached: fault === 'attachError' });
  if (fault === 'detachError' && written !== undefined)
    await removeFinalizer({ client }, storagev1.volumeattachments, written, finalizer);
}

function writeStatus(
  client: Client,
  attachment: Attachment,
  status: storagev1.VolumeAttachmentStatus,
): Promise<Attachment | undefined> {
  return ignoreNotFound(
    client.update(storagev1.volumeattachments, { ...attachment, status }, { subresource: 'status' }),
  );
}

/** Says what is wrong, once, and has it tried again. */
async function fail(
  { client, now }: Tools,
  attachment: Attachment,
  fault: Fault,
  cause: unknown,
): Promise<never> {
  const message = errorText(cause);
  if (attachment.status?.[fault]?.message !== message) {
    const { attached = false } = attachment.status ?? {};
    const error = { time: formatTime(new Date(now())), message };
    await writeStatus(client, attachment, { ...attachment.status, attached, [fault]: error });
  }
  throw cause;
}
