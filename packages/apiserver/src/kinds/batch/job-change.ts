import { type Json, type JsonObject, type KubeObject, jsonEqual } from '@kubewright/kube';
import { type Errors, immutable, invalid } from '../../validation/errors.ts';
import {
  has,
  isTrue,
  maybeObject,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  valueAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { withField } from '../../objects/change-object.ts';

/** What never changes, and what it is in Go. */
const FIXED = [
  ['completionMode', '?s'],
  ['podFailurePolicy', '?batch.PodFailurePolicy'],
  ['backoffLimitPerIndex', '?i'],
  ['managedBy', '?s'],
  ['successPolicy', '?batch.SuccessPolicy'],
] as const;

/** `ValidateJobSpecUpdate`: what of a Job's spec may change. */
export function validateJobChange(object: KubeObject, before: KubeObject): Errors {
  const [spec, old] = [specOf(object), specOf(before)];
  const same = (key: string, form: string): Errors =>
    showing(form, immutable(valueAt(spec, key), valueAt(old, key), `spec.${key}`));
  return [
    ...(stringAt(spec, 'completionMode') === 'Indexed'
      ? validateLength(spec, old)
      : same('completions', '?i')),
    ...same('selector', '?meta.LabelSelector'),
    ...validateTemplateChange(spec, old, mayChangeTemplate(before)),
    ...FIXED.flatMap(([key, form]) => same(key, form)),
  ];
}

/** An indexed Job may be made longer or shorter, as long as all its pods can run at once. */
function validateLength(spec: JsonObject, old: JsonObject): Errors {
  const completions = valueAt(spec, 'completions');
  const isKept = jsonEqual(completions, valueAt(old, 'completions'));
  const wrong = !isKept && completions !== null && completions !== numberAt(spec, 'parallelism');
  const detail = 'can only be modified in tandem with spec.parallelism';
  return invalid(wrong, 'spec.completions', completions, detail);
}

/** The template of a suspended Job whose pods are all gone may be fitted to where they will run. */
function mayChangeTemplate(job: KubeObject): boolean {
  const status = statusOf(job);
  const isAsleep = objectsAt(status, 'conditions').some(
    (condition) => stringAt(condition, 'type') === 'Suspended' && stringAt(condition, 'status') === 'True',
  );
  const rests = !has(status, 'startTime') || isAsleep;
  return isTrue(specOf(job), 'suspend') && rests && numberAt(status, 'active') === 0;
}

function validateTemplateChange(spec: JsonObject, old: JsonObject, mayChange: boolean): Errors {
  const [template, before] = [objectAt(spec, 'template'), objectAt(old, 'template')];
  if (!mayChange) return showing('core.PodTemplateSpec', immutable(template, before, 'spec.template'));
  const pod = objectAt(template, 'spec');
  const allowed = withResources(pod, withPlacement(pod, objectAt(before, 'spec')));
  return showing('core.PodSpec', immutable(pod, allowed, 'spec.template.spec'));
}

/** `old` with the fields of `pod` that say where it may run. */
function withPlacement(pod: JsonObject, old: JsonObject): JsonObject {
  const take = (value: JsonObject, key: string): JsonObject => withField(value, key, present(pod, key));
  const placed = ['nodeSelector', 'tolerations', 'schedulingGates'].reduce(take, old);
  return withField(placed, 'affinity', affinity(maybeObject(pod, 'affinity'), maybeObject(old, 'affinity')));
}

/** Node affinity may change, affinity to pods may not. */
function affinity(wanted: JsonObject | undefined, old: JsonObject | undefined): Json | undefined {
  if (wanted === undefined && old === undefined) return undefined;
  const changed = withField(old ?? {}, 'nodeAffinity', present(wanted ?? {}, 'nodeAffinity'));
  return wanted === undefined && Object.keys(changed).length === 0 ? undefined : changed;
}

function withResources(pod: JsonObject, old: JsonObject): JsonObject {
  return ['containers', 'initContainers'].reduce((value, key) => {
    const [wanted, before] = [objectsAt(pod, key), objectsAt(old, key)];
    if (wanted.length !== before.length || wanted.length === 0) return value;
    const items = before.map((container, index) => {
      const other = wanted[index] ?? NO_CONTAINER;
      if (stringAt(container, 'name') !== stringAt(other, 'name')) return container;
      return withField(container, 'resources', present(other, 'resources'));
    });
    return withField(value, key, items);
  }, old);
}

const NO_CONTAINER: JsonObject = {};

function present(object: JsonObject, key: string): Json | undefined {
  return has(object, key) ? valueAt(object, key) : undefined;
}
