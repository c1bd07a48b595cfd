import { defined, getOwn, isJsonObject, type Json, type JsonObject, type KubeObject } from '@kubewright/kube';
import { merged } from '../../kit/merged.ts';
import { viewOf } from '../annotations/recorded-view.ts';
import { ANNOTATIONS, PREFIX } from '../api.ts';
import { announcements, wantedChildren } from '../decide/is-announced.ts';
import { inputsOf } from '../decide/content-of.ts';
import { conditionsIn, hasStatus, statusOf } from '../decide/parent-status.ts';
import { shared, sharedText } from './shared.ts';
import { profileOf } from '../profiles/profiles.ts';

const STATUS = ['observedGeneration', 'replicas', 'updatedReplicas'] as const;
const CONDITION = ['type', 'status', 'reason', 'observedGeneration'] as const;
/** Of this one alone it counts since when: of others, a time of its own would have each object have its own status. */
const TIMED = 'Reconciling';

/**
 * Keeps only the fields of a parent that decisions use, a few hundred bytes of any object, and the annotations that
 * count.
 */
export function project<T extends KubeObject>(object: T): T {
  const [apiVersion, kind] = [object.apiVersion, object.kind].map(sharedText) as [string, string];
  const metadata = projectedMetadata(object);
  const spec = shared(pick(object['spec'], ['replicas']));
  const projected: KubeObject = { apiVersion, kind, metadata, spec, status: shared(projectedStatus(object)) };
  // A partial T: readers of this cache use it as a KubeObject.
  return projected as T;
}

/**
 * Most objects are written as one literal: an object that others are spread into has a description of its own in V8, as
 * large as itself.
 */
function projectedMetadata(object: KubeObject): KubeObject['metadata'] {
  const { name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = object.metadata;
  const namespace = object.metadata.namespace && sharedText(object.metadata.namespace);
  const annotations = countingAnnotations(object);
  // Servers drop fields that metadata does not have.
  const inputs = inputsOf(object);
  const isWritten = hasStatus(object);
  const usual = { name, namespace, uid, resourceVersion, generation, annotations, inputs, isWritten };
  // By its age, one is initialized of which nothing else says so.
  const isInitialized = annotations[ANNOTATIONS.phase] === 'initialized';
  const seldom = { deletionTimestamp, ...announcedIn(object) };
  const all = isInitialized
    ? usual
    : {
        name,
        namespace,
        uid,
        resourceVersion,
        generation,
        annotations,
        inputs,
        isWritten,
        creationTimestamp,
      };
  const isUsual = !Object.values(all).includes(undefined) && Object.values(seldom).every(isUndefined);
  return (isUsual ? all : defined({ ...all, ...seldom })) as KubeObject['metadata'];
}

const isUndefined = (value: unknown): boolean => value === undefined;

function countingAnnotations(object: KubeObject): Readonly<Record<string, string>> {
  const all = Object.entries(viewOf(object).metadata.annotations ?? {});
  const ours = all.filter(([key]) => key.startsWith(PREFIX));
  return Object.fromEntries(ours.map(([key, value]) => [key, sharedText(value)] as const));
}

function announcedIn(object: KubeObject): object {
  const announced = announcements(object);
  const wanted = wantedChildren(object);
  return { ...(announced.length === 0 ? {} : { announced }), ...defined({ wanted }) };
}

function projectedStatus(object: KubeObject): JsonObject {
  const status = statusOf(object);
  const { working = [], due = [], observedGeneration = STATUS[0] } = profileOf(object) ?? {};
  const named = working.flatMap((one) => {
    if ('condition' in one) return [];
    return 'values' in one ? [one.field] : [one.field, one.differsFrom];
  });
  const paths = new Set([...STATUS, observedGeneration, ...named, ...due]);
  const conditions = conditionsIn(status).map((one) =>
    shared(pick(one, one['type'] === TIMED ? [...CONDITION, 'lastTransitionTime'] : CONDITION)),
  );
  const fields = [...paths].reduce((into, path) => withPath(into, status, path.split('.')), {});
  return conditions.length === 0 ? fields : merged(fields, { conditions });
}

/** With the field at a path of `from`, alone. */
function withPath(into: JsonObject, from: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const value = getOwn(from, key);
  if (value === undefined) return into;
  if (rest.length === 0) return merged(into, { [key]: value });
  if (!isJsonObject(value)) return into;
  const known = getOwn(into, key);
  return merged(into, { [key]: withPath(isJsonObject(known) ? known : {}, value, rest) });
}

function pick(from: Json | undefined, keys: readonly string[]): JsonObject {
  if (!isJsonObject(from)) return {};
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = getOwn(from, key);
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}
