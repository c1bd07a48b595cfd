import { type JsonObject, parseApiVersion } from '@kubewright/kube';
import {
  isTrue,
  itemsAt,
  maybeNumber,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, containerColumns, isBeingDeleted, nameColumn, selectorColumn } from './column.ts';
import { formatLabels } from './format-labels.ts';
import { ageOf, humanDuration } from './human-duration.ts';

const TEMPLATE = ['spec', 'template', 'spec'] as const;
const SELECTOR = ['spec', 'selector'] as const;

const status = (key: string) => (object: JsonObject) => numberAt(objectAt(object, 'status'), key);
const desired = (object: JsonObject): number => numberAt(objectAt(object, 'spec'), 'replicas');
const ready = column('Ready', (object) => `${status('readyReplicas')(object)}/${desired(object)}`);

export const deploymentColumns: readonly TableColumn[] = [
  nameColumn,
  ready,
  column('Up-to-date', status('updatedReplicas')),
  column('Available', status('availableReplicas')),
  ageColumn,
  ...containerColumns(...TEMPLATE),
  selectorColumn(SELECTOR, ''),
];

/** Here, containers are shown without `-o wide`. */
export const podTemplateColumns: readonly TableColumn[] = [
  nameColumn,
  ...containerColumns('template', 'spec').map((shown) => ({ ...shown, priority: 0 })),
  column('Pod Labels', (object) => formatLabels(objectAt(object, 'template', 'metadata'), 'labels')),
];

export const statefulSetColumns: readonly TableColumn[] = [
  nameColumn,
  ready,
  ageColumn,
  ...containerColumns(...TEMPLATE),
];

export const replicaSetColumns: readonly TableColumn[] = [
  nameColumn,
  column('Desired:integer', desired),
  column('Current:integer', status('replicas')),
  column('Ready:integer', status('readyReplicas')),
  ageColumn,
  ...containerColumns(...TEMPLATE),
  selectorColumn(SELECTOR, '<none>'),
];

export const daemonSetColumns: readonly TableColumn[] = [
  nameColumn,
  column('Desired:integer', status('desiredNumberScheduled')),
  column('Current:integer', status('currentNumberScheduled')),
  column('Ready:integer', status('numberReady')),
  column('Up-to-date:integer', status('updatedNumberScheduled')),
  column('Available:integer', status('numberAvailable')),
  column('Node Selector', (object) => formatLabels(objectAt(object, ...TEMPLATE), 'nodeSelector')),
  ageColumn,
  ...containerColumns(...TEMPLATE),
  selectorColumn(SELECTOR, '<none>'),
];

export const jobColumns: readonly TableColumn[] = [
  nameColumn,
  column('Status', jobStatus),
  column('Completions', jobCompletions),
  column('Duration', jobDuration),
  ageColumn,
  ...containerColumns(...TEMPLATE),
  selectorColumn(SELECTOR, '<none>'),
];

/** What a condition of a Job means for its status, the strongest first. */
const JOB_ENDINGS: readonly (readonly [string, string])[] = [
  ['Complete', 'Complete'],
  ['Failed', 'Failed'],
];
const JOB_STATES: readonly (readonly [string, string])[] = [
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
];

function jobStatus(job: JsonObject): string {
  const conditions = objectsAt(objectAt(job, 'status'), 'conditions');
  const holds = ([type]: readonly [string, string]): boolean => {
    const condition = conditions.find((candidate) => stringAt(candidate, 'type') === type);
    return condition !== undefined && stringAt(condition, 'status') === 'True';
  };
  const ending = JOB_ENDINGS.find(holds);
  if (ending !== undefined) return ending[1];
  if (isBeingDeleted(job)) return 'Terminating';
  return JOB_STATES.find(holds)?.[1] ?? 'Running';
}

function jobCompletions(job: JsonObject): string {
  const spec = objectAt(job, 'spec');
  const succeeded = status('succeeded')(job);
  const completions = maybeNumber(spec, 'completions');
  if (completions !== undefined) return `${succeeded}/${completions}`;
  const parallelism = numberAt(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, now: Date): string {
  const times = objectAt(job, 'status');
  const start = stringAt(times, 'startTime');
  if (start === '') return '';
  const end = maybeString(times, 'completionTime');
  return humanDuration((end === undefined ? now.getTime() : Date.parse(end)) - Date.parse(start));
}

export const cronJobColumns: readonly TableColumn[] = [
  nameColumn,
  column('Schedule', (object) => stringAt(objectAt(object, 'spec'), 'schedule')),
  column('Timezone', (object) => maybeString(objectAt(object, 'spec'), 'timeZone') ?? '<none>'),
  column('Suspend:boolean', (object) => (isTrue(objectAt(object, 'spec'), 'suspend') ? 'True' : 'False')),
  column('Active:integer', (object) => itemsAt(objectAt(object, 'status'), 'active').length),
  column('Last Schedule', (object, now) => {
    const last = maybeString(objectAt(object, 'status'), 'lastScheduleTime');
    return last === undefined ? '<none>' : ageOf(last, now);
  }),
  ageColumn,
  ...containerColumns('spec', 'jobTemplate', 'spec', 'template', 'spec'),
  selectorColumn(['spec', 'jobTemplate', 'spec', 'selector'], '<none>'),
];

/** `statefulset.apps/web`. */
function controllerName(revision: JsonObject): string {
  const owners = objectsAt(objectAt(revision, 'metadata'), 'ownerReferences');
  const owner = owners.find((reference) => isTrue(reference, 'controller'));
  if (owner === undefined) return '<none>';
  const { group } = parseApiVersion(stringAt(owner, 'apiVersion'));
  const kind = stringAt(owner, 'kind').toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${stringAt(owner, 'name')}`;
}

export const controllerRevisionColumns: readonly TableColumn[] = [
  nameColumn,
  column('Controller', controllerName),
  column('Revision', (revision) => numberAt(revision, 'revision')),
  ageColumn,
];
