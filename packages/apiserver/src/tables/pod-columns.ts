import type { JsonObject } from '@kubewright/kube';
import { objectAt, objectsAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { ageColumn, column, nameColumn, wide } from './column.ts';
import { ageOf } from './human-duration.ts';
import { summarizePod } from './summarize-pod.ts';

const spec = (pod: JsonObject): JsonObject => objectAt(pod, 'spec');
const status = (pod: JsonObject): JsonObject => objectAt(pod, 'status');

function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(spec(pod), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = objectsAt(status(pod), 'conditions');
  const passed = gates.filter((gate) => {
    const type = stringAt(gate, 'conditionType');
    const condition = conditions.find((candidate) => stringAt(candidate, 'type') === type);
    return condition !== undefined && stringAt(condition, 'status') === 'True';
  });
  return `${passed.length}/${gates.length}`;
}

function restarts(pod: JsonObject, now: Date): string {
  const { restarts: count, lastRestart } = summarizePod(pod);
  return count > 0 && lastRestart !== '' ? `${count} (${ageOf(lastRestart, now)} ago)` : `${count}`;
}

export const podColumns: readonly TableColumn[] = [
  nameColumn,
  column('Ready', (pod) => {
    const { ready, total } = summarizePod(pod);
    return `${ready}/${total}`;
  }),
  column('Status', (pod) => summarizePod(pod).reason),
  column('Restarts', restarts),
  ageColumn,
  wide('IP', (pod) => stringAt(objectsAt(status(pod), 'podIPs')[0] ?? {}, 'ip') || '<none>'),
  wide('Node', (pod) => stringAt(spec(pod), 'nodeName') || '<none>'),
  wide('Nominated Node', (pod) => stringAt(status(pod), 'nominatedNodeName') || '<none>'),
  wide('Readiness Gates', readinessGates),
];
