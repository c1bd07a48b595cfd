import type { Json, JsonObject, KubeObject } from '@kubewright/kube';
import { changeObject } from '../../objects/change-object.ts';

/** Fields that the two versions of an Event spell differently: in the core version, and in `events.k8s.io/v1`. */
const SPELLINGS: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

const TO_CORE = new Map(SPELLINGS.map(([core, events]) => [events, core]));
const FROM_CORE = new Map(SPELLINGS);

/** What the core version writes even where it is not set, and the other one then leaves out. */
const ALWAYS = ['reportingComponent', 'reportingInstance'];

/** An Event of the core version, in which all are stored, in `events.k8s.io/v1`. */
export function fromCoreEvent(object: KubeObject): KubeObject {
  return changeObject({ ...object, apiVersion: 'events.k8s.io/v1' }, (body) =>
    respelled(
      Object.entries(body).filter(([key, value]) => value !== '' || !ALWAYS.includes(key)),
      FROM_CORE,
    ),
  );
}

/** An Event of `events.k8s.io/v1` in the core version. */
export function toCoreEvent(object: KubeObject): KubeObject {
  return changeObject({ ...object, apiVersion: 'v1' }, (body) => ({
    ...Object.fromEntries(ALWAYS.map((key) => [key, ''])),
    ...respelled(Object.entries(body), TO_CORE),
  }));
}

function respelled(
  fields: readonly (readonly [string, Json])[],
  names: ReadonlyMap<string, string>,
): JsonObject {
  return Object.fromEntries(fields.map(([key, value]) => [names.get(key) ?? key, value]));
}
