import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import {
  type Errors,
  invalid,
  invalidFor,
  NONE,
  oneOf,
  rangeMessage,
  required,
} from '../validation/errors.ts';
import {
  entriesAt,
  has,
  isTrue,
  itemsAt,
  maybeNumber,
  maybeString,
  numberAt,
  objectAt,
  stringAt,
} from '../objects/read.ts';
import { needs, type SourceCheck } from './source-check.ts';

function validateNfs(source: JsonObject, path: string): Errors {
  const target = stringAt(source, 'path');
  return [
    ...needs(source, path, 'server', 'path'),
    ...invalid(!target.startsWith('/'), `${path}.path`, target, 'must be an absolute path'),
  ];
}

const ISCSI_NAMES: Readonly<Record<string, RegExp>> = {
  iqn: /^iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[0-9a-fA-F]{16}$/,
  naa: /^naa.[0-9a-fA-F]{32}$/,
};

function validateIscsiName(name: string, path: string): Errors {
  const prefix = name.slice(0, 3);
  if (!Object.hasOwn(ISCSI_NAMES, prefix)) {
    return invalidFor(path, name, ['must be valid format starting with iqn, eui, or naa']);
  }
  return invalid(ISCSI_NAMES[prefix]?.test(name) !== true, path, name, 'must be valid format');
}

function validateIscsi(source: JsonObject, path: string): Errors {
  const [iqn, lun, initiator] = [
    stringAt(source, 'iqn'),
    numberAt(source, 'lun'),
    maybeString(source, 'initiatorName'),
  ];
  const chap = isTrue(source, 'chapAuthDiscovery') || isTrue(source, 'chapAuthSession');
  return [
    ...needs(source, path, 'targetPortal'),
    ...(iqn === '' ? required(false, `${path}.iqn`) : validateIscsiName(iqn, `${path}.iqn`)),
    ...invalid(lun < 0 || lun > 255, `${path}.lun`, lun, rangeMessage(0, 255)),
    ...required(!chap || has(source, 'secretRef'), `${path}.secretRef`),
    ...(initiator === undefined ? NONE : validateIscsiName(initiator, `${path}.initiatorname`)),
  ];
}

function validateFlocker(source: JsonObject, path: string): Errors {
  const [name, uuid] = [stringAt(source, 'datasetName'), stringAt(source, 'datasetUUID')];
  const both = 'datasetName and datasetUUID can not be specified simultaneously';
  return [
    ...required(name !== '' || uuid !== '', path, 'one of datasetName and datasetUUID is required'),
    ...invalid(name !== '' && uuid !== '', path, 'resource', both),
    ...invalid(name.includes('/'), `${path}.datasetName`, name, "must not contain '/'"),
  ];
}

function validateFibreChannel(source: JsonObject, path: string): Errors {
  const [targets, ids] = [itemsAt(source, 'targetWWNs'), itemsAt(source, 'wwids')];
  const lun = maybeNumber(source, 'lun');
  const needsLun = targets.length > 0 && lun === undefined;
  const outside = targets.length > 0 && lun !== undefined && (lun < 0 || lun > 255);
  return [
    ...required(
      targets.length + ids.length > 0,
      `${path}.targetWWNs`,
      'must specify either targetWWNs or wwids, but not both',
    ),
    ...invalid(
      targets.length > 0 && ids.length > 0,
      `${path}.targetWWNs`,
      targets,
      'targetWWNs and wwids can not be specified simultaneously',
    ),
    ...required(!needsLun, `${path}.lun`, 'lun is required if targetWWNs is specified'),
    ...invalid(outside, `${path}.lun`, lun ?? null, rangeMessage(0, 255)),
  ];
}

function validateFlexVolume(source: JsonObject, path: string): Errors {
  return [
    ...needs(source, path, 'driver'),
    ...entriesAt(source, 'options').flatMap(([key]) => {
      const domain = `.${(key.includes('/') ? key.slice(0, key.indexOf('/')) : key).toLowerCase()}`;
      const reserved = domain.endsWith('.kubernetes.io') || domain.endsWith('.k8s.io');
      return invalid(
        reserved,
        `${path}.options[${key}]`,
        key,
        'kubernetes.io and k8s.io namespaces are reserved',
      );
    }),
  ];
}

const MANAGED_DISK =
  '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const BLOB_DISK = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

function validateAzureDisk(source: JsonObject, path: string): Errors {
  const [caching, kind] = [maybeString(source, 'cachingMode'), maybeString(source, 'kind')];
  return [
    ...needs(source, path, 'diskName', 'diskURI'),
    ...(caching === undefined
      ? NONE
      : oneOf(caching, `${path}.cachingMode`, ['None', 'ReadOnly', 'ReadWrite'])),
    ...(kind === undefined ? NONE : oneOf(kind, `${path}.kind`, ['Dedicated', 'Managed', 'Shared'])),
    ...(kind === undefined ? NONE : validateDiskUri(kind, stringAt(source, 'diskURI'), `${path}.diskURI`)),
  ];
}

function validateDiskUri(kind: string, uri: string, path: string): Errors {
  const [start, example] = kind === 'Managed' ? ['/subscriptions/', MANAGED_DISK] : ['https://', BLOB_DISK];
  return uri.startsWith(start) ? NONE : [fieldErrors.notSupported(path, uri, [example])];
}

function validateQuobyte(source: JsonObject, path: string): Errors {
  const registry = stringAt(source, 'registry');
  const pairs = 'must be a host:port pair or multiple pairs separated by commas';
  const volume = needs(source, path, 'volume');
  if (registry === '') return [...required(false, `${path}.registry`, pairs), ...volume];
  if (stringAt(source, 'tenant').length >= 65) {
    const detail = 'must be a UUID and may not exceed a length of 64 characters';
    return [...required(false, `${path}.tenant`, detail), ...volume];
  }
  const bad = registry.split(',').filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair));
  return [...bad.map(() => fieldErrors.invalid(`${path}.registry`, registry, pairs)), ...volume];
}

function validateStorageOs(source: JsonObject, path: string): Errors {
  return needs(source, path, 'volumeName');
}

function needsList(key: string, ...texts: readonly string[]): SourceCheck['check'] {
  return (source, path) => [
    ...required(itemsAt(source, key).length > 0, `${path}.${key}`),
    ...needs(source, path, ...texts),
  ];
}

/** Volumes on storage systems; most are kept by the API only because they cannot be removed. */
export const NETWORK_VOLUME_SOURCES: readonly SourceCheck[] = [
  { key: 'nfs', check: validateNfs },
  { key: 'iscsi', check: validateIscsi },
  { key: 'glusterfs', check: (source, path) => needs(source, path, 'endpoints', 'path') },
  { key: 'flocker', check: validateFlocker },
  { key: 'rbd', check: needsList('monitors', 'image') },
  {
    key: 'cinder',
    check: (source, path) => [
      ...needs(source, path, 'volumeID'),
      ...required(
        !has(source, 'secretRef') || stringAt(objectAt(source, 'secretRef'), 'name') !== '',
        `${path}.secretRef.name`,
      ),
    ],
  },
  { key: 'cephfs', forbiddenAs: 'cephFS', check: needsList('monitors') },
  { key: 'quobyte', check: validateQuobyte },
  { key: 'fc', check: validateFibreChannel },
  { key: 'flexVolume', check: validateFlexVolume },
  { key: 'azureFile', check: (source, path) => needs(source, path, 'secretName', 'shareName') },
  { key: 'vsphereVolume', check: (source, path) => needs(source, path, 'volumePath') },
  { key: 'photonPersistentDisk', check: (source, path) => needs(source, path, 'pdID') },
  { key: 'portworxVolume', check: (source, path) => needs(source, path, 'volumeID') },
  { key: 'azureDisk', check: validateAzureDisk },
  { key: 'storageos', check: validateStorageOs },
  { key: 'scaleIO', check: (source, path) => needs(source, path, 'gateway', 'system', 'volumeName') },
];
