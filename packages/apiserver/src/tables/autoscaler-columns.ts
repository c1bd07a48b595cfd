import type { JsonObject } from '@kubewright/kube';
import {
  has,
  maybeNumber,
  maybeObject,
  maybeString,
  numberAt,
  objectAt,
  objectsAt,
  stringAt,
} from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn } from './column.ts';

const FIELDS: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};
const UNKNOWN = '<unknown>';
const SHOWN = 2;

/** The current and the target value of a metric: `cpu: 40%/80%`. */
function metric(spec: JsonObject, status: JsonObject): string {
  const field = FIELDS[stringAt(spec, 'type')];
  if (field === undefined) return '<unknown type>';
  const source = objectAt(spec, field);
  const target = objectAt(source, 'target');
  const current = maybeObject(objectAt(status, field), 'current') ?? {};
  if (field === 'resource' || field === 'containerResource') {
    return `${stringAt(source, 'name')}: ${resource(target, current)}`;
  }
  if (field === 'pods') return `${text(current, 'averageValue')}/${stringAt(target, 'averageValue')}`;
  return has(target, 'averageValue')
    ? `${text(current, 'averageValue')}/${stringAt(target, 'averageValue')} (avg)`
    : `${text(current, 'value')}/${stringAt(target, 'value')}`;
}

function text(current: JsonObject, key: string): string {
  return maybeString(current, key) ?? UNKNOWN;
}

function resource(target: JsonObject, current: JsonObject): string {
  if (has(target, 'averageValue')) {
    return `${text(current, 'averageValue')}/${stringAt(target, 'averageValue')}`;
  }
  const percent = (object: JsonObject, absent: string): string => {
    const value = maybeNumber(object, 'averageUtilization');
    return value === undefined ? absent : `${value}%`;
  };
  return `${percent(current, UNKNOWN)}/${percent(target, '<auto>')}`;
}

function targets(object: JsonObject): string {
  const specs = objectsAt(objectAt(object, 'spec'), 'metrics');
  const statuses = objectsAt(objectAt(object, 'status'), 'currentMetrics');
  if (specs.length === 0) return '<none>';
  const shown = specs.slice(0, SHOWN).map((spec, index) => metric(spec, statuses[index] ?? {}));
  return `${shown.join(', ')}${specs.length > SHOWN ? ` + ${specs.length - SHOWN} more...` : ''}`;
}

export const autoscalerColumns: readonly TableColumn[] = [
  nameColumn,
  column('Reference', (object) => {
    const target = objectAt(object, 'spec', 'scaleTargetRef');
    return `${stringAt(target, 'kind')}/${stringAt(target, 'name')}`;
  }),
  column('Targets', targets),
  column('MinPods', (object) => String(maybeNumber(objectAt(object, 'spec'), 'minReplicas') ?? '<unset>')),
  column('MaxPods', (object) => numberAt(objectAt(object, 'spec'), 'maxReplicas')),
  column('Replicas', (object) => numberAt(objectAt(object, 'status'), 'currentReplicas')),
  ageColumn,
];
