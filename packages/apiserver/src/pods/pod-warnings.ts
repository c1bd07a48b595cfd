import type { JsonObject } from '@kubewright/kube';
import { isWhole } from '../validation/quantities.ts';
import {
  has,
  maybeNumber,
  maybeObject,
  maybeString,
  objectAt,
  objectsAt,
  stringAt,
  stringsAt,
} from '../objects/read.ts';
import { ipWarnings } from '../validation/ip-warnings.ts';
import { affinityWarnings, deprecatedLabelWarnings } from './deprecated-label-warnings.ts';
import { pathOverlapWarnings } from './path-overlap-warnings.ts';
import { portWarnings } from './port-warnings.ts';
import { visitContainers } from './visit-containers.ts';

/** `GetWarningsForPodTemplate` and, with an empty `path`, `GetWarningsForPod`: in the server's order. */
export function podWarnings(template: JsonObject, path: string): readonly string[] {
  const metadata = objectAt(template, 'metadata');
  const spec = objectAt(template, 'spec');
  const prefix = path === '' ? '' : `${path}.`;
  const at = `${prefix}spec`;
  return [
    ...deprecatedLabelWarnings(spec, at),
    ...annotationWarnings(metadata, `${prefix}metadata.annotations`),
    ...volumeWarnings(spec, at),
    ...pathOverlapWarnings(spec),
    ...duplicateWarnings(spec, at),
    ...overheadWarnings(spec, at),
    ...seccompWarnings(metadata, spec, prefix),
    ...visitContainers(spec, at, (container, where) => containerWarnings(metadata, container, where, prefix)),
    ...portWarnings(spec, at),
    ...graceWarnings(spec, at),
    ...affinityWarnings(spec, at),
    ...addressWarnings(spec, at),
  ];
}

const DEPRECATED_ANNOTATIONS: readonly (readonly [string, string])[] = [
  [
    'scheduler.alpha.kubernetes.io/critical-pod',
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  ],
  ['security.alpha.kubernetes.io/sysctls', 'non-functional in v1.11+; use the "sysctls" field instead'],
  [
    'security.alpha.kubernetes.io/unsafe-sysctls',
    'non-functional in v1.11+; use the "sysctls" field instead',
  ],
];

function annotationWarnings(metadata: JsonObject, path: string): readonly string[] {
  const annotations = objectAt(metadata, 'annotations');
  return DEPRECATED_ANNOTATIONS.filter(([key]) => has(annotations, key)).map(
    ([key, message]) => `${path}[${key}]: ${message}`,
  );
}

const DEPRECATED_VOLUMES: readonly (readonly [string, string, string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function volumeWarnings(spec: JsonObject, path: string): readonly string[] {
  return objectsAt(spec, 'volumes').flatMap((volume, index) =>
    DEPRECATED_VOLUMES.filter(([key]) => has(volume, key)).map(
      ([, name, message]) => `${path}.volumes[${index}].${name}: ${message}`,
    ),
  );
}

function duplicateWarnings(spec: JsonObject, path: string): readonly string[] {
  const repeated = (list: string, key: string, text: string): readonly string[] => {
    const seen = new Set<string>();
    return objectsAt(spec, list).flatMap((item, index) => {
      const value = stringAt(item, key);
      const again = seen.has(value);
      seen.add(value);
      return again ? [`${path}.${list}[${index}].${key}: duplicate ${text} ${JSON.stringify(value)}`] : [];
    });
  };
  const nameless = objectsAt(spec, 'imagePullSecrets').flatMap((secret, index) =>
    stringAt(secret, 'name') === '' ? [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`] : [],
  );
  return [
    ...repeated('hostAliases', 'ip', 'ip'),
    ...repeated('imagePullSecrets', 'name', 'name'),
    ...nameless,
  ];
}

function overheadWarnings(spec: JsonObject, path: string): readonly string[] {
  return fractionWarnings(objectAt(spec, 'overhead'), `${path}.overhead`);
}

/** A fraction of a byte is a typing mistake, usually `m` for `M`. */
function fractionWarnings(amounts: JsonObject, path: string): readonly string[] {
  return ['memory', 'ephemeral-storage'].flatMap((name) => {
    const amount = maybeString(amounts, name);
    if (amount === undefined || isWhole(amount)) return [];
    return [
      `${path}[${name}]: fractional byte value ${JSON.stringify(amount)} is invalid, must be an integer`,
    ];
  });
}

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const USE_SECCOMP = 'non-functional in v1.27+; use the "seccompProfile" field instead';

function seccompWarnings(metadata: JsonObject, spec: JsonObject, prefix: string): readonly string[] {
  const set = has(objectAt(metadata, 'annotations'), SECCOMP_POD);
  if (!set || has(objectAt(spec, 'securityContext'), 'seccompProfile')) return [];
  return [`${prefix}metadata.annotations[${SECCOMP_POD}]: ${USE_SECCOMP}`];
}

function containerWarnings(
  metadata: JsonObject,
  container: JsonObject,
  path: string,
  prefix: string,
): readonly string[] {
  const resources = objectAt(container, 'resources');
  return [
    ...profileWarnings(metadata, container, prefix),
    ...['memory', 'ephemeral-storage'].flatMap((name) => [
      ...fractionWarnings(only(objectAt(resources, 'limits'), name), `${path}.resources.limits`),
      ...fractionWarnings(only(objectAt(resources, 'requests'), name), `${path}.resources.requests`),
    ]),
    ...environmentWarnings(container, `${path}.env`),
  ];
}

function only(amounts: JsonObject, name: string): JsonObject {
  return has(amounts, name) ? { [name]: amounts[name] ?? null } : {};
}

function profileWarnings(metadata: JsonObject, container: JsonObject, prefix: string): readonly string[] {
  const annotations = objectAt(metadata, 'annotations');
  const context = objectAt(container, 'securityContext');
  const name = stringAt(container, 'name');
  const warning = (key: string, text: string): string => `${prefix}metadata.annotations[${key}]: ${text}`;
  const seccomp = SECCOMP_CONTAINER + name;
  const apparmor = APPARMOR + name;
  const isTemplate = prefix !== '';
  return [
    ...(has(annotations, seccomp) && !has(context, 'seccompProfile') ? [warning(seccomp, USE_SECCOMP)] : []),
    ...(isTemplate && has(annotations, apparmor) && !has(context, 'appArmorProfile')
      ? [warning(apparmor, 'deprecated since v1.30; use the "appArmorProfile" field instead')]
      : []),
  ];
}

/** A variable defined twice hides the first definition, unless the second one uses it. */
function environmentWarnings(container: JsonObject, path: string): readonly string[] {
  const seen = new Set<string>();
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const [name, value] = [stringAt(variable, 'name'), stringAt(variable, 'value')];
    const again = seen.has(name);
    seen.add(name);
    if (!again) return [];
    const reference = `$(${name})`;
    const hides =
      maybeObject(variable, 'valueFrom') !== undefined || value === reference || !value.includes(reference);
    if (!hides) return [];
    const quoted = JSON.stringify(name);
    return [
      `${path}[${index}]: hides previous definition of ${quoted}, which may be dropped when using apply`,
    ];
  });
}

function graceWarnings(spec: JsonObject, path: string): readonly string[] {
  const grace = maybeNumber(spec, 'terminationGracePeriodSeconds');
  if (grace === undefined || grace >= 0) return [];
  const text = 'must be >= 0; negative values are invalid and will be treated as 1';
  return [`${path}.terminationGracePeriodSeconds: ${text}`];
}

function addressWarnings(spec: JsonObject, path: string): readonly string[] {
  return [
    ...stringsAt(objectAt(spec, 'dnsConfig'), 'nameservers').flatMap((address, index) =>
      ipWarnings(address, `${path}.dnsConfig.nameservers[${index}]`),
    ),
    ...objectsAt(spec, 'hostAliases').flatMap((alias, index) =>
      ipWarnings(stringAt(alias, 'ip'), `${path}.hostAliases[${index}].ip`),
    ),
  ];
}
