import type { Client } from '@kubewright/client';
import { getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { VERSION, VOLUME_GROUP } from '../api/annotations.ts';
import { VOLUME_RESTORE_REQUESTS, type VolumeRestoreRequest } from '../api/volume-restore-request.ts';

type Template = VolumeRestoreRequest['spec']['pvcTemplate'];

/** What a request says of a claim; the operator knows the rest. */
const FIELDS = ['accessModes', 'resources', 'storageClassName', 'volumeMode'];

/** Requests that a claim is made with the data of a snapshot. */
export function restoreClaim(
  client: Client,
  claim: Named,
  namespace: string,
  snapshot: string,
): Promise<VolumeRestoreRequest> {
  const { name, labels, annotations } = claim.metadata;
  const spec = getOwn(claim, 'spec');
  const metadata = { name, ...(labels && { labels }), ...(annotations && { annotations }) };
  return client.create(VOLUME_RESTORE_REQUESTS, {
    apiVersion: `${VOLUME_GROUP}/${VERSION}`,
    kind: VOLUME_RESTORE_REQUESTS.kind,
    metadata: { namespace, generateName: 'restore-' },
    spec: {
      sourceRef: { kind: 'VolumeSnapshotContent', name: snapshot },
      pvcTemplate: { metadata, spec: isJsonObject(spec) ? templateOf(spec) : {} },
    },
  });
}

/** The server has checked the claim as a whole. */
function templateOf(spec: JsonObject): NonNullable<Template['spec']> {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => FIELDS.includes(key)));
}
