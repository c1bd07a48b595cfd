import { errorText, type JsonObject, type KubeObject } from '@kubewright/kube';
import { isTimeZone, parseCronSchedule } from '@kubewright/kube/schedule';
import type { Strategy } from '../../model/resource-definition.ts';
import { changeSpec, nameWarnings, specStrategy } from '../apps/workload.ts';
import { podWarnings } from '../../pods/pod-warnings.ts';
import {
  type Errors,
  invalid,
  invalidFor,
  NONE,
  nameIsDnsSubdomain,
  nonNegative,
  required,
  requiredOneOf,
} from '../../validation/errors.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../validation/validate-object-meta.ts';
import { has, isTrue, maybeString, objectAt, specOf, stringAt, valueAt } from '../../objects/read.ts';
import { showing } from '../../validation/shown-as.ts';
import { generationOf, statusStrategy } from '../../model/status-strategy.ts';
import { type Change, inOrder, orDefault, orDefaultPointer, withField } from '../../objects/change-object.ts';
import { defaultJobTemplate, validateJobSpec } from './job-spec.ts';
import { nameOf } from '../../objects/name-of.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };

const specDefaults: Change = inOrder(
  (spec) => orDefault(spec, 'concurrencyPolicy', 'Allow'),
  (spec) => orDefaultPointer(spec, 'suspend', false),
  (spec) => orDefaultPointer(spec, 'successfulJobsHistoryLimit', 3),
  (spec) => orDefaultPointer(spec, 'failedJobsHistoryLimit', 1),
  (spec) => {
    const template = objectAt(spec, 'jobTemplate');
    return withField(
      spec,
      'jobTemplate',
      withField(template, 'spec', defaultJobTemplate(objectAt(template, 'spec'))),
    );
  },
);

/** `batch/v1 CronJob`. The Jobs that it makes get their own defaults. */
export const cronJob: Strategy = {
  ...specStrategy,
  default: (object) => changeSpec(object, specDefaults),
  validateCreate: (object) => {
    const name = nameOf(object);
    return [
      ...validateObjectMeta(object, RULES),
      ...validateSpec(specOf(object)),
      ...invalid(name.length > 52, 'metadata.name', name, 'must be no more than 52 characters'),
    ];
  },
  validateUpdate: (object, old) => [
    ...validateObjectMetaUpdate(object, old),
    ...validateSpec(specOf(object), specOf(old)),
  ],
  warnings: (object, old) => {
    if (old !== undefined && generationOf(old) === generationOf(object)) return [];
    const template = objectAt(specOf(object), 'jobTemplate', 'spec', 'template');
    return [
      ...(old === undefined ? nameWarnings(object) : []),
      ...podWarnings(template, 'spec.jobTemplate.spec.template'),
    ];
  },
};

export const cronJobStatus: Strategy = statusStrategy((object: KubeObject, old) =>
  validateObjectMetaUpdate(object, old),
);

function validateSpec(spec: JsonObject, old?: JsonObject): Errors {
  const zone = maybeString(spec, 'timeZone');
  return [
    ...validateSchedule(stringAt(spec, 'schedule'), zone, old),
    ...nonNegative(spec, 'startingDeadlineSeconds', 'spec'),
    ...(old !== undefined && valueAt(old, 'timeZone') === (zone ?? null) ? NONE : validateTimeZone(zone)),
    ...requiredOneOf(stringAt(spec, 'concurrencyPolicy'), 'spec.concurrencyPolicy', [
      'Allow',
      'Forbid',
      'Replace',
    ]),
    ...validateJob(objectAt(spec, 'jobTemplate', 'spec')),
    ...nonNegative(spec, 'successfulJobsHistoryLimit', 'spec'),
    ...nonNegative(spec, 'failedJobsHistoryLimit', 'spec'),
  ];
}

function validateSchedule(schedule: string, zone: string | undefined, old: JsonObject | undefined): Errors {
  const path = 'spec.schedule';
  if (schedule === '') return required(false, path);
  const problem = scheduleProblem(schedule);
  const zoned = schedule.includes('TZ');
  const allowed = old !== undefined && stringAt(old, 'schedule').includes('TZ');
  const both = 'cannot use both timeZone field and TZ or CRON_TZ in schedule';
  const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
  return [
    ...(problem === undefined ? NONE : invalidFor(path, schedule, [problem])),
    ...invalid(zoned && allowed && zone !== undefined, path, schedule, both),
    ...invalid(zoned && !allowed, path, schedule, detail),
  ];
}

function scheduleProblem(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function validateTimeZone(zone: string | undefined): Errors {
  if (zone === undefined) return NONE;
  const path = 'spec.timeZone';
  if (zone === '') return invalidFor(path, zone, ['timeZone must be nil or non-empty string']);
  const parts = zone.split('/');
  const odd = parts.some((part) => /^\.{1,2}$|^-/.test(part) || !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part));
  const known = !odd && (zone === 'Local' || isTimeZone(zone));
  const local = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...invalid(zone.toLowerCase() === 'local', path, zone, local),
    ...invalid(!known, path, zone, `unknown time zone ${zone}`),
  ];
}

function validateJob(spec: JsonObject): Errors {
  const path = 'spec.jobTemplate.spec';
  return [
    ...validateJobSpec(spec, path),
    ...showing(
      '?meta.LabelSelector',
      invalid(
        has(spec, 'selector'),
        `${path}.selector`,
        valueAt(spec, 'selector'),
        '`selector` will be auto-generated',
      ),
    ),
    ...(isTrue(spec, 'manualSelector')
      ? [
          {
            type: 'NotSupported' as const,
            field: `${path}.manualSelector`,
            value: true,
            detail: 'supported values: "nil", "false"',
          },
        ]
      : NONE),
  ];
}
