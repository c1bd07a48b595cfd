import type { JsonObject, KubeObject } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import { isDns1123Label } from '@kubewright/kube/validation';
import type { Strategy } from '../../model/resource-definition.ts';
import { changeSpec, nameWarnings, specStrategy } from '../apps/workload.ts';
import { isUsable, selects } from '../../pods/validate-template.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { type Errors, invalid, NONE, nameIsDnsSubdomain, required } from '../../validation/errors.ts';
import { validateLabelSelector } from '../../validation/validate-labels.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  entriesAt,
  isTrue,
  maybeNumber,
  maybeObject,
  metadataOf,
  objectAt,
  specOf,
  stringAt,
  valueAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { generationOf, statusStrategy } from '../../model/status-strategy.ts';
import { type Change, changeObject, inOrder, orDefault, withField } from '../../objects/change-object.ts';
import { validateJobChange } from './job-change.ts';
import { defaultJobSpec, defaultJobTemplate, validateJobSpec } from './job-spec.ts';
import { validateJobStatus } from './job-status.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';

/** `batch/v1 Job`. It selects its pods by its own uid, unless `manualSelector` is set. */
export const job: Strategy = {
  ...specStrategy,
  default: (object) => labelled(changeSpec(object, inOrder(defaultJobTemplate, defaultJobSpec))),
  prepareForCreate: (object, context) => {
    const isManual = isTrue(specOf(object), 'manualSelector');
    const selecting = isManual ? object : withOwnLabels(object, withSelector(object));
    return labelled(specStrategy.prepareForCreate?.(selecting, context) ?? selecting);
  },
  validateCreate: (object) => validate(object),
  validateUpdate: (object, old) => [
    ...validate(object, old),
    ...validateObjectMetaUpdate(object, old),
    ...validateJobChange(object, old),
  ],
  warnings: (object, old) => {
    if (old !== undefined && generationOf(old) === generationOf(object)) return [];
    const template = podWarnings(objectAt(specOf(object), 'template'), 'spec.template');
    return [...(old === undefined ? nameWarnings(object) : []), ...template];
  },
};

export const jobStatus: Strategy = statusStrategy(validateJobStatus);

/** A Job without labels has those of its pods. */
function labelled(object: KubeObject): KubeObject {
  const labels = maybeObject(objectAt(specOf(object), 'template', 'metadata'), 'labels');
  const own = entriesAt(metadataOf(object), 'labels');
  if (labels === undefined || own.length > 0) return object;
  const metadata = withField(metadataOf(object), 'labels', labels);
  return changeObject(object, (body) => withField(body, 'metadata', metadata));
}

function withSelector(object: KubeObject): KubeObject {
  const { name = '', uid = '' } = object.metadata;
  const label: Change = inOrder(
    ...[
      ['job-name', name],
      [NAME_LABEL, name],
      ['controller-uid', uid],
      [UID_LABEL, uid],
    ].map(
      ([key = '', value = '']): Change =>
        (labels) =>
          Object.hasOwn(labels, key) ? labels : withField(labels, key, value),
    ),
  );
  return changeSpec(object, (spec) => {
    const template = objectAt(spec, 'template');
    const metadata = objectAt(template, 'metadata');
    const named = withField(metadata, 'labels', label(objectAt(metadata, 'labels')));
    const selector = objectAt(spec, 'selector');
    const labels = orDefault(objectAt(selector, 'matchLabels'), UID_LABEL, uid);
    return inOrder(
      (value) => withField(value, 'template', withField(template, 'metadata', named)),
      (value) => withField(value, 'selector', withField(selector, 'matchLabels', labels)),
    )(spec);
  });
}

/** Labels that the Job has from its template follow it. */
function withOwnLabels(object: KubeObject, selected: KubeObject): KubeObject {
  const labels = (value: KubeObject): JsonObject => objectAt(specOf(value), 'template', 'metadata', 'labels');
  const own = objectAt(metadataOf(object), 'labels');
  if (Object.keys(own).length === 0 || !jsonEqual(own, labels(object))) return selected;
  const metadata = withField(metadataOf(selected), 'labels', labels(selected));
  return changeObject(selected, (body) => withField(body, 'metadata', metadata));
}

function validate(object: KubeObject, old?: KubeObject): Errors {
  const spec = specOf(object);
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  // Labels that it has from its template are found fault with there.
  const isLabelled = jsonEqual(labels, objectAt(metadataOf(object), 'labels'));
  return [
    ...validateObjectMeta(object, RULES).filter(({ field }) => !isLabelled || field !== 'metadata.labels'),
    ...validateGenerated(object, old === undefined || hasPrefixedLabels(old)),
    ...validateJobSpec(spec, 'spec'),
    ...validateSelector(spec),
    ...validateHostnames(object),
  ];
}

/** Jobs from before 1.27 have the labels without a prefix only. */
function hasPrefixedLabels(object: KubeObject): boolean {
  const labels = objectAt(specOf(object), 'template', 'metadata', 'labels');
  return Object.hasOwn(labels, NAME_LABEL) && Object.hasOwn(labels, UID_LABEL);
}

function validateGenerated(object: KubeObject, prefixed: boolean): Errors {
  const spec = specOf(object);
  if (isTrue(spec, 'manualSelector')) return NONE;
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  const { name = '', uid = '' } = object.metadata;
  const legacy = { 'controller-uid': uid, 'job-name': name };
  const expected: Readonly<Record<string, string>> = prefixed
    ? { ...legacy, [UID_LABEL]: uid, [NAME_LABEL]: name }
    : legacy;
  const wrong = Object.entries(expected).flatMap(([key, value]) => {
    const own = stringAt(labels, key);
    const path = 'spec.template.metadata.labels';
    if (!Object.hasOwn(labels, key)) return required(false, `${path}[${key}]`, `must be '${value}'`);
    return invalid(own !== value, `${path}[${key}]`, labels, `must be '${value}'`);
  });
  const selector = objectAt(spec, 'selector');
  const matches = isUsable(selector) && selects(selector, expected);
  return [
    ...wrong,
    ...showing(
      '?meta.LabelSelector',
      invalid(!matches, 'spec.selector', valueAt(spec, 'selector'), '`selector` not auto-generated'),
    ),
  ];
}

function validateSelector(spec: JsonObject): Errors {
  const selector = maybeObject(spec, 'selector');

  const metadata = objectAt(spec, 'template', 'metadata');
  const labels = Object.fromEntries(entriesAt(metadata, 'labels'));
  return [
    ...required(selector !== undefined, 'spec.selector'),
    ...validateLabelSelector(selector, 'spec.selector'),
    ...invalid(
      selector === undefined || (isUsable(selector) && !selects(selector, labels)),
      'spec.template.metadata.labels',
      maybeObject(metadata, 'labels') ?? null,
      '`selector` does not match template `labels`',
    ),
  ];
}

/** Pods of an indexed Job are named by index, and by their names found. */
function validateHostnames(object: KubeObject): Errors {
  const spec = specOf(object);
  const completions = maybeNumber(spec, 'completions') ?? 0;
  if (stringAt(spec, 'completionMode') !== 'Indexed' || completions <= 0) return NONE;
  const name = nameOf(object);
  const last = `${name}-${completions - 1}`;
  return invalid(
    isDns1123Label(last).length > 0,
    'metadata.name',
    name,
    `will not able to create pod with invalid DNS label: ${last}`,
  );
}
