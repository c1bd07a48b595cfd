import { compareText, type JsonObject } from '@kubewright/kube';
import { fieldErrors, isDns1123Subdomain } from '@kubewright/kube/validation';
import {
  type Errors,
  each,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  oneOf,
  required,
  requiredOneOf,
} from '../validation/errors.ts';
import { localDescendingPath, noBacksteps } from '../validation/formats.ts';
import { validateAnnotations, validateLabels } from '../validation/validate-labels.ts';
import { maybeObject, maybeString, numberAt, objectAt, objectsAt, stringAt } from '../objects/read.ts';
import { validateClaimSpec } from './validate-claim-spec.ts';
import { validateProjected } from './validate-projected.ts';
import { NETWORK_VOLUME_SOURCES } from './network-volume-sources.ts';
import { needs, type SourceCheck } from './source-check.ts';
import { validateDownwardFile, validateKeyToPath, validateMode } from './validate-key-to-path.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validateHostPath(source: JsonObject, path: string): Errors {
  const target = stringAt(source, 'path');
  const type = maybeString(source, 'type');
  if (target === '') return required(false, `${path}.path`);
  return [
    ...noBacksteps(target, `${path}.path`),
    ...(type === undefined ? NONE : oneOf(type, `${path}.type`, HOST_PATH_TYPES)),
  ];
}

function validateKeys(source: JsonObject, path: string, name: string): Errors {
  return [
    ...needs(source, path, name),
    ...validateMode(source, 'defaultMode', path),
    ...each(objectsAt(source, 'items'), `${path}.items`, validateKeyToPath),
  ];
}

function validateCsi(source: JsonObject, path: string): Errors {
  const driver = stringAt(source, 'driver');
  return [
    ...(driver === '' ? required(false, `${path}.driver`) : validateDriver(driver, `${path}.driver`)),
    ...inside(maybeObject(source, 'nodePublishSecretRef'), (reference) => {
      const name = stringAt(reference, 'name');
      if (name === '') return required(false, `${path}.nodePublishSecretRef.name`);
      return invalidFor(`${path}.name`, name, nameIsDnsSubdomain(name, false));
    }),
  ];
}

function validateDriver(driver: string, path: string): Errors {
  return [
    ...(driver.length > 63 ? [fieldErrors.tooLong(path, 63)] : NONE),
    ...invalidFor(path, driver, isDns1123Subdomain(driver.toLowerCase())),
  ];
}

function validateEphemeral(source: JsonObject, path: string): Errors {
  const at = `${path}.volumeClaimTemplate`;
  const template = maybeObject(source, 'volumeClaimTemplate');
  if (template === undefined) return required(false, at);
  const metadata = objectAt(template, 'metadata');
  return [
    ...validateAnnotations(metadata, 'annotations', `${at}.metadata.annotations`),
    ...validateLabels(metadata, 'labels', `${at}.metadata.labels`),
    ...Object.keys(metadata)
      .filter((key) => !['annotations', 'labels', 'creationTimestamp'].includes(key))
      .sort(compareText)
      .map((key) => fieldErrors.forbidden(`${at}.metadata.${key}`, 'cannot be set')),
    ...validateClaimSpec(objectAt(template, 'spec'), `${at}.spec`),
  ];
}

function validatePartition(source: JsonObject, path: string): Errors {
  const partition = numberAt(source, 'partition');
  return invalid(
    partition < 0 || partition > 255,
    `${path}.partition`,
    partition,
    'must be between 1 and 255, inclusive',
  );
}

/** In the server's order; see `NETWORK_VOLUME_SOURCES` for the storage systems. */
export const VOLUME_SOURCES: readonly SourceCheck[] = inServerOrder([
  { key: 'hostPath', check: validateHostPath },
  {
    key: 'gitRepo',
    check: (source, path) => [
      ...needs(source, path, 'repository'),
      ...localDescendingPath(stringAt(source, 'directory'), `${path}.directory`),
    ],
  },
  {
    key: 'gcePersistentDisk',
    path: 'persistentDisk',
    check: (source, path) => [...needs(source, path, 'pdName'), ...validatePartition(source, path)],
  },
  {
    key: 'awsElasticBlockStore',
    check: (source, path) => [...needs(source, path, 'volumeID'), ...validatePartition(source, path)],
  },
  { key: 'secret', check: (source, path) => validateKeys(source, path, 'secretName') },
  { key: 'persistentVolumeClaim', check: (source, path) => needs(source, path, 'claimName') },
  {
    key: 'downwardAPI',
    forbiddenAs: 'downwarAPI',
    check: (source, path) => [
      ...validateMode(source, 'defaultMode', path),
      ...objectsAt(source, 'items').flatMap((file) => validateDownwardFile(file, path)),
    ],
  },
  { key: 'configMap', check: (source, path) => validateKeys(source, path, 'name') },
  { key: 'projected', check: validateProjected },
  { key: 'csi', check: validateCsi },
  { key: 'ephemeral', check: validateEphemeral },
  {
    key: 'image',
    check: (source, path, isPod) => [
      ...required(!isPod || stringAt(source, 'reference') !== '', `${path}.reference`),
      ...requiredOneOf(stringAt(source, 'pullPolicy'), `${path}.pullPolicy`, [
        'Always',
        'IfNotPresent',
        'Never',
      ]),
    ],
  },
  ...NETWORK_VOLUME_SOURCES,
]);

function inServerOrder(sources: readonly SourceCheck[]): readonly SourceCheck[] {
  const order = (
    'hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker ' +
    'persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile ' +
    'vsphereVolume photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image'
  ).split(' ');
  return [...sources].sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key));
}
