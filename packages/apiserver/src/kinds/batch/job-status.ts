import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { FieldError } from '@kubewright/kube/validation';
import { jsonEqual } from '@kubewright/kube';
import { fieldErrors } from '@kubewright/kube/validation';
import { type Errors, invalid, NONE, nonNegative, required } from '../../validation/errors.ts';
import { validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import {
  has,
  isTrue,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  specOf,
  statusOf,
  stringAt,
  stringsAt,
  valueAt,
} from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import type { StatusChange } from './status-change.ts';
import { validateIndexes } from './job-status-indexes.ts';

const CONDITIONS = 'status.conditions';
const COMPLETION_TIME = 'status.completionTime';

/** `validateJobStatus` and `ValidateJobStatusUpdate`, with the gates of 1.36. */
export function validateJobStatus(object: KubeObject, before: KubeObject): Errors {
  const [status, old] = [statusOf(object), statusOf(before)];
  const change: StatusChange = {
    spec: specOf(object),
    status,
    old,
    changed: (key) => !jsonEqual(valueAt(status, key), valueAt(old, key)),
    turned: (type) => holds(status, type) !== holds(old, type),
  };
  return [
    ...validateObjectMetaUpdate(object, before),
    ...['active', 'succeeded', 'failed', 'ready', 'terminating'].flatMap((key) =>
      nonNegative(status, key, 'status'),
    ),
    ...validateUncounted(objectAt(status, 'uncountedTerminatedPods')),
    ...validateEnds(change),
    ...validateTimes(change),
    ...validateInterim(change),
    ...validateFinished(change),
    ...validateIndexes(change),
    ...validateCounts(change),
    ...validateCriteria(change),
    ...validateTransitions(change),
  ];
}

function isFinished(status: JsonObject): boolean {
  return holds(status, 'Complete') || holds(status, 'Failed');
}

function holds(status: JsonObject, type: string, value = 'True'): boolean {
  return objectsAt(status, 'conditions').some(
    (condition) => stringAt(condition, 'type') === type && stringAt(condition, 'status') === value,
  );
}

function validateUncounted(uncounted: JsonObject): Errors {
  const seen = new Set<string>();
  return ['succeeded', 'failed'].flatMap((key) =>
    stringsAt(uncounted, key).flatMap((uid, index): Errors => {
      const path = `status.uncountedTerminatedPods.${key}[${index}]`;
      if (uid === '') return invalid(true, path, uid, 'must not be empty');
      if (seen.has(uid)) return [fieldErrors.duplicate(path, uid)];
      seen.add(uid);
      return NONE;
    }),
  );
}

/** About a list of conditions, which is not shown. */
function contradiction(wrong: boolean, detail: string): readonly FieldError[] {
  return wrong ? [{ type: 'Invalid', field: CONDITIONS, detail }] : [];
}

function validateEnds({ status, turned }: StatusChange): Errors {
  const complete = holds(status, 'Complete');
  return [
    ...contradiction(
      (turned('Complete') || turned('Failed')) && complete && holds(status, 'Failed'),
      'cannot set Complete=True and Failed=true conditions',
    ),
    ...contradiction(
      (turned('Complete') || turned('FailureTarget')) && complete && holds(status, 'FailureTarget'),
      'cannot set Complete=True and FailureTarget=true conditions',
    ),
  ];
}

function validateTimes(change: StatusChange): Errors {
  const { status, changed, turned } = change;
  const end = maybeString(status, 'completionTime');
  const complete = holds(status, 'Complete');
  const looks = turned('Complete') || changed('completionTime');
  const noEnd = 'cannot set completionTime when there is no Complete=True condition';
  const noTime = 'completionTime is required for Complete jobs';
  return [
    ...invalid(looks && end !== undefined && !complete, COMPLETION_TIME, end ?? '', noEnd),
    ...required(!looks || end !== undefined || !complete, COMPLETION_TIME, noTime),
    ...validateOrder(change, end),
  ];
}

function validateOrder({ status, changed }: StatusChange, end: string | undefined): Errors {
  const start = maybeString(status, 'startTime');
  if (start === undefined || end === undefined) return NONE;
  const looks = changed('startTime') || changed('completionTime');
  const isEarly = Date.parse(end) < Date.parse(start);
  return invalid(looks && isEarly, COMPLETION_TIME, end, 'must be equal to or after `startTime`');
}

/** Complete and Failed come after SuccessCriteriaMet and FailureTarget. */
function validateInterim({ status, changed, turned }: StatusChange): Errors {
  const failed = turned('Failed') || changed('failedIndexes');
  const complete = turned('Complete') || turned('SuccessCriteriaMet');
  return [
    ...contradiction(
      failed && holds(status, 'Failed') && !holds(status, 'FailureTarget'),
      'cannot set Failed=True condition without the FailureTarget=true condition',
    ),
    ...contradiction(
      complete && holds(status, 'Complete') && !holds(status, 'SuccessCriteriaMet'),
      'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
    ),
  ];
}

function validateFinished(change: StatusChange): Errors {
  const { spec, status, old, changed } = change;
  if (!isFinished(status)) return NONE;
  const ended = !isFinished(old);
  const active = numberAt(status, 'active');
  const neverBegan = isTrue(spec, 'suspend') && valueAt(spec, 'completions') === 0;
  const looksAtStart = (ended || changed('startTime')) && !neverBegan;
  return [
    ...invalid(
      (ended || changed('active')) && active > 0,
      'status.active',
      active,
      'active>0 is invalid for finished job',
    ),
    ...required(
      !looksAtStart || has(status, 'startTime'),
      'status.startTime',
      'startTime is required for finished job',
    ),
    ...(ended || changed('uncountedTerminatedPods') ? allCounted(status) : NONE),
  ];
}

function allCounted(status: JsonObject): Errors {
  const uncounted = objectAt(status, 'uncountedTerminatedPods');
  const left = stringsAt(uncounted, 'succeeded').length + stringsAt(uncounted, 'failed').length;
  const path = 'status.uncountedTerminatedPods';
  return showing(
    'batch.UncountedTerminatedPods',
    invalid(left > 0, path, uncounted, 'must be empty for finished job'),
  );
}

function validateCounts({ status, old, changed }: StatusChange): Errors {
  const [ready, active] = [numberAt(status, 'ready'), numberAt(status, 'active')];
  const terminating = numberAt(status, 'terminating');
  const ended = isFinished(status) !== isFinished(old) || changed('terminating');
  return [
    ...invalid(
      ended && terminating > 0 && isFinished(status),
      'status.terminating',
      terminating,
      'terminating>0 is invalid for finished job',
    ),
    ...invalid(
      (changed('ready') || changed('active')) && ready > active,
      'status.ready',
      ready,
      'cannot set more ready pods than active',
    ),
  ];
}

function validateCriteria({ spec, status }: StatusChange): Errors {
  const met = holds(status, 'SuccessCriteriaMet');
  return [
    ...contradiction(
      met && holds(status, 'Failed'),
      'cannot set SuccessCriteriaMet=True and Failed=true conditions',
    ),
    ...contradiction(
      met && holds(status, 'FailureTarget'),
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ),
    ...contradiction(
      has(spec, 'successPolicy') && !met && holds(status, 'Complete'),
      'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ),
  ];
}

/** What has been said stands. */
function validateTransitions(change: StatusChange): Errors {
  const { status, old } = change;
  return [
    ...['Failed', 'Complete', 'FailureTarget'].flatMap((type) =>
      contradiction(
        holds(old, type) && !holds(status, type),
        `cannot disable the terminal ${type}=True condition`,
      ),
    ),
    ...validateCounters(change),
    ...validateStart(change),
    ...contradiction(
      holds(old, 'SuccessCriteriaMet') && !holds(status, 'SuccessCriteriaMet'),
      'cannot disable the SuccessCriteriaMet=True condition',
    ),
    ...contradiction(
      holds(old, 'Complete') && !holds(old, 'SuccessCriteriaMet') && holds(status, 'SuccessCriteriaMet'),
      'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ),
  ];
}

function validateCounters({ spec, status, old }: StatusChange): Errors {
  const count = (key: string): readonly [number, number] => [numberAt(status, key), numberAt(old, key)];
  const [failed, failedBefore] = count('failed');
  const [succeeded, succeededBefore] = count('succeeded');
  // An indexed Job that is made shorter forgets successes.
  const elastic =
    stringAt(spec, 'completionMode') === 'Indexed' &&
    jsonEqual(valueAt(spec, 'completions'), valueAt(spec, 'parallelism'));
  return [
    ...invalid(failed < failedBefore, 'status.failed', failed, 'cannot decrease the failed counter'),
    ...invalid(
      succeeded < succeededBefore && !elastic,
      'status.succeeded',
      succeeded,
      'cannot decrease the succeeded counter',
    ),
  ];
}

function validateStart({ spec, status, old, changed }: StatusChange): Errors {
  const end = maybeString(status, 'completionTime');
  const isResumed = holds(old, 'Suspended') && holds(status, 'Suspended', 'False');
  const isMoved = changed('startTime') && has(old, 'startTime') && !isResumed && !isTrue(spec, 'suspend');
  return [
    ...invalid(
      end !== undefined && has(old, 'completionTime') && changed('completionTime'),
      'status.completionTime',
      end ?? '',
      'field is immutable',
    ),
    ...invalid(
      isMoved,
      'status.startTime',
      valueAt(status, 'startTime'),
      'field is immutable for unsuspended job once set',
    ),
  ];
}
