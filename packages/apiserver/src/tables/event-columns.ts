import type { JsonObject } from '@kubewright/kube';
import { maybeObject, numberAt, objectAt, stringAt } from '../objects/read.ts';
import type { TableColumn } from '../model/resource-definition.ts';
import { column, wide, wideNameColumn } from './column.ts';
import { ageOf } from './human-duration.ts';

/** A field under its name in `v1` or in `events.k8s.io/v1`: both show the same columns. */
const either = (event: JsonObject, ...keys: readonly string[]): string =>
  keys.map((key) => stringAt(event, key)).find((text) => text !== '') ?? '';

const involved = (event: JsonObject): JsonObject =>
  maybeObject(event, 'involvedObject') ?? objectAt(event, 'regarding');

const firstSeen = (event: JsonObject, now: Date): string =>
  ageOf(either(event, 'firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'), now);

function lastSeen(event: JsonObject, now: Date): string {
  const series = stringAt(objectAt(event, 'series'), 'lastObservedTime');
  const last = series === '' ? either(event, 'lastTimestamp', 'deprecatedLastTimestamp') : series;
  return last === '' ? firstSeen(event, now) : ageOf(last, now);
}

function involvedName(event: JsonObject): string {
  const kind = stringAt(involved(event), 'kind').toLowerCase();
  const name = stringAt(involved(event), 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function source(event: JsonObject): string {
  const declared = maybeObject(event, 'source') ?? objectAt(event, 'deprecatedSource');
  const component =
    stringAt(declared, 'component') || either(event, 'reportingComponent', 'reportingController');
  const host = stringAt(declared, 'host') || stringAt(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}

/** An event seen once carries no count. */
function count(event: JsonObject): number {
  const counts = [
    numberAt(objectAt(event, 'series'), 'count'),
    numberAt(event, 'count'),
    numberAt(event, 'deprecatedCount'),
  ];
  return counts.find((value) => value > 0) ?? 1;
}

export const eventColumns: readonly TableColumn[] = [
  column('Last Seen', lastSeen),
  column('Type', (event) => stringAt(event, 'type')),
  column('Reason', (event) => stringAt(event, 'reason')),
  column('Object', involvedName),
  wide('Subobject', (event) => stringAt(involved(event), 'fieldPath')),
  wide('Source', source),
  column('Message', (event) => either(event, 'message', 'note').trim()),
  wide('First Seen', firstSeen),
  wide('Count', count),
  wideNameColumn,
];
