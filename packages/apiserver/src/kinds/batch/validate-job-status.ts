import type { batchv1, KubeObject } from '@kubewright/kube';
import { jsonEqual } from '@kubewright/kube';
import type { Errors } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specField, statusField } from '../../validation/spec-errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { validateIndexes } from './validate-indexes.ts';
import type { StatusChange } from './status-change.ts';

type Status = Field<batchv1.JobStatus>;

/** `validateJobStatus` and `ValidateJobStatusUpdate`, with the gates of 1.36. */
export function validateJobStatus(object: KubeObject, before: KubeObject): Errors {
  const [status, old]: [Status, Status] = [statusField(object), statusField(before)];
  const change: StatusChange = {
    spec: specField(object),
    status,
    old,
    changed: (key) => !jsonEqual(status.at(key).value, old.at(key).value),
    turned: (type) => holds(status, type) !== holds(old, type),
  };
  status.add(validateObjectMetaUpdate(object, before));
  status.nonNegative('active', 'succeeded', 'failed', 'ready', 'terminating');
  validateUncounted(status.at('uncountedTerminatedPods'));
  validateEnds(change);
  validateTimes(change);
  validateInterim(change);
  validateFinished(change);
  validateIndexes(change);
  validateCounts(change);
  validateCriteria(change);
  validateTransitions(change);
  return status.errors;
}

function isFinished(status: Status): boolean {
  return holds(status, 'Complete') || holds(status, 'Failed');
}

function holds(status: Status, type: string, value = 'True'): boolean {
  return status
    .items('conditions')
    .some((condition) => condition.is('type', type) && condition.is('status', value));
}

function validateUncounted(uncounted: Field<batchv1.UncountedTerminatedPods>): void {
  const seen = new Set<string>();
  for (const pod of [...uncounted.items('succeeded'), ...uncounted.items('failed')]) {
    const uid = typeof pod.value === 'string' ? pod.value : '';
    if (uid === '') pod.addInvalid('must not be empty', { value: uid });
    else if (seen.has(uid)) pod.addDuplicate();
    seen.add(uid);
  }
}

/** About a list of conditions, which is not shown. */
function contradict(status: Status, detail: string): void {
  status.add([{ type: 'Invalid', field: status.at('conditions').path, detail }]);
}

function validateEnds({ status, turned }: StatusChange): void {
  if (!holds(status, 'Complete')) return;
  const [turnedComplete, [failed, target]] = [turned('Complete'), ['Failed', 'FailureTarget']] as const;
  if ((turnedComplete || turned(failed)) && holds(status, failed))
    contradict(status, 'cannot set Complete=True and Failed=true conditions');
  if ((turnedComplete || turned(target)) && holds(status, target))
    contradict(status, 'cannot set Complete=True and FailureTarget=true conditions');
}

function validateTimes({ status, changed, turned }: StatusChange): void {
  const [start, end] = [status.maybeText('startTime'), status.maybeText('completionTime')];
  const field = status.at('completionTime');
  if (turned('Complete') || changed('completionTime')) {
    const complete = holds(status, 'Complete');
    if (end !== undefined && !complete)
      field.addInvalid('cannot set completionTime when there is no Complete=True condition');
    if (end === undefined && complete) field.addRequired('completionTime is required for Complete jobs');
  }
  if ((changed('startTime') || changed('completionTime')) && isEarlier(end, start))
    field.addInvalid('must be equal to or after `startTime`');
}

function isEarlier(end: string | undefined, start: string | undefined): boolean {
  return end !== undefined && start !== undefined && Date.parse(end) < Date.parse(start);
}

/** Complete and Failed come after SuccessCriteriaMet and FailureTarget. */
function validateInterim({ status, changed, turned }: StatusChange): void {
  const failed = turned('Failed') || changed('failedIndexes');
  const complete = turned('Complete') || turned('SuccessCriteriaMet');
  if (failed && holds(status, 'Failed') && !holds(status, 'FailureTarget'))
    contradict(status, 'cannot set Failed=True condition without the FailureTarget=true condition');
  if (complete && holds(status, 'Complete') && !holds(status, 'SuccessCriteriaMet'))
    contradict(status, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
}

function validateFinished(change: StatusChange): void {
  if (!isFinished(change.status)) return;
  const ended = !isFinished(change.old);
  validateEnded({ ...change, changed: (key) => ended || change.changed(key) });
}

function validateEnded({ spec, status, changed }: StatusChange): void {
  const neverBegan = spec.isTrue('suspend') && spec.at('completions').value === 0;
  if (changed('active') && status.number('active') > 0)
    status.at('active').addInvalid('active>0 is invalid for finished job');
  if (changed('startTime') && !neverBegan)
    status.require('startTime', 'startTime is required for finished job');
  if (changed('uncountedTerminatedPods')) validateAllCounted(status.at('uncountedTerminatedPods'));
}

function validateAllCounted(uncounted: Field<batchv1.UncountedTerminatedPods>): void {
  if (uncounted.items('succeeded').length + uncounted.items('failed').length > 0)
    uncounted.addInvalid('must be empty for finished job', { as: 'batch.UncountedTerminatedPods' });
}

function validateCounts({ status, old, changed }: StatusChange): void {
  const finished = isFinished(status);
  const ended = finished !== isFinished(old) || changed('terminating');
  if (ended && finished && status.number('terminating') > 0)
    status.at('terminating').addInvalid('terminating>0 is invalid for finished job');
  if ((changed('ready') || changed('active')) && status.number('ready') > status.number('active'))
    status
      .at('ready')
      .addInvalid('cannot set more ready pods than active', { value: status.number('ready') });
}

function validateCriteria({ spec, status }: StatusChange): void {
  const met = holds(status, 'SuccessCriteriaMet');
  if (met && holds(status, 'Failed'))
    contradict(status, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && holds(status, 'FailureTarget'))
    contradict(status, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (spec.has('successPolicy') && !met && holds(status, 'Complete'))
    contradict(status, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
}

/** What has been said stands. */
function validateTransitions(change: StatusChange): void {
  const { status, old } = change;
  const met = holds(status, 'SuccessCriteriaMet');
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (holds(old, type) && !holds(status, type))
      contradict(status, `cannot disable the terminal ${type}=True condition`);
  validateCounters(change);
  validateStart(change);
  if (holds(old, 'SuccessCriteriaMet') && !met)
    contradict(status, 'cannot disable the SuccessCriteriaMet=True condition');
  if (holds(old, 'Complete') && !holds(old, 'SuccessCriteriaMet') && met)
    contradict(status, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
}

function validateCounters({ spec, status, old }: StatusChange): void {
  const fell = (key: 'failed' | 'succeeded'): boolean => status.number(key) < old.number(key);
  const add = (key: 'failed' | 'succeeded'): void =>
    status.at(key).addInvalid(`cannot decrease the ${key} counter`, { value: status.number(key) });
  // An indexed Job that is made shorter forgets successes.
  const isElastic =
    spec.is('completionMode', 'Indexed') &&
    jsonEqual(spec.at('completions').value, spec.at('parallelism').value);
  if (fell('failed')) add('failed');
  if (fell('succeeded') && !isElastic) add('succeeded');
}

function validateStart({ spec, status, old, changed }: StatusChange): void {
  const isResumed = holds(old, 'Suspended') && holds(status, 'Suspended', 'False');
  const end = status.maybeText('completionTime');
  if (end !== undefined && old.has('completionTime') && changed('completionTime'))
    status.at('completionTime').addInvalid('field is immutable');
  if (changed('startTime') && old.has('startTime') && !isResumed && !spec.isTrue('suspend'))
    status.at('startTime').addInvalid('field is immutable for unsuspended job once set');
}
