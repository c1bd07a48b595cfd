import { type JsonObject, type KubeObject, getOwn, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, forbidden, invalid, NONE } from '../../validation/errors.ts';
import {
  entriesAt,
  has,
  maybeNumber,
  maybeObject,
  metadataOf,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  stringAt,
} from '../../objects/read.ts';
import { shownDiff } from '../../validation/shown-diff.ts';
import { validateGatedPlacement } from './validate-gated-placement.ts';
import { type Change, withField } from '../../objects/change-object.ts';

/** What may change of a pod that is there: images, tolerations added, gates taken away, a shorter deadline. */
export function validatePodChange(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  const annotations = validateAnnotationChange(metadataOf(object), metadataOf(old));
  for (const list of ['containers', 'initContainers']) {
    if (objectsAt(spec, list).length === objectsAt(before, list).length) continue;
    return [
      ...annotations,
      fieldErrors.forbidden(`spec.${list}`, 'pod updates may not add or remove containers'),
    ];
  }
  return [
    ...annotations,
    ...validateDeadline(spec, before),
    ...validateTolerations(spec, before),
    ...validateGates(spec, before),
    ...validateGatedPlacement(spec, before),
    ...validateRest(spec, before),
  ];
}

const PINNED: readonly (readonly [(key: string) => boolean, string])[] = [
  [(key) => key.startsWith('container.apparmor.security.beta.kubernetes.io/'), 'AppArmor annotations'],
  [(key) => key === 'kubernetes.io/config.mirror', 'mirror pod annotation'],
];

function validateAnnotationChange(metadata: JsonObject, old: JsonObject): Errors {
  const [now, before] = [objectAt(metadata, 'annotations'), objectAt(old, 'annotations')];
  const check = (key: string, verb: string): Errors =>
    PINNED.filter(([test]) => test(key)).map(([, what]) =>
      fieldErrors.forbidden(`metadata.annotations[${key}]`, `may not ${verb} ${what}`),
    );
  return [
    ...entriesAt(old, 'annotations').flatMap(([key, value]) =>
      getOwn(now, key) === value ? NONE : check(key, 'remove or update'),
    ),
    ...entriesAt(metadata, 'annotations').flatMap(([key]) => (has(before, key) ? NONE : check(key, 'add'))),
  ];
}

function validateDeadline(spec: JsonObject, old: JsonObject): Errors {
  const [now, before] = [
    maybeNumber(spec, 'activeDeadlineSeconds'),
    maybeNumber(old, 'activeDeadlineSeconds'),
  ];
  const path = 'spec.activeDeadlineSeconds';
  if (now === undefined) {
    return invalid(before !== undefined, path, null, 'must not update from a positive integer to nil value');
  }
  return invalid(
    before !== undefined && before < now,
    path,
    now,
    'must be less than or equal to previous value',
  );
}

function validateTolerations(spec: JsonObject, old: JsonObject): Errors {
  const bare: Change = (toleration) => withField(toleration, 'tolerationSeconds', undefined);
  const now = objectsAt(spec, 'tolerations').map(bare);
  const kept = objectsAt(old, 'tolerations').every((toleration) =>
    now.some((other) => jsonEqual(other, bare(toleration))),
  );
  return forbidden(
    !kept,
    'spec.tolerations',
    'existing toleration can not be modified except its tolerationSeconds',
  );
}

function validateGates(spec: JsonObject, old: JsonObject): Errors {
  const before = new Set(objectsAt(old, 'schedulingGates').map((gate) => stringAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = stringAt(gate, 'name');
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return forbidden(!before.has(name), `spec.schedulingGates[${index}].name`, detail);
  });
}

const CHANGEABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,' +
  '`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function validateRest(spec: JsonObject, old: JsonObject): Errors {
  const gated = objectsAt(old, 'schedulingGates').length > 0;
  const now = held(gated ? withPlacementOf(old, spec) : spec, old);
  if (jsonEqual(now, old)) return NONE;
  const detail = `pod updates may not change fields other than ${CHANGEABLE}\n`;
  return [fieldErrors.forbidden('spec', detail + shownDiff('core.PodSpec', old, now))];
}

/** `spec` with what may change, or is checked apart, as it was. */
function held(spec: JsonObject, old: JsonObject): JsonObject {
  const images = ['containers', 'initContainers'].reduce((now, list) => {
    const before = objectsAt(old, list);
    const items = objectsAt(now, list).map((container, index) =>
      withField(container, 'image', getOwn(before[index] ?? {}, 'image')),
    );
    return items.length === 0 ? now : withField(now, list, items);
  }, spec);
  const period = 'terminationGracePeriodSeconds';
  const shortened = numberAt(old, period) < 0 && numberAt(spec, period) === 1 ? [period] : [];
  return ['activeDeadlineSeconds', 'tolerations', 'schedulingGates', ...shortened].reduce(
    (now, key) => withField(now, key, getOwn(old, key)),
    images,
  );
}

/** Where a gated pod may go can still be narrowed. */
function withPlacementOf(old: JsonObject, spec: JsonObject): JsonObject {
  const placed = withField(spec, 'nodeSelector', getOwn(old, 'nodeSelector'));
  const [now, before] = [maybeObject(spec, 'affinity'), maybeObject(old, 'affinity')];
  if (now === undefined && before === undefined) return placed;
  const affinity = withField(now ?? {}, 'nodeAffinity', getOwn(before ?? {}, 'nodeAffinity'));
  const none = Object.keys(affinity).length === 0 && (now === undefined || before === undefined);
  return withField(placed, 'affinity', none ? undefined : affinity);
}
