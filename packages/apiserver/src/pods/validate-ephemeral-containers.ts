import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, each, forbidden, invalid, NONE } from '../validation/errors.ts';
import { has, objectsAt, stringAt } from '../objects/read.ts';
import { type ContainerContext, validateContainer } from './validate-containers.ts';

const NOT_SETTABLE = 'cannot be set for an Ephemeral Container';
const NOT_ALLOWED = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
];

/** `spec.ephemeralContainers`: for looking into a running pod, so nothing may be relied upon. */
export function validateEphemeralContainers(
  spec: JsonObject,
  path: string,
  context: ContainerContext,
): Errors {
  const others = [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  const targets = new Set(others.map((container) => stringAt(container, 'name')));
  const names = new Set(targets);
  return each(objectsAt(spec, 'ephemeralContainers'), `${path}.ephemeralContainers`, (container, at) => {
    const [name, target] = [stringAt(container, 'name'), stringAt(container, 'targetContainerName')];
    const again = names.has(name) ? [fieldErrors.duplicate(`${at}.name`, name)] : NONE;
    names.add(name);
    return [
      ...validateContainer(container, at, context),
      ...validateImageSpacing(container, at),
      ...again,
      ...(target !== '' && !targets.has(target)
        ? [fieldErrors.notFound(`${at}.targetContainerName`, target)]
        : NONE),
      ...NOT_ALLOWED.flatMap((key) => forbidden(isSet(container, key), `${at}.${key}`, NOT_SETTABLE)),
      ...validateMounts(container, at),
    ];
  });
}

function isSet(container: JsonObject, key: string): boolean {
  const value = container[key];
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return has(container, key);
}

function validateMounts(container: JsonObject, path: string): Errors {
  return each(objectsAt(container, 'volumeMounts'), `${path}.volumeMounts`, (mount, at) => [
    ...forbidden(stringAt(mount, 'subPath') !== '', `${at}.subPath`, NOT_SETTABLE),
    ...forbidden(stringAt(mount, 'subPathExpr') !== '', `${at}.subPathExpr`, NOT_SETTABLE),
  ]);
}

/** A pod's image is used as it is written; a template's is not looked at this closely. */
export function validateImageSpacing(container: JsonObject, path: string): Errors {
  const image = stringAt(container, 'image');
  return invalid(
    image.trim() !== image,
    `${path}.image`,
    image,
    'must not have leading or trailing whitespace',
  );
}
