import type { JsonObject } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { defaultTemplate } from '../../pods/default-pod.ts';
import { validateTemplate } from '../../pods/validate-template.ts';
import { type Errors, invalid, NONE, nonNegative, oneOf, required } from '../../validation/errors.ts';
import { has, maybeNumber, numberAt, maybeString, objectAt, stringAt } from '../../objects/read.ts';
import {
  type Change,
  inOrder,
  orDefaultPointer,
  withField,
  inField,
  inItems,
  orDefault,
} from '../../objects/change-object.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './job-policies.ts';

const MAX_INT32 = 2_147_483_647;

/** `SetDefaults_Job`'s part of a spec. */
export const defaultJobSpec: Change = inOrder(
  (spec) => (has(spec, 'completions') || has(spec, 'parallelism') ? spec : withField(spec, 'completions', 1)),
  (spec) => orDefaultPointer(spec, 'parallelism', 1),
  (spec) => orDefaultPointer(spec, 'backoffLimit', has(spec, 'backoffLimitPerIndex') ? MAX_INT32 : 6),
  (spec) => orDefaultPointer(spec, 'completionMode', 'NonIndexed'),
  (spec) => orDefaultPointer(spec, 'suspend', false),
  (spec) =>
    orDefaultPointer(
      spec,
      'podReplacementPolicy',
      has(spec, 'podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed',
    ),
  (spec) => orDefaultPointer(spec, 'manualSelector', false),
);

/** What a Job's template gets, and a CronJob's: there the rest waits for the Job. */
export const defaultJobTemplate: Change = inOrder(
  (spec) => withField(spec, 'template', defaultTemplate(objectAt(spec, 'template'))),
  inField(
    'podFailurePolicy',
    inItems(
      'rules',
      inItems('onPodConditions', (pattern) => orDefault(pattern, 'status', 'True')),
    ),
  ),
);

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
];

/** `validateJobSpec`: a Job's, or the one inside a CronJob; selectors are the caller's. */
export function validateJobSpec(spec: JsonObject, path: string, old?: JsonObject): Errors {
  const template = objectAt(spec, 'template');
  return [
    ...COUNTS.flatMap((key) => nonNegative(spec, key, path)),
    ...required(
      !has(spec, 'maxFailedIndexes') || has(spec, 'backoffLimitPerIndex'),
      `${path}.backoffLimitPerIndex`,
      'when maxFailedIndexes is specified',
    ),
    ...validateManagedBy(maybeString(spec, 'managedBy'), `${path}.managedBy`),
    ...validateMode(spec, path),
    ...validateFailurePolicy(spec, `${path}.podFailurePolicy`),
    ...validateSuccessPolicy(spec, `${path}.successPolicy`),
    ...validateReplacement(spec, `${path}.podReplacementPolicy`),
    ...validateTemplate(
      template,
      `${path}.template`,
      old === undefined ? undefined : objectAt(old, 'template'),
    ),
    ...validateRestartPolicy(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function validateManagedBy(name: string | undefined, path: string): Errors {
  if (name === undefined) return NONE;
  const [host, rest] = name.includes('/')
    ? [name.slice(0, name.indexOf('/')), name.slice(name.indexOf('/') + 1)]
    : [name, ''];
  if (name === '') return required(false, path);
  return [
    ...invalid(
      host === '' || rest === '',
      path,
      name,
      'must be a domain-prefixed path (such as "acme.io/foo")',
    ),
    ...(name.length > 63 ? [fieldErrors.tooLong(path, 63)] : NONE),
  ];
}

function validateMode(spec: JsonObject, path: string): Errors {
  const mode = maybeString(spec, 'completionMode');
  const known = mode === undefined ? NONE : oneOf(mode, `${path}.completionMode`, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') return [...known, ...validateIndexed(spec, path)];
  if (mode !== undefined && mode !== 'NonIndexed') return known;
  return [
    ...known,
    ...['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((key) =>
      invalid(
        has(spec, key),
        `${path}.${key}`,
        maybeNumber(spec, key) ?? 0,
        'requires indexed completion mode',
      ),
    ),
  ];
}

function validateIndexed(spec: JsonObject, path: string): Errors {
  const completions = maybeNumber(spec, 'completions');
  const parallelism = maybeNumber(spec, 'parallelism') ?? 0;
  const failed = maybeNumber(spec, 'maxFailedIndexes');
  return [
    ...required(completions !== undefined, `${path}.completions`, 'when completion mode is Indexed'),
    ...invalid(
      parallelism > 100_000,
      `${path}.parallelism`,
      parallelism,
      'must be less than or equal to 100000 when completion mode is Indexed',
    ),
    ...invalid(
      completions !== undefined && failed !== undefined && failed > completions,
      `${path}.maxFailedIndexes`,
      failed ?? 0,
      'must be less than or equal to completions',
    ),
    ...invalid(
      failed !== undefined && failed > 100_000,
      `${path}.maxFailedIndexes`,
      failed ?? 0,
      'must be less than or equal to 100000',
    ),
    ...((completions ?? 0) > 100_000 && has(spec, 'backoffLimitPerIndex') ? validateMany(spec, path) : NONE),
  ];
}

/** Of so many indexes the status could not name each one that failed. */
function validateMany(spec: JsonObject, path: string): Errors {
  const most =
    'must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index';
  return [
    ...required(
      has(spec, 'maxFailedIndexes'),
      `${path}.maxFailedIndexes`,
      'must be specified when completions is above 100000',
    ),
    ...['parallelism', 'maxFailedIndexes'].flatMap((key) =>
      invalid(numberAt(spec, key) > 10_000, `${path}.${key}`, numberAt(spec, key), most),
    ),
  ];
}

function validateReplacement(spec: JsonObject, path: string): Errors {
  const policy = maybeString(spec, 'podReplacementPolicy');
  if (policy === undefined) return NONE;
  return oneOf(policy, path, has(spec, 'podFailurePolicy') ? ['Failed'] : ['Failed', 'TerminatingOrFailed']);
}

function validateRestartPolicy(spec: JsonObject, path: string): Errors {
  const policy = stringAt(objectAt(spec, 'template', 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') {
    return required(false, path, 'valid values: "OnFailure", "Never"');
  }
  if (policy !== 'OnFailure' && policy !== 'Never') return oneOf(policy, path, ['OnFailure', 'Never']);
  const detail = 'only "Never" is supported when podFailurePolicy is specified';
  return invalid(has(spec, 'podFailurePolicy') && policy !== 'Never', path, policy, detail);
}
