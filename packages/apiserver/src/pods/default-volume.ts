import type { JsonObject } from '@kubewright/kube';
import { has } from '../objects/read.ts';
import {
  type Change,
  inField,
  inItems,
  inOrder,
  orDefault,
  orDefaultPointer,
  withField,
} from '../objects/change-object.ts';
import { defaultFieldRef } from './default-container.ts';
import { isLatest } from './is-latest.ts';

const MODE_0644 = 0o644;
const defaultMode: Change = (source) => orDefaultPointer(source, 'defaultMode', MODE_0644);
const fieldRefs: Change = inItems('items', inField('fieldRef', defaultFieldRef));

/** What is below `SetDefaults_Volume`: of a pod's volume, and of a PersistentVolume. */
export const defaultVolumeSource: Change = inOrder(
  inField('image', defaultImage),
  inField('hostPath', (source) => orDefaultPointer(source, 'type', '')),
  inField('secret', defaultMode),
  inField('configMap', defaultMode),
  inField('downwardAPI', inOrder(defaultMode, fieldRefs)),
  inField('projected', inOrder(defaultMode, inItems('sources', defaultProjection))),
  inField('iscsi', (source) => orDefault(source, 'iscsiInterface', 'default')),
  inField(
    'rbd',
    inOrder(
      (source) => orDefault(source, 'pool', 'rbd'),
      (source) => orDefault(source, 'user', 'admin'),
      (source) => orDefault(source, 'keyring', '/etc/ceph/keyring'),
    ),
  ),
  inField(
    'azureDisk',
    inOrder(
      (source) => orDefaultPointer(source, 'cachingMode', 'ReadWrite'),
      (source) => orDefaultPointer(source, 'fsType', 'ext4'),
      (source) => orDefaultPointer(source, 'readOnly', false),
      (source) => orDefaultPointer(source, 'kind', 'Shared'),
    ),
  ),
  inField(
    'scaleIO',
    inOrder(
      (source) => orDefault(source, 'storageMode', 'ThinProvisioned'),
      (source) => orDefault(source, 'fsType', 'xfs'),
    ),
  ),
  inField('ephemeral', inField('volumeClaimTemplate', inField('spec', defaultClaimSpec))),
);

/** `SetDefaults_Volume` and what is below it; a volume without a source is an emptyDir. */
export const defaultVolume: Change = inOrder(
  (volume) =>
    Object.keys(volume).some((key) => key !== 'name' && has(volume, key)) ? volume : emptyDir(volume),
  defaultVolumeSource,
);

function emptyDir(volume: JsonObject): JsonObject {
  return withField(volume, 'emptyDir', {});
}

function defaultImage(image: JsonObject): JsonObject {
  const reference = typeof image.reference === 'string' ? image.reference : '';
  return orDefault(image, 'pullPolicy', isLatest(reference) ? 'Always' : 'IfNotPresent');
}

function defaultProjection(source: JsonObject): JsonObject {
  return inOrder(
    inField('downwardAPI', fieldRefs),
    inField('serviceAccountToken', (token) => orDefaultPointer(token, 'expirationSeconds', 3600)),
  )(source);
}

/** `SetDefaults_PersistentVolumeClaimSpec`. */
export function defaultClaimSpec(spec: JsonObject): JsonObject {
  return orDefaultPointer(spec, 'volumeMode', 'Filesystem');
}
