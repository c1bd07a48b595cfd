import type { batchv1, corev1, JsonObject, KubeObject, metav1, ObjectMeta } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { changeSpec, nameWarnings } from '../apps/workload.ts';
import { isUsable, selects, validateMatches } from '../../pods/validate-template.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { type Errors, invalid, NONE, nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, specField } from '../../validation/spec-errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { entriesAt, metadataOf, objectAt } from '../../objects/read.ts';
import { generationOf, specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import {
  type Change,
  changeObject,
  inOrder,
  inStruct,
  withField,
  zeroDefaults,
} from '../../objects/change-object.ts';
import { validateJobChange } from './validate-job-change.ts';
import { defaultJobSpec, defaultJobTemplate, validateJobSpec } from './validate-job-spec.ts';
import { validateJobStatus } from './validate-job-status.ts';
import { nameOf } from '../../objects/name-of.ts';

type Spec = batchv1.JobSpec;
type Labels = Readonly<Record<string, string>>;

const ofSpec = specStrategy();
const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';

/** `batch/v1 Job`. It selects its pods by its own uid, unless `manualSelector` is set. */
export const job: Strategy = {
  ...ofSpec,
  default: (object) => labelled(changeSpec(object, inOrder(defaultJobTemplate, defaultJobSpec))),
  prepareForCreate: (object) => {
    const isManual = specField<Spec>(object).isTrue('manualSelector');
    const selecting = isManual ? object : withOwnLabels(object, withSelector(object));
    return labelled(ofSpec.prepareForCreate(selecting));
  },
  validateCreate: (object) => validate(object),
  validateUpdate: (object, old) => [
    ...validate(object, old),
    ...validateObjectMetaUpdate(object, old),
    ...validateJobChange(object, old),
  ],
  warnings: (object, old) => {
    if (old !== undefined && generationOf(old) === generationOf(object)) return [];
    const template = specField<Spec>(object).at('template');
    return [
      ...(old === undefined ? nameWarnings(object) : []),
      ...podWarnings(template.object, template.path),
    ];
  },
};

export const jobStatus: Strategy = statusStrategy(validateJobStatus);

function templateLabels(object: KubeObject): Field<Labels> {
  return specField<Spec>(object).at('template').at('metadata').at('labels');
}

function withLabels(object: KubeObject, labels: JsonObject): KubeObject {
  const metadata = withField(metadataOf(object), 'labels', labels);
  return changeObject(object, (body) => withField(body, 'metadata', metadata));
}

/** A Job without labels has those of its pods. */
function labelled(object: KubeObject): KubeObject {
  const labels = templateLabels(object);
  const own = entriesAt(metadataOf(object), 'labels');
  return !labels.isStruct || own.length > 0 ? object : withLabels(object, labels.object);
}

function withSelector(object: KubeObject): KubeObject {
  const { name = '', uid = '' } = object.metadata;
  const labels = { 'job-name': name, [NAME_LABEL]: name, 'controller-uid': uid, [UID_LABEL]: uid };
  const label: Change = (own) =>
    Object.entries(labels).reduce(
      (all, [key, value]) => (Object.hasOwn(all, key) ? all : withField(all, key, value)),
      own,
    );
  return changeSpec(
    object,
    inOrder(
      inStruct<Spec>(
        'template',
        inStruct<corev1.PodTemplateSpec>('metadata', inStruct<ObjectMeta>('labels', label)),
      ),
      inStruct<Spec>(
        'selector',
        inStruct<metav1.LabelSelector>('matchLabels', zeroDefaults<Labels>({ [UID_LABEL]: uid })),
      ),
    ),
  );
}

/** Labels that the Job has from its template follow it: they are one map then. Equal labels of its own do not. */
function withOwnLabels(object: KubeObject, selected: KubeObject): KubeObject {
  const own = objectAt(metadataOf(object), 'labels');
  if (Object.keys(own).length === 0 || own !== templateLabels(object).object) return selected;
  return withLabels(selected, templateLabels(selected).object);
}

function validate(object: KubeObject, old?: KubeObject): Errors {
  // Labels that it has from its template are found fault with there.
  const isLabelled = jsonEqual(templateLabels(object).object, objectAt(metadataOf(object), 'labels'));
  const isPrefixed = old === undefined || hasPrefixedLabels(old);
  return [
    ...validateObjectMeta(object, RULES).filter(({ field }) => !isLabelled || field !== 'metadata.labels'),
    ...specErrors<Spec>((spec) => {
      if (!spec.isTrue('manualSelector')) validateGenerated(spec, object.metadata, isPrefixed);
      validateJobSpec(spec);
      validateSelector(spec);
    }, object),
    ...validateHostnames(object),
  ];
}

/** Jobs from before 1.27 have the labels without a prefix only. */
function hasPrefixedLabels(object: KubeObject): boolean {
  const labels = templateLabels(object).object;
  return Object.hasOwn(labels, NAME_LABEL) && Object.hasOwn(labels, UID_LABEL);
}

function validateGenerated(spec: Field<Spec>, { name = '', uid = '' }: ObjectMeta, prefixed: boolean): void {
  const [labels, selector] = [spec.at('template').at('metadata').at('labels'), spec.at('selector')];
  const legacy = { 'controller-uid': uid, 'job-name': name };
  const expected = prefixed ? { ...legacy, [UID_LABEL]: uid, [NAME_LABEL]: name } : legacy;
  for (const [key, value] of Object.entries(expected)) {
    if (labels.text(key) === value && Object.hasOwn(labels.object, key)) continue;
    if (!Object.hasOwn(labels.object, key)) labels.entry(key).addRequired(`must be '${value}'`);
    else labels.entry(key).addInvalid(`must be '${value}'`, { value: labels.object });
  }
  if (!isUsable(selector.object) || !selects(selector.object, expected))
    selector.addInvalid('`selector` not auto-generated', { as: '?meta.LabelSelector' });
}

function validateSelector(spec: Field<Spec>): void {
  const selector = spec.at('selector');
  if (!selector.isStruct) selector.addRequired();
  selector.check(validateLabelSelector);
  if (isUsable(selector.object)) validateMatches(selector, spec.at('template'));
}

/** Pods of an indexed Job are named by index, and by their names found. */
function validateHostnames(object: KubeObject): Errors {
  const spec = specField<Spec>(object);
  const completions = spec.number('completions');
  if (!spec.is('completionMode', 'Indexed') || completions <= 0) return NONE;
  const name = nameOf(object);
  const last = `${name}-${completions - 1}`;
  const detail = `will not able to create pod with invalid DNS label: ${last}`;
  return invalid(isDns1123Label(last).length > 0, 'metadata.name', name, detail);
}
