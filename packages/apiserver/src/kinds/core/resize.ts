import { type JsonObject, type KubeObject, getOwn, jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { type Errors, forbidden, invalid, NONE } from '../../validation/errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, metadataOf, objectAt, objectsAt, specOf, statusOf, stringAt } from '../../objects/read.ts';
import { withField } from '../../objects/change-object.ts';
import { validatePod } from './pod.ts';
import { MIRROR_POD, POD_SPEC_RESET, withPodSpec } from './with-pod-spec.ts';
import { qosClass } from '../../pods/qos-class.ts';

/** `PUT …/resize`: what containers may use of CPU and memory changes while they run. */
export const resize: Strategy = {
  prepareForUpdate: (object, old) => {
    const [spec, before] = [specOf(object), specOf(old)];
    if (LISTS.some((list) => objectsAt(spec, list).length !== objectsAt(before, list).length)) return object;
    const merged = LISTS.reduce((now, list) => {
      const containers = withResources(objectsAt(spec, list), objectsAt(before, list));
      return containers.length === 0 ? now : withField(now, list, [...containers]);
    }, before);
    return withPodSpec(object, old, merged);
  },
  validateUpdate: (object, old) => {
    if (has(objectAt(metadataOf(old), 'annotations'), MIRROR_POD))
      return [fieldErrors.forbidden('[]', 'static pods cannot be resized')];
    if (stringAt(objectAt(specOf(old), 'os'), 'name') === 'windows')
      return [fieldErrors.forbidden('[]', 'windows pods cannot be resized')];
    return [...validateObjectMetaUpdate(object, old), ...validatePod(object), ...validateResize(object, old)];
  },
  resetFields: POD_SPEC_RESET,
};

const LISTS = ['containers', 'initContainers'];

/** The old containers with what is new of their resources. One with another name is left for validation to find. */
function withResources(now: readonly JsonObject[], before: readonly JsonObject[]): readonly JsonObject[] {
  if (now.some((one, index) => stringAt(one, 'name') !== stringAt(before[index] ?? {}, 'name'))) return now;
  return now.map((one, index) => {
    const resized = withField(before[index] ?? {}, 'resources', getOwn(one, 'resources'));
    return withField(resized, 'resizePolicy', getOwn(one, 'resizePolicy'));
  });
}

function validateResize(object: KubeObject, old: KubeObject): Errors {
  const [spec, before] = [specOf(object), specOf(old)];
  const quality = stringAt(statusOf(object), 'qosClass');
  const general = [
    ...invalid(
      qosClass(spec) !== qosClass(before),
      'spec',
      quality,
      'Pod QOS Class may not change as a result of resizing',
    ),
    ...forbidden(!isSupported(old), 'spec', 'Pod running on node without support for resize'),
  ];
  const order = LISTS.flatMap((list) => validateOrder(list, objectsAt(spec, list), objectsAt(before, list)));
  if (order.length > 0) return [...general, ...order];
  const errors = [...general, ...validateKept(spec, before), ...validateMutable(spec, before)];
  if (errors.length > 0 || jsonEqual(masked(spec, before), before)) return errors;
  return [fieldErrors.forbidden('spec', ONLY)];
}

/** A node that reports `allocatedResources` can resize its containers. */
function isSupported(old: KubeObject): boolean {
  const running = objectsAt(statusOf(old), 'containerStatuses').find((one) =>
    has(objectAt(one, 'state'), 'running'),
  );
  return running === undefined || has(running, 'resources');
}

function validateOrder(list: string, now: readonly JsonObject[], before: readonly JsonObject[]): Errors {
  if (now.length !== before.length)
    return [fieldErrors.forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  return before.flatMap((one, index) =>
    forbidden(
      stringAt(one, 'name') !== stringAt(now[index] ?? {}, 'name'),
      `spec.${list}[${index}].name`,
      `${list} may not be renamed or reordered on resize`,
    ),
  );
}

/** Requests and limits that were set stay set, by whatever amount. */
function validateKept(spec: JsonObject, before: JsonObject): Errors {
  return ['initContainers', 'containers'].flatMap((list) =>
    objectsAt(before, list).flatMap((old, index) => {
      if (list === 'initContainers' && !isSidecar(old)) return NONE;
      const resources = objectAt(objectsAt(spec, list)[index] ?? {}, 'resources');
      return ['requests', 'limits'].flatMap((which) => {
        const names = Object.keys(objectAt(old, 'resources', which));
        return forbidden(
          names.some((name) => !has(objectAt(resources, which), name)),
          `spec.${list}[${index}].resources.${which}`,
          `resource ${which} cannot be removed`,
        );
      });
    }),
  );
}

const ONLY = 'only cpu and memory resources are mutable';

function validateMutable(spec: JsonObject, before: JsonObject): Errors {
  const others = masked(spec, before);
  const differs = (list: string, index: number): boolean =>
    !jsonEqual(objectsAt(others, list)[index] ?? {}, objectsAt(before, list)[index] ?? {});
  return [
    ...objectsAt(before, 'containers').flatMap((_, index) =>
      forbidden(differs('containers', index), 'spec', ONLY),
    ),
    ...objectsAt(before, 'initContainers').flatMap((old, index) => {
      if (!differs('initContainers', index)) return NONE;
      if (!isSidecar(old))
        return [fieldErrors.forbidden('spec', 'resources for non-sidecar init containers are immutable')];
      const only = 'only cpu and memory resources for init or sidecar containers are mutable';
      return [fieldErrors.forbidden(`spec.initContainers[${index}]`, only)];
    }),
  ];
}

function isSidecar(container: JsonObject): boolean {
  return stringAt(container, 'restartPolicy') === 'Always';
}

/** The spec with CPU and memory as they were: what else is different may not be. */
function masked(spec: JsonObject, before: JsonObject): JsonObject {
  return LISTS.reduce((now, list) => {
    const containers = objectsAt(now, list).map((one, index) => {
      const old = objectsAt(before, list)[index] ?? {};
      if (list === 'initContainers' && !isSidecar(old)) return one;
      const resources = ['requests', 'limits'].reduce(
        (all, which) => withAmounts(all, which, objectAt(old, 'resources', which)),
        objectAt(one, 'resources'),
      );
      const none = Object.keys(resources).length === 0 && !has(old, 'resources');
      return withField(one, 'resources', none ? undefined : resources);
    });
    return containers.length === 0 ? now : withField(now, list, containers);
  }, spec);
}

function withAmounts(resources: JsonObject, which: string, old: JsonObject): JsonObject {
  const amounts = ['cpu', 'memory'].reduce(
    (now, name) => withField(now, name, getOwn(old, name)),
    objectAt(resources, which),
  );
  return withField(resources, which, Object.keys(amounts).length === 0 ? undefined : amounts);
}
