import { type corev1, getOwn, type JsonObject } from '@kubewright/kube';
import { isDns1123Label, isDns1123Subdomain } from '@kubewright/kube/validation';
import { validateNodeSelector } from '../../pods/validate-affinity.ts';
import { validateAccessModes, validateClassName } from '../../pods/validate-claim-spec.ts';
import { VOLUME_SOURCES } from '../../pods/volume-sources.ts';
import type { SourceCheck } from '../../pods/source-check.ts';
import type { Check } from '../../validation/errors.ts';
import { Field } from '../../validation/field.ts';
import { noBacksteps } from '../../validation/formats.ts';
import { isPositive, nonNegativeUnits } from '../../validation/quantities.ts';
import { entriesAt } from '../../objects/read.ts';
import { csiDriverName } from './csi-driver-name.ts';

type Spec = Field<corev1.PersistentVolumeSpec>;

/** `PersistentVolumeSpec`. */
export function validateVolumeSpec(spec: Spec): void {
  const policy = spec.at('persistentVolumeReclaimPolicy');
  validateModes(spec);
  validateCapacity(spec);
  if (policy.asText !== '') policy.mustBeOneOf(['Delete', 'Recycle', 'Retain']);
  validateNodeAffinity(spec);
  validateSources(spec);
  if (policy.asText === 'Recycle' && isRoot(spec.at('hostPath').text('path')))
    policy.addForbidden("may not be 'recycle' for a hostPath mount of '/'");
  spec.add(validateClassName(spec.object, 'storageClassName', spec.path));
  spec.oneOfIfSet('volumeMode', ['Block', 'Filesystem']);
  validateAttributesClass(spec);
}

/** `PersistentVolumeSpec` in a VolumeAttachment: a CSI volume that has no object of its own. */
export function validateInlineVolumeSpec(spec: Spec): void {
  const context = 'in the context of inline volumes';
  const unset = `may not be specified ${context}`;
  const [policy, mode] = [spec.text('persistentVolumeReclaimPolicy'), spec.maybeText('volumeMode')];
  spec.forbid('claimRef', unset);
  if (entriesAt(spec.object, 'capacity').length > 0) spec.at('capacity').addForbidden(unset);
  spec.require('csi', `has to be specified ${context}`);
  validateModes(spec);
  if (policy !== '' && policy !== 'Retain')
    spec.at('persistentVolumeReclaimPolicy').addForbidden(`may only be Retain ${context}`);
  spec.forbid('nodeAffinity', unset);
  validateSources(spec);
  if (spec.text('storageClassName') !== '') spec.at('storageClassName').addForbidden(unset);
  if (mode !== undefined && mode !== 'Filesystem')
    spec.at('volumeMode').addForbidden(`may not specify volumeMode other than Filesystem ${context}`);
}

function validateModes(spec: Spec): void {
  const modes = spec.at('accessModes');
  if (spec.count('accessModes') === 0) modes.addRequired();
  modes.add(validateAccessModes(spec.texts('accessModes'), modes.path));
}

function isRoot(path: string): boolean {
  return path !== '' && path.split('/').every((part) => part === '' || part === '.');
}

function validateCapacity(spec: Spec): void {
  const [field, capacity] = [spec.at('capacity'), entriesAt(spec.object, 'capacity')];
  const isStorage = capacity.length === 1 && capacity[0]?.[0] === 'storage';
  if (capacity.length === 0) field.addRequired();
  if (!isStorage) field.addNotSupported(['storage'], { value: field.isStruct ? field.object : null });
  for (const [name, value] of capacity) {
    const amount = field.entry(name);
    amount.checkText(nonNegativeUnits);
    if (!isPositive(value)) amount.addInvalid('must be greater than zero');
  }
}

function validateNodeAffinity(spec: Spec): void {
  const affinity = spec.maybeAt('nodeAffinity');
  const selector = affinity?.maybeAt('required');
  if (selector !== undefined) selector.check(validateNodeSelector);
  else affinity?.at('required').addRequired('must specify required node constraints');
}

function validateAttributesClass(spec: Spec): void {
  if (!spec.has('volumeAttributesClassName')) return;
  spec.requireText('volumeAttributesClassName', 'an empty string is disallowed');
  spec.add(validateClassName(spec.object, 'volumeAttributesClassName', spec.path));
  spec.require('csi', 'has to be specified when using volumeAttributesClassName');
}

function validateSources(spec: Spec): void {
  let found = false;
  for (const { key, check, path: shown = key, forbiddenAs = key } of SOURCES) {
    const source = new Field(getOwn(spec.object, key), spec, `.${shown}`);
    if (!source.isStruct) continue;
    const second = found && key !== 'flexVolume';
    if (second)
      new Field(null, spec, `.${forbiddenAs}`).addForbidden('may not specify more than 1 volume type');
    else source.add(check(source.object, source.path, false));
    if (key === 'local' && !second) spec.require('nodeAffinity', 'Local volume requires node affinity');
    found = true;
  }
  if (!found) spec.addRequired('must specify a volume type');
}

/** A check of a source as a list of sources takes it. */
function sourceCheck<T>(check: (source: Field<T>) => void): Check<JsonObject> {
  return (object, path) => {
    const source = new Field<T>(object, { path, errors: [] });
    check(source);
    return source.errors;
  };
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

function validateCsi(source: Field<corev1.CSIPersistentVolumeSource>): void {
  source.at('driver').checkText(csiDriverName);
  source.requireText('volumeHandle');
  for (const key of SECRETS) {
    const secret = source.maybeAt(key);
    secret?.requireMatch('name', isDns1123Subdomain);
    secret?.requireMatch('namespace', isDns1123Label);
  }
}

function validateAzureFile(source: Field<corev1.AzureFilePersistentVolumeSource>): void {
  source.requireText('secretName');
  source.requireText('shareName');
  if (source.maybeText('secretNamespace') === '') source.at('secretNamespace').addRequired();
}

function validateLocal(source: Field<corev1.LocalVolumeSource>): void {
  if (source.text('path') === '') source.at('path').addRequired();
  else source.at('path').checkText(noBacksteps);
}

/** Sources that are validated otherwise than in a pod, or that only volumes have. */
const OWN: Readonly<Record<string, SourceCheck>> = {
  azureFile: { key: 'azureFile', check: sourceCheck(validateAzureFile) },
  csi: { key: 'csi', check: sourceCheck(validateCsi) },
  local: { key: 'local', check: sourceCheck(validateLocal) },
};

/** In the server's order. */
const SOURCES: readonly SourceCheck[] = (
  'hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc ' +
  'flexVolume azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi'
)
  .split(' ')
  .flatMap((key) => OWN[key] ?? VOLUME_SOURCES.find((source) => source.key === key) ?? []);

const SOURCE_KEYS: ReadonlySet<string> = new Set(SOURCES.map(({ key }) => key));

/** Whether a key of the spec is a volume source. */
export function isVolumeSource(key: string): boolean {
  return SOURCE_KEYS.has(key);
}
