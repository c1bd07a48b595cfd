import { type corev1, formatTime, ownerReferenceTo, type Stored } from '@kubewright/kube';
import { ANNOTATIONS, MANIFEST_GROUP, VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import type { CaptureSchedule } from '../api/capture-schedule.ts';
import { sha256 } from '../requests/names.ts';

type Claim = Stored<corev1.PersistentVolumeClaim>;

/** The name leaves room for what is appended. */
const LONGEST_NAME = 180;
const SHORT = 8;

/** The requests of the run of a moment. Their names derive from it, so that none is made twice. */
export function newRequests(schedule: CaptureSchedule, claims: readonly Claim[], time: number) {
  const { manifests } = schedule.spec;
  return [
    ...(manifests === undefined ? [] : [newManifestRequest(schedule, manifests, time)]),
    ...claims.map((claim) => newVolumeRequest(schedule, claim, time)),
  ];
}

export type NewRequest = ReturnType<typeof newRequests>[number];

function newManifestRequest(
  schedule: CaptureSchedule,
  spec: NonNullable<CaptureSchedule['spec']['manifests']>,
  time: number,
) {
  const metadata = metadataOf(schedule, '', time);
  return {
    apiVersion: `${MANIFEST_GROUP}/${VERSION}`,
    kind: 'ManifestCaptureRequest',
    metadata,
    spec,
  } as const;
}

function newVolumeRequest(schedule: CaptureSchedule, { metadata }: Claim, time: number) {
  const { labelSelector: _which, ...patience } = schedule.spec.volumes ?? {};
  const target = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: metadata.name, uid: metadata.uid };
  return {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: 'VolumeCaptureRequest',
    metadata: metadataOf(schedule, metadata.uid, time),
    spec: { mode: 'Snapshot', target, ...patience },
  } as const;
}

function metadataOf(schedule: CaptureSchedule, of: string, time: number) {
  const { namespace, name, uid } = schedule.metadata;
  const at = formatTime(new Date(time));
  const stamp = at.replaceAll(/[-:Z]/g, '').replace('T', '-');
  return {
    namespace,
    name: `${name.slice(0, LONGEST_NAME)}-${stamp}-${sha256(`${uid}/${of}`).slice(0, SHORT)}`,
    annotations: { [ANNOTATIONS.scheduledAt]: at },
    ownerReferences: [ownerReferenceTo(schedule, { controller: true })],
  };
}
