import { type JsonObject, getOwn } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { validateNodeSelector } from '../../pods/validate-affinity.ts';
import { validateAccessModes, validateClassName } from '../../pods/validate-claim-spec.ts';
import { VOLUME_SOURCES } from '../../pods/volume-sources.ts';
import type { SourceCheck } from '../../pods/source-check.ts';
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  forbidden,
  invalid,
  NONE,
  oneOf,
  required,
} from '../../validation/errors.ts';
import { noBacksteps } from '../../validation/formats.ts';
import { isPositive, nonNegativeUnits } from '../../validation/quantities.ts';
import {
  entriesAt,
  has,
  maybeObject,
  maybeString,
  objectAt,
  stringAt,
  stringsAt,
} from '../../objects/read.ts';
import { csiDriverName } from './csi-driver-name.ts';

const POLICIES = ['Delete', 'Recycle', 'Retain'];

/** `PersistentVolumeSpec`. */
export function validateVolumeSpec(spec: JsonObject, path: string): Errors {
  const [policy, mode] = [stringAt(spec, 'persistentVolumeReclaimPolicy'), maybeString(spec, 'volumeMode')];
  const recyclesRoot = policy === 'Recycle' && isRoot(stringAt(objectAt(spec, 'hostPath'), 'path'));
  return [
    ...required(stringsAt(spec, 'accessModes').length > 0, `${path}.accessModes`),
    ...validateAccessModes(stringsAt(spec, 'accessModes'), `${path}.accessModes`),
    ...validateCapacity(spec, `${path}.capacity`),
    ...(policy === '' ? NONE : oneOf(policy, `${path}.persistentVolumeReclaimPolicy`, POLICIES)),
    ...validateNodeAffinity(spec, `${path}.nodeAffinity`),
    ...validateSources(spec, path),
    ...forbidden(
      recyclesRoot,
      `${path}.persistentVolumeReclaimPolicy`,
      "may not be 'recycle' for a hostPath mount of '/'",
    ),
    ...validateClassName(spec, 'storageClassName', path),
    ...(mode === undefined ? NONE : oneOf(mode, `${path}.volumeMode`, ['Block', 'Filesystem'])),
    ...validateAttributesClass(spec, path),
  ];
}

/** `PersistentVolumeSpec` in a VolumeAttachment: a CSI volume that has no object of its own. */
export function validateInlineVolumeSpec(spec: JsonObject, path: string): Errors {
  const context = 'in the context of inline volumes';
  const unset = (key: string, given: boolean): Errors =>
    forbidden(given, `${path}.${key}`, `may not be specified ${context}`);
  const [policy, mode] = [stringAt(spec, 'persistentVolumeReclaimPolicy'), maybeString(spec, 'volumeMode')];
  return [
    ...unset('claimRef', has(spec, 'claimRef')),
    ...unset('capacity', entriesAt(spec, 'capacity').length > 0),
    ...required(has(spec, 'csi'), `${path}.csi`, `has to be specified ${context}`),
    ...required(stringsAt(spec, 'accessModes').length > 0, `${path}.accessModes`),
    ...validateAccessModes(stringsAt(spec, 'accessModes'), `${path}.accessModes`),
    ...forbidden(
      policy !== '' && policy !== 'Retain',
      `${path}.persistentVolumeReclaimPolicy`,
      `may only be Retain ${context}`,
    ),
    ...unset('nodeAffinity', has(spec, 'nodeAffinity')),
    ...validateSources(spec, path),
    ...unset('storageClassName', stringAt(spec, 'storageClassName') !== ''),
    ...forbidden(
      mode !== undefined && mode !== 'Filesystem',
      `${path}.volumeMode`,
      `may not specify volumeMode other than Filesystem ${context}`,
    ),
  ];
}

function isRoot(path: string): boolean {
  return path !== '' && path.split('/').every((part) => part === '' || part === '.');
}

function validateCapacity(spec: JsonObject, path: string): Errors {
  const capacity = entriesAt(spec, 'capacity');
  const isStorage = capacity.length === 1 && capacity[0]?.[0] === 'storage';
  return [
    ...required(capacity.length > 0, path),
    ...(isStorage
      ? NONE
      : [fieldErrors.notSupported(path, maybeObject(spec, 'capacity') ?? null, ['storage'])]),
    ...capacity.flatMap(([name, quantity]) => [
      ...nonNegativeUnits(quantity, `${path}[${name}]`),
      ...invalid(!isPositive(quantity), `${path}[${name}]`, quantity, 'must be greater than zero'),
    ]),
  ];
}

function validateNodeAffinity(spec: JsonObject, path: string): Errors {
  const affinity = maybeObject(spec, 'nodeAffinity');
  if (affinity === undefined) return NONE;
  const selector = maybeObject(affinity, 'required');
  if (selector !== undefined) return validateNodeSelector(selector, `${path}.required`);
  return required(false, `${path}.required`, 'must specify required node constraints');
}

function validateAttributesClass(spec: JsonObject, path: string): Errors {
  if (!has(spec, 'volumeAttributesClassName')) return NONE;
  const name = stringAt(spec, 'volumeAttributesClassName');
  return [
    ...required(name !== '', `${path}.volumeAttributesClassName`, 'an empty string is disallowed'),
    ...validateClassName(spec, 'volumeAttributesClassName', path),
    ...required(has(spec, 'csi'), `${path}.csi`, 'has to be specified when using volumeAttributesClassName'),
  ];
}

function validateSources(spec: JsonObject, path: string): Errors {
  const errors: FieldError[] = [];
  let found = false;
  for (const { key, check, path: shown = key, forbiddenAs = key } of SOURCES) {
    const source = maybeObject(spec, key);
    if (source === undefined) continue;
    const second = found && key !== 'flexVolume';
    if (second)
      errors.push(...forbidden(true, `${path}.${forbiddenAs}`, 'may not specify more than 1 volume type'));
    else errors.push(...check(source, `${path}.${shown}`, false));
    const placed = key !== 'local' || second || has(spec, 'nodeAffinity');
    errors.push(...required(placed, `${path}.nodeAffinity`, 'Local volume requires node affinity'));
    found = true;
  }
  errors.push(...required(found, path, 'must specify a volume type'));
  return errors;
}

function validateLocal(source: JsonObject, path: string): Errors {
  const at = stringAt(source, 'path');
  return at === '' ? required(false, `${path}.path`) : noBacksteps(at, `${path}.path`);
}

const SECRETS = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
];

function validateCsi(source: JsonObject, path: string): Errors {
  return [
    ...csiDriverName(stringAt(source, 'driver'), `${path}.driver`),
    ...required(stringAt(source, 'volumeHandle') !== '', `${path}.volumeHandle`),
    ...SECRETS.flatMap((key) => validateSecret(maybeObject(source, key), `${path}.${key}`)),
  ];
}

function validateSecret(reference: JsonObject | undefined, path: string): Errors {
  if (reference === undefined) return NONE;
  const [name, namespace] = [stringAt(reference, 'name'), stringAt(reference, 'namespace')];
  return [
    ...(name === '' ? required(false, `${path}.name`) : dnsSubdomain(name, `${path}.name`)),
    ...(namespace === '' ? required(false, `${path}.namespace`) : dnsLabel(namespace, `${path}.namespace`)),
  ];
}

function validateAzureFile(source: JsonObject, path: string): Errors {
  const namespace = getOwn(source, 'secretNamespace');
  return [
    ...required(stringAt(source, 'secretName') !== '', `${path}.secretName`),
    ...required(stringAt(source, 'shareName') !== '', `${path}.shareName`),
    ...required(namespace !== '', `${path}.secretNamespace`),
  ];
}

/** Sources that are validated otherwise than in a pod, or that only volumes have. */
const OWN: Readonly<Record<string, SourceCheck>> = {
  azureFile: { key: 'azureFile', check: validateAzureFile },
  csi: { key: 'csi', check: validateCsi },
  local: { key: 'local', check: validateLocal },
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
