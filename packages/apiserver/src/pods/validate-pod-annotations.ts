import { type JsonObject, parseJson } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, forbidden, invalid, invalidFor, NONE } from '../validation/errors.ts';
import { localDescendingPath } from '../validation/formats.ts';
import { entriesAt, has, maybeObject, maybeString, objectAt, stringAt } from '../objects/read.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { visitContainers } from './visit-containers.ts';

const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
const APPARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const MIRROR = 'kubernetes.io/config.mirror';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

/** Annotations that mean something to pods. `path` is that of the annotations. */
export function validatePodAnnotations(
  metadata: JsonObject,
  spec: JsonObject,
  path: string,
  options: { readonly anyDeletionCost: boolean },
): Errors {
  const annotations = objectAt(metadata, 'annotations');
  return [
    ...invalid(
      has(annotations, MIRROR) && stringAt(spec, 'nodeName') === '',
      `${path}[${MIRROR}]`,
      stringAt(annotations, MIRROR),
      'must set spec.nodeName if mirror pod annotation is set',
    ),
    ...validateTolerationAnnotation(stringAt(annotations, TOLERATIONS), path),
    ...(options.anyDeletionCost ? NONE : validateDeletionCost(annotations, `${path}[${DELETION_COST}]`)),
    ...validateSeccompAnnotations(metadata, path),
    ...validateAppArmorAnnotations(metadata, spec, path),
  ];
}

function validateTolerationAnnotation(text: string, path: string): Errors {
  if (text === '') return NONE;
  const parsed = parseList(text);
  if (parsed === undefined) return invalidFor(path, TOLERATIONS, ['invalid JSON']);
  return validateTolerations(parsed, `${path}.${TOLERATIONS}`);
}

function parseList(text: string): readonly JsonObject[] | undefined {
  try {
    const value = parseJson(text);
    return Array.isArray(value) ? (value as readonly JsonObject[]) : undefined;
  } catch {
    return undefined;
  }
}

function validateDeletionCost(annotations: JsonObject, path: string): Errors {
  const cost = maybeString(annotations, DELETION_COST);
  return invalid(cost !== undefined && !isDeletionCost(cost), path, cost ?? null, 'must be a 32bit integer');
}

/** An int32 written plainly: no sign `+`, no leading zeros. */
function isDeletionCost(text: string): boolean {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return false;
  const value = Number(text);
  return value >= -2_147_483_648 && value <= 2_147_483_647;
}

/** True where a stored object's deletion cost is already invalid, so that an update may keep it. */
export function hasInvalidDeletionCost(metadata: JsonObject): boolean {
  return validateDeletionCost(objectAt(metadata, 'annotations'), '').length > 0;
}

function validateSeccompAnnotations(metadata: JsonObject, path: string): Errors {
  const entries = entriesAt(metadata, 'annotations');
  const check = ([key, profile]: readonly [string, string]): Errors =>
    validateProfile(profile, `${path}.${key}`);
  return [
    ...entries.filter(([key]) => key === SECCOMP_POD).flatMap(check),
    ...entries.filter(([key]) => key.startsWith(SECCOMP_CONTAINER)).flatMap(check),
  ];
}

function validateProfile(profile: string, path: string): Errors {
  if (['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return NONE;
  if (profile.startsWith('localhost/')) return localDescendingPath(profile.slice('localhost/'.length), path);
  return invalidFor(path, profile, ['must be a valid seccomp profile']);
}

function validateAppArmorAnnotations(metadata: JsonObject, spec: JsonObject, path: string): Errors {
  const names = new Set(visitContainers(spec, 'spec', (container) => [stringAt(container, 'name')]));
  return entriesAt(metadata, 'annotations')
    .filter(([key]) => key.startsWith(APPARMOR))
    .flatMap(([key, profile]) => {
      const name = key.slice(APPARMOR.length);
      const at = `${path}[${key}]`;
      const known =
        ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith('localhost/');
      return [
        ...invalid(!names.has(name), at, name, 'container not found'),
        ...invalid(!known, at, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`),
      ];
    });
}

/** Where a profile is set both as an annotation and as a field, both must agree. */
export function validateProfilesMatch(metadata: JsonObject, spec: JsonObject, path: string): Errors {
  const annotations = objectAt(metadata, 'annotations');
  const podContext = objectAt(spec, 'securityContext');
  return [
    ...matches(
      'seccomp',
      maybeObject(podContext, 'seccompProfile'),
      maybeString(annotations, SECCOMP_POD),
      path,
    ),
    ...visitContainers(spec, path, (container, at) =>
      matches(
        'seccomp',
        maybeObject(objectAt(container, 'securityContext'), 'seccompProfile'),
        maybeString(annotations, SECCOMP_CONTAINER + stringAt(container, 'name')),
        at,
      ),
    ),
    ...(stringAt(objectAt(spec, 'os'), 'name') === 'windows' ? NONE : matchAppArmor(annotations, spec, path)),
  ];
}

function matchAppArmor(annotations: JsonObject, spec: JsonObject, path: string): Errors {
  const ofPod = maybeObject(objectAt(spec, 'securityContext'), 'appArmorProfile');
  return visitContainers(spec, path, (container, at) => {
    const own = maybeObject(objectAt(container, 'securityContext'), 'appArmorProfile');
    return matches(
      'apparmor',
      own ?? ofPod,
      maybeString(annotations, APPARMOR + stringAt(container, 'name')),
      at,
    );
  });
}

function matches(
  what: 'seccomp' | 'apparmor',
  profile: JsonObject | undefined,
  annotation: string | undefined,
  path: string,
): Errors {
  if (profile === undefined || annotation === undefined) return NONE;
  const at = `${path}.securityContext.${what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile'}`;
  const type = stringAt(profile, 'type');
  const plain: Readonly<Record<string, readonly string[]>> = {
    Unconfined: ['unconfined'],
    RuntimeDefault: what === 'seccomp' ? ['runtime/default', 'docker/default'] : ['runtime/default'],
  };
  const typeDiffers = `${what} type in annotation and field must match`;
  const expected = plain[type];
  if (expected !== undefined) return forbidden(!expected.includes(annotation), `${at}.type`, typeDiffers);
  if (type !== 'Localhost') return NONE;
  if (!annotation.startsWith('localhost/')) return forbidden(true, `${at}.type`, typeDiffers);
  const same = maybeString(profile, 'localhostProfile') === annotation.slice('localhost/'.length);
  return same
    ? NONE
    : [fieldErrors.forbidden(`${at}.localhostProfile`, `${what} profile in annotation and field must match`)];
}
