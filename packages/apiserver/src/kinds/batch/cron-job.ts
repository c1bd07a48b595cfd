import { type batchv1, errorText } from '@kubewright/kube';
import { isTimeZone, parseCronSchedule } from '@kubewright/kube/schedule';
import type { Strategy } from '../../model/resource-definition.ts';
import { changeSpec, nameWarnings } from '../apps/workload.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import { invalid, nameIsDnsSubdomain } from '../../validation/errors.ts';
import type { Field } from '../../validation/field.ts';
import { specErrors, specField } from '../../validation/spec-errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { generationOf, specStrategy, statusStrategy } from '../../model/status-strategy.ts';
import { type Change, defaults, inOrder, inStruct, zeroDefaults } from '../../objects/change-object.ts';
import { defaultJobTemplate, validateJobSpec } from './validate-job-spec.ts';
import { nameOf } from '../../objects/name-of.ts';

type Spec = batchv1.CronJobSpec;

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const specDefaults: Change = inOrder(
  zeroDefaults<Spec>({ concurrencyPolicy: 'Allow' }),
  defaults<Spec>({ suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
  inStruct<Spec>('jobTemplate', inStruct<batchv1.JobTemplateSpec>('spec', defaultJobTemplate)),
);

/** `batch/v1 CronJob`. The Jobs that it makes get their own defaults. */
export const cronJob: Strategy = {
  ...specStrategy(),
  default: (object) => changeSpec(object, specDefaults),
  validateCreate: (object) => {
    const name = nameOf(object);
    return [
      ...validateObjectMeta(object, RULES),
      ...specErrors(validateSpec, object),
      ...invalid(name.length > 52, 'metadata.name', name, 'must be no more than 52 characters'),
    ];
  },
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...specErrors(validateSpec, object, old),
  ],
  warnings: (object, old) => {
    if (old !== undefined && generationOf(old) === generationOf(object)) return [];
    const template = specField<Spec>(object).at('jobTemplate').at('spec').at('template');
    return [
      ...(old === undefined ? nameWarnings(object) : []),
      ...podWarnings(template.object, template.path),
    ];
  },
};

export const cronJobStatus: Strategy = statusStrategy(validateObjectMetaUpdate);

function validateSpec(spec: Field<Spec>, old?: Field<Spec>): void {
  validateSchedule(spec, old);
  spec.nonNegative('startingDeadlineSeconds');
  if (old?.at('timeZone').value !== spec.at('timeZone').value) validateTimeZone(spec);
  spec.requireOneOf('concurrencyPolicy', ['Allow', 'Forbid', 'Replace']);
  validateJob(spec.at('jobTemplate').at('spec'));
  spec.nonNegative('successfulJobsHistoryLimit', 'failedJobsHistoryLimit');
}

function validateSchedule(spec: Field<Spec>, old?: Field<Spec>): void {
  const [text, schedule] = [spec.text('schedule'), spec.at('schedule')];
  if (text === '') return schedule.addRequired();
  const problem = scheduleProblem(text);
  if (problem !== undefined) schedule.addInvalid(problem);
  if (!text.includes('TZ')) return;
  if (old?.text('schedule').includes('TZ') !== true)
    schedule.addInvalid('cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (spec.maybeText('timeZone') !== undefined)
    schedule.addInvalid('cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function validateTimeZone(spec: Field<Spec>): void {
  const [zone, field] = [spec.maybeText('timeZone'), spec.at('timeZone')];
  if (zone === undefined) return;
  if (zone === '') return field.addInvalid('timeZone must be nil or non-empty string');
  const parts = zone.split('/');
  const odd = parts.some((part) => /^\.{1,2}$|^-/.test(part) || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  const known = !odd && (zone === 'Local' || isTimeZone(zone));
  if (zone.toLowerCase() === 'local')
    field.addInvalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  if (!known) field.addInvalid(`unknown time zone ${zone}`);
}

function validateJob(spec: Field<batchv1.JobSpec>): void {
  validateJobSpec(spec);
  const [selector, manual] = [spec.at('selector'), spec.at('manualSelector')];
  if (spec.has('selector'))
    selector.addInvalid('`selector` will be auto-generated', { as: 'meta.LabelSelector' });
  if (spec.isTrue('manualSelector')) manual.addNotSupported(['nil', 'false']);
}
