import type { JsonObject } from '@kubewright/kube';
import { compareQuantity } from '@kubewright/kube/quantity';
import { isConfigMapKey, isRelaxedEnvVarName } from '@kubewright/kube/validation';
import {
  dnsLabel,
  type Errors,
  each,
  inside,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  oneOf,
  qualifiedName,
  required,
} from '../validation/errors.ts';
import { noBacksteps } from '../validation/formats.ts';
import { has, maybeObject, objectsAt, stringAt } from '../objects/read.ts';

/** `containers[].env`. */
export function validateEnv(container: JsonObject, path: string): Errors {
  return each(objectsAt(container, 'env'), `${path}.env`, (variable, at) => {
    const name = stringAt(variable, 'name');
    return [
      ...required(name !== '', `${at}.name`),
      ...(name === '' ? NONE : invalidFor(`${at}.name`, name, isRelaxedEnvVarName(name))),
      ...inside(maybeObject(variable, 'valueFrom'), (source) =>
        validateSource(source, stringAt(variable, 'value'), `${at}.valueFrom`),
      ),
    ];
  });
}

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];

function validateSource(source: JsonObject, value: string, path: string): Errors {
  const check = (key: string, errors: (reference: JsonObject, at: string) => Errors): Errors =>
    inside(maybeObject(source, key), (reference) => errors(reference, `${path}.${key}`));
  return [
    ...check('fieldRef', (reference, at) => validateFieldRef(reference, ENV_FIELDS, at)),
    ...check('resourceFieldRef', (reference, at) => validateResourceFieldRef(reference, at, false)),
    ...check('configMapKeyRef', validateKeyRef),
    ...check('secretKeyRef', validateKeyRef),
    ...check('fileKeyRef', validateFileKeyRef),
    ...validateSourceCount(SOURCES.filter((key) => has(source, key)).length, value, path),
  ];
}

function validateSourceCount(count: number, value: string, path: string): Errors {
  if (count === 0) {
    const names = '`fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`';
    return invalidFor(path, '', [`must specify one of: ${names}`]);
  }
  if (value !== '') return invalidFor(path, '', ['may not be specified when `value` is not empty']);
  return invalid(count > 1, path, '', 'may not have more than one field specified at a time');
}

const POD_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** `ObjectFieldSelector` of the downward API; `supported` differs between variables and volumes. */
export function validateFieldRef(reference: JsonObject, supported: readonly string[], path: string): Errors {
  const [version, label] = [stringAt(reference, 'apiVersion'), stringAt(reference, 'fieldPath')];
  if (version === '') return required(false, `${path}.apiVersion`);
  if (label === '') return required(false, `${path}.fieldPath`);
  const problem = fieldProblem(version, label);
  if (problem !== undefined) {
    return invalidFor(`${path}.fieldPath`, label, [`error converting fieldPath: ${problem}`]);
  }
  const subscripted = subscript(label);
  if (subscripted !== undefined) {
    const key = subscripted.path === 'metadata.annotations' ? subscripted.key.toLowerCase() : subscripted.key;
    return qualifiedName(key, path);
  }
  const field = label === 'spec.host' ? 'spec.nodeName' : label;
  return oneOf(field, `${path}.fieldPath`, supported);
}

function fieldProblem(version: string, label: string): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`;
  const subscripted = subscript(label);
  if (subscripted !== undefined) {
    const known = ['metadata.annotations', 'metadata.labels'].includes(subscripted.path);
    return known ? undefined : `field label does not support subscript: ${label}`;
  }
  return label === 'spec.host' || POD_FIELDS.includes(label)
    ? undefined
    : `field label not supported: ${label}`;
}

/** `metadata.labels['key']` in its two parts. */
function subscript(label: string): { path: string; key: string } | undefined {
  if (!label.endsWith("']")) return undefined;
  const start = label.indexOf("['");
  if (start <= 0 || start + 2 > label.length - 2) return undefined;
  return { path: label.slice(0, start), key: label.slice(start + 2, -2) };
}

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** `ResourceFieldSelector`; in a volume it must name its container. */
export function validateResourceFieldRef(reference: JsonObject, path: string, volume: boolean): Errors {
  const resource = stringAt(reference, 'resource');
  return [
    ...validateResourceField(reference, resource, path, volume),
    ...validateDivisor(resource, stringAt(reference, 'divisor'), `${path}.divisor`),
  ];
}

function validateResourceField(
  reference: JsonObject,
  resource: string,
  path: string,
  volume: boolean,
): Errors {
  if (volume && stringAt(reference, 'containerName') === '') return required(false, `${path}.containerName`);
  if (resource === '') return required(false, `${path}.resource`);
  if (isHugePages(resource)) return NONE;
  return oneOf(resource, `${path}.resource`, RESOURCE_FIELDS);
}

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-');
}

const BYTES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];
const BYTES_TEXT =
  "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the";

function validateDivisor(resource: string, divisor: string, path: string): Errors {
  if (divisor === '' || compareQuantity(divisor, '0') === 0) return NONE;
  const kind = resource.replace(/^(limits|requests)\./, '');
  if (kind === 'cpu') {
    const detail = "only divisor's values 1m and 1 are supported with the cpu resource";
    return invalid(!['1m', '1'].includes(divisor), path, resource, detail);
  }
  const names: Readonly<Record<string, string>> = {
    memory: 'memory',
    'ephemeral-storage': 'local ephemeral storage',
  };
  const name = isHugePages(resource) ? 'hugepages' : names[kind];
  if (name === undefined) return NONE;
  return invalid(!BYTES.includes(divisor), path, resource, `${BYTES_TEXT} ${name} resource`);
}

/** `ConfigMapKeySelector` and `SecretKeySelector`. */
function validateKeyRef(reference: JsonObject, path: string): Errors {
  const [name, key] = [stringAt(reference, 'name'), stringAt(reference, 'key')];
  return [
    ...invalidFor(`${path}.name`, name, nameIsDnsSubdomain(name, false)),
    ...required(key !== '', `${path}.key`),
    ...(key === '' ? NONE : invalidFor(`${path}.key`, key, isConfigMapKey(key))),
  ];
}

function validateFileKeyRef(reference: JsonObject, path: string): Errors {
  const set = (key: string, check: (value: string, at: string) => Errors): Errors => {
    const value = stringAt(reference, key);
    return value === '' ? required(false, `${path}.${key}`) : check(value, `${path}.${key}`);
  };
  return [
    ...set('key', (value, at) => invalidFor(at, value, isRelaxedEnvVarName(value))),
    ...set('volumeName', dnsLabel),
    ...set('path', noBacksteps),
  ];
}

/** `containers[].envFrom`. The count of sources is reported at the list itself, as the server does. */
export function validateEnvFrom(container: JsonObject, path: string): Errors {
  const list = `${path}.envFrom`;
  return each(objectsAt(container, 'envFrom'), list, (source, at) => {
    const prefix = stringAt(source, 'prefix');
    const sources = ['configMapRef', 'secretRef'].filter((key) => has(source, key));
    return [
      ...(prefix === '' ? NONE : invalidFor(`${at}.prefix`, prefix, isRelaxedEnvVarName(prefix))),
      ...sources.flatMap((key) => validateSourceName(maybeObject(source, key) ?? {}, `${at}.${key}.name`)),
      ...invalid(sources.length === 0, list, '', 'must specify one of: `configMapRef` or `secretRef`'),
      ...invalid(sources.length > 1, list, '', 'may not have more than one field specified at a time'),
    ];
  });
}

function validateSourceName(reference: JsonObject, path: string): Errors {
  const name = stringAt(reference, 'name');
  return name === '' ? required(false, path) : invalidFor(path, name, nameIsDnsSubdomain(name, true));
}
