import type { batchv1, corev1 } from '@kubewright/kube';
import { defaultTemplate } from '../../pods/default-pod.ts';
import { validateTemplate } from '../../pods/validate-template.ts';
import { Field } from '../../validation/field.ts';
import {
  type Change,
  defaults,
  inField,
  inItems,
  inOrder,
  inStruct,
  zeroDefaults,
} from '../../objects/change-object.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './validate-failure-policy.ts';

type Spec = batchv1.JobSpec;

const MAX_INT32 = 2_147_483_647;

/** `SetDefaults_Job`'s part of a spec. */
export const defaultJobSpec: Change = (object) => {
  const spec = new Field<Spec>(object);
  const isUncounted = !spec.has('completions') && !spec.has('parallelism');
  return defaults<Spec>({
    ...(isUncounted && { completions: 1 }),
    parallelism: 1,
    backoffLimit: spec.has('backoffLimitPerIndex') ? MAX_INT32 : 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec.has('podFailurePolicy') ? 'Failed' : 'TerminatingOrFailed',
    manualSelector: false,
  })(object);
};

const patternDefaults = zeroDefaults<batchv1.PodFailurePolicyOnPodConditionsPattern>({ status: 'True' });
const ruleDefaults = inItems<batchv1.PodFailurePolicyRule>('onPodConditions', patternDefaults);

/** What a Job's template gets, and a CronJob's: there the rest waits for the Job. */
export const defaultJobTemplate: Change = inOrder(
  inStruct<Spec>('template', defaultTemplate),
  inField<Spec>('podFailurePolicy', inItems<batchv1.PodFailurePolicy>('rules', ruleDefaults)),
);

/** `validateJobSpec`: a Job's, or the one inside a CronJob; selectors are the caller's. */
export function validateJobSpec(spec: Field<Spec>): void {
  spec.nonNegative('parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit');
  spec.nonNegative('ttlSecondsAfterFinished', 'backoffLimitPerIndex', 'maxFailedIndexes');
  if (spec.has('maxFailedIndexes'))
    spec.require('backoffLimitPerIndex', 'when maxFailedIndexes is specified');
  validateManagedBy(spec);
  validateMode(spec);
  validateFailurePolicy(spec);
  validateSuccessPolicy(spec);
  validateReplacement(spec);
  spec.at('template').check((template, path) => validateTemplate(template, path));
  validateRestartPolicy(spec.at('template').at('spec'), spec.has('podFailurePolicy'));
}

function validateManagedBy(spec: Field<Spec>): void {
  const [name, field] = [spec.maybeText('managedBy'), spec.at('managedBy')];
  if (name === undefined) return;
  if (name === '') return field.addRequired();
  if (!/^[^/]+\/./s.test(name)) field.addInvalid('must be a domain-prefixed path (such as "acme.io/foo")');
  if (name.length > 63) field.addTooLong(63);
}

function validateMode(spec: Field<Spec>): void {
  const mode = spec.maybeText('completionMode') ?? 'NonIndexed';
  if (spec.maybeText('completionMode') !== undefined) spec.oneOf('completionMode', ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') validateIndexed(spec);
  if (mode !== 'NonIndexed') return;
  for (const key of ['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    if (spec.has(key))
      spec.at(key).addInvalid('requires indexed completion mode', { value: spec.number(key) });
}

function validateIndexed(spec: Field<Spec>): void {
  const completions = spec.maybeNumber('completions');
  const failed = spec.number('maxFailedIndexes');
  if (completions === undefined) spec.at('completions').addRequired('when completion mode is Indexed');
  if (spec.number('parallelism') > 100_000)
    spec.at('parallelism').addInvalid('must be less than or equal to 100000 when completion mode is Indexed');
  if (completions !== undefined && spec.has('maxFailedIndexes') && failed > completions)
    spec.at('maxFailedIndexes').addInvalid('must be less than or equal to completions');
  if (failed > 100_000) spec.at('maxFailedIndexes').addInvalid('must be less than or equal to 100000');
  if ((completions ?? 0) > 100_000 && spec.has('backoffLimitPerIndex')) validateMany(spec);
}

/** Of so many indexes the status could not name each one that failed. */
function validateMany(spec: Field<Spec>): void {
  spec.require('maxFailedIndexes', 'must be specified when completions is above 100000');
  for (const key of ['parallelism', 'maxFailedIndexes'] as const)
    if (spec.number(key) > 10_000)
      spec
        .at(key)
        .addInvalid(
          'must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
        );
}

function validateReplacement(spec: Field<Spec>): void {
  if (spec.maybeText('podReplacementPolicy') === undefined) return;
  const onFailure = ['Failed'] as const;
  spec.oneOf(
    'podReplacementPolicy',
    spec.has('podFailurePolicy') ? onFailure : [...onFailure, 'TerminatingOrFailed'],
  );
}

function validateRestartPolicy(pod: Field<corev1.PodSpec>, hasFailurePolicy: boolean): void {
  const [policy, field] = [pod.text('restartPolicy'), pod.at('restartPolicy')];
  if (policy === 'Always' || policy === '') return field.addRequired('valid values: "OnFailure", "Never"');
  pod.oneOf('restartPolicy', ['OnFailure', 'Never']);
  if (hasFailurePolicy && policy === 'OnFailure')
    field.addInvalid('only "Never" is supported when podFailurePolicy is specified');
}
