import type { JsonObject, KubeObject } from '@kubewright/kube';
import { getOwn, jsonEqual } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { ScaleMapping, Strategy } from '../../model/resource-definition.ts';
import { defaultTemplate } from '../../pods/default-pod.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { type Errors, immutable, invalid, nonNegative } from '../../validation/errors.ts';
import { formatSelector } from '../../objects/format-selector.ts';
import {
  bodyOf,
  maybeNumber,
  maybeObject,
  numberAt,
  objectAt,
  specOf,
  statusOf,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import {
  changed,
  clearStatus,
  generationOf,
  keepOld,
  STATUS_RESET,
  withGeneration,
} from '../../model/status-strategy.ts';
import { type Change, changeObject, orDefaultPointer, withField } from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

/** What the workloads of `apps` have in common. */

export function changeSpec(object: KubeObject, change: Change): KubeObject {
  return changeObject(object, (body) => withField(body, 'spec', change(objectAt(body, 'spec'))));
}

/** Fills `spec.template` as every workload does. */
export const templateDefaults: Change = (spec) =>
  withField(spec, 'template', defaultTemplate(objectAt(spec, 'template')));

export const oneReplica: Change = (spec) => orDefaultPointer(spec, 'replicas', 1);

/** A spec write: the status stays, the generation counts changes of the spec. */
export const specStrategy: Strategy = specStrategyOf({});

/** `status` is what Go writes of a status that is empty. */
export function specStrategyOf(status: JsonObject): Strategy {
  return {
    prepareForCreate: (object) => withGeneration(clearStatus(status)(object), 1),
    prepareForUpdate: (object, old) => {
      const kept = keepOld(object, old, 'status');
      return changed(kept, old, 'spec') ? withGeneration(kept, generationOf(old) + 1) : kept;
    },
    resetFields: STATUS_RESET,
  };
}

/** Warnings about a template, sent when it is new or the generation has moved. */
export function templateWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  if (old !== undefined && generationOf(old) === generationOf(object)) return [];
  return podWarnings(objectAt(specOf(object), 'template'), 'spec.template');
}

/** Warnings of kinds whose pods are named after them. */
export function nameWarnings(object: KubeObject): readonly string[] {
  const messages = isDns1123Label(nameOf(object));
  if (messages.length === 0) return [];
  const advice =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`];
}

export const scale: ScaleMapping = {
  specReplicas: (object) => numberAt(specOf(object), 'replicas'),
  statusReplicas: (object) => numberAt(statusOf(object), 'replicas'),
  selector: (object) => formatSelector(maybeObject(specOf(object), 'selector')),
  withReplicas: (object, replicas) => changeSpec(object, (spec) => withField(spec, 'replicas', replicas)),
};

/** None of `keys` of a status is negative. */
export function nonNegativeCounts(status: JsonObject, ...keys: readonly string[]): Errors {
  return keys.flatMap((key) => nonNegative(status, key, 'status'));
}

/** Each of `keys` is at most `status[total]`; `detail` says so in the server's words. */
export function atMost(status: JsonObject, keys: readonly string[], total: string, detail: string): Errors {
  return keys.flatMap((key) => {
    const value = numberAt(status, key);
    return invalid(value > numberAt(status, total), `status.${key}`, value, detail);
  });
}

/** `collisionCount` only grows. */
export function collisionsNotFewer(object: KubeObject, old: KubeObject): Errors {
  const [now, before] = [
    maybeNumber(statusOf(object), 'collisionCount'),
    maybeNumber(statusOf(old), 'collisionCount'),
  ];
  const fewer = before !== undefined && (now === undefined || now < before);
  return invalid(fewer, 'status.collisionCount', now ?? 0, 'cannot be decremented');
}

export function selectorImmutable(object: KubeObject, old: KubeObject): Errors {
  const [now, before] = [getOwn(specOf(object), 'selector') ?? null, getOwn(specOf(old), 'selector') ?? null];
  return showing('?meta.LabelSelector', immutable(now, before, 'spec.selector'));
}

/** True where annotations differ; nothing equals an empty map. */
export function annotationsChanged(object: KubeObject, old: KubeObject): boolean {
  const annotations = (value: KubeObject): JsonObject =>
    objectAt(objectAt(bodyOf(value), 'metadata'), 'annotations');
  return !jsonEqual(annotations(object), annotations(old));
}
