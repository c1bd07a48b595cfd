import {
  type batchv1,
  type corev1,
  type Json,
  type JsonObject,
  jsonEqual,
  type KubeObject,
} from '@kubewright/kube';
import type { Errors } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specField, statusField } from '../../validation/spec-errors.ts';
import { type KeyOf, objectsAt, stringAt } from '../../objects/read.ts';
import { withField } from '../../objects/change-object.ts';

type Spec = Field<batchv1.JobSpec>;
type Pod = Field<corev1.PodSpec>;

/** `ValidateJobSpecUpdate`: what of a Job's spec may change. */
export function validateJobChange(object: KubeObject, before: KubeObject): Errors {
  const [spec, old]: [Spec, Spec] = [specField(object), specField(before)];
  if (spec.is('completionMode', 'Indexed')) validateLength(spec, old);
  else spec.immutable(old, 'completions', '?i');
  spec.immutable(old, 'selector', '?meta.LabelSelector');
  if (mayChangeTemplate(old, statusField(before))) validateTemplateChange(spec, old);
  else spec.immutable(old, 'template', 'core.PodTemplateSpec');
  spec.immutable(old, 'completionMode', '?s');
  spec.immutable(old, 'podFailurePolicy', '?batch.PodFailurePolicy');
  spec.immutable(old, 'backoffLimitPerIndex', '?i');
  spec.immutable(old, 'managedBy', '?s');
  spec.immutable(old, 'successPolicy', '?batch.SuccessPolicy');
  return spec.errors;
}

/** An indexed Job may be made longer or shorter, as long as all its pods can run at once. */
function validateLength(spec: Spec, old: Spec): void {
  const { value } = spec.at('completions');
  if (value === null || jsonEqual(value, old.at('completions').value)) return;
  if (value !== spec.number('parallelism'))
    spec.at('completions').addInvalid('can only be modified in tandem with spec.parallelism');
}

/** The template of a suspended Job whose pods are all gone may be fitted to where they will run. */
function mayChangeTemplate(spec: Spec, status: Field<batchv1.JobStatus>): boolean {
  const isAsleep = status
    .items('conditions')
    .some((condition) => condition.is('type', 'Suspended') && condition.is('status', 'True'));
  const rests = !status.has('startTime') || isAsleep;
  return spec.isTrue('suspend') && rests && status.number('active') === 0;
}

function validateTemplateChange(spec: Spec, old: Spec): void {
  const [pod, before] = [spec.at('template').at('spec'), old.at('template').at('spec')];
  const allowed = withResources(pod, withPlacement(pod, before));
  if (!jsonEqual(pod.object, allowed)) pod.addInvalid('field is immutable', { as: 'core.PodSpec' });
}

/** `old` with the fields of `pod` that say where it may run. */
function withPlacement(pod: Pod, old: Pod): JsonObject {
  const placed = (['nodeSelector', 'tolerations', 'schedulingGates'] as const).reduce(
    (value, key) => withField(value, key, present(pod, key)),
    old.object,
  );
  return withField(placed, 'affinity', affinity(pod.maybeAt('affinity'), old.maybeAt('affinity')));
}

type Affinity = Field<corev1.Affinity>;

/** Node affinity may change, affinity to pods may not. */
function affinity(wanted: Affinity | undefined, old: Affinity | undefined): Json | undefined {
  if (wanted === undefined && old === undefined) return undefined;
  const node = wanted && present(wanted, 'nodeAffinity');
  const changed = withField(old?.object ?? {}, 'nodeAffinity', node);
  return wanted === undefined && Object.keys(changed).length === 0 ? undefined : changed;
}

function withResources(pod: Pod, old: JsonObject): JsonObject {
  return (['containers', 'initContainers'] as const).reduce((value, key) => {
    const [wanted, before] = [pod.items(key), objectsAt(old, key)];
    if (wanted.length !== before.length || wanted.length === 0) return value;
    const items = before.map((container, index) => {
      const other = wanted[index];
      if (other === undefined || stringAt(container, 'name') !== other.text('name')) return container;
      return withField(container, 'resources', present(other, 'resources'));
    });
    return withField(value, key, items);
  }, old);
}

function present<T>(field: Field<T>, key: KeyOf<T>): Json | undefined {
  return field.at(key).value ?? undefined;
}
