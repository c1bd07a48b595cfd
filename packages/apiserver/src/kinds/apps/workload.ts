import type { corev1, JsonObject, KubeObject, metav1 } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { ScaleMapping } from '../../model/resource-definition.ts';
import { defaultTemplate } from '../../pods/default-pod.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import type { Field } from '../../validation/field.ts';
import { specField, statusField } from '../../validation/spec-errors.ts';
import { formatSelector } from '../../objects/format-selector.ts';
import { bodyOf, type KeyOf, objectAt } from '../../objects/read.ts';
import { generationOf } from '../../model/status-strategy.ts';
import { type Change, changeObject, inStruct, withField } from '../../objects/change-object.ts';
import { nameOf } from '../../objects/name-of.ts';

/** What the workloads of `apps` have in common. */

type Templated = { readonly template?: corev1.PodTemplateSpec };

export function changeSpec(object: KubeObject, change: Change): KubeObject {
  return changeObject(object, inStruct('spec', change));
}

/** Fills `spec.template` as every workload does. */
export const templateDefaults: Change = inStruct<Templated>('template', defaultTemplate);

/** Warnings about a template, sent when it is new or the generation has moved. */
export function templateWarnings(object: KubeObject, old?: KubeObject): readonly string[] {
  if (old !== undefined && generationOf(old) === generationOf(object)) return [];
  const template = specField<Templated>(object).at('template');
  return podWarnings(template.object, template.path);
}

/** Warnings of kinds whose pods are named after them. */
export function nameWarnings(object: KubeObject): readonly string[] {
  const messages = isDns1123Label(nameOf(object));
  if (messages.length === 0) return [];
  const advice =
    'this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  return [`metadata.name: ${advice}: [${messages.join(' ')}]`];
}

type Scaled = { readonly replicas?: number; readonly selector?: metav1.LabelSelector };

export const scale: ScaleMapping = {
  specReplicas: (object) => specField<Scaled>(object).number('replicas'),
  statusReplicas: (object) => statusField<Scaled>(object).number('replicas'),
  selector: (object) => formatSelector(specField<Scaled>(object).maybeAt('selector')?.object),
  withReplicas: (object, replicas) => changeSpec(object, (spec) => withField(spec, 'replicas', replicas)),
};

/** Each of `keys` is at most `total`; `detail` says so in the server's words. */
export function atMost<T>(
  status: Field<T>,
  keys: readonly KeyOf<T, number>[],
  total: KeyOf<T, number>,
  detail: string,
): void {
  for (const key of keys) {
    const value = status.number(key);
    if (value > status.number(total)) status.at(key).addInvalid(detail, { value });
  }
}

/** The number under `key` only grows. */
export function notFewer<T>(status: Field<T>, old: Field<T>, key: KeyOf<T, number>): void {
  const [now, before] = [status.maybeNumber(key), old.maybeNumber(key)];
  if (before !== undefined && (now === undefined || now < before))
    status.at(key).addInvalid('cannot be decremented', { value: now ?? 0 });
}

/** True where annotations differ; nothing equals an empty map. */
export function annotationsChanged(object: KubeObject, old: KubeObject): boolean {
  const annotations = (value: KubeObject): JsonObject =>
    objectAt(objectAt(bodyOf(value), 'metadata'), 'annotations');
  return !jsonEqual(annotations(object), annotations(old));
}
