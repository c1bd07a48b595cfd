import { defined, getOwn, isJsonObject, type Json, type JsonObject, type KubeObject } from '@kubewright/kube';
import { viewOf } from '../annotations/recorded-view.ts';
import { PREFIX } from '../api.ts';
import { announcements, wantedChildren } from '../decide/is-announced.ts';
import { inputsOf } from '../decide/content-of.ts';
import { conditionsIn, statusOf } from '../decide/parent-status.ts';
import { profileOf } from '../profiles/profiles.ts';

const METADATA = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
] as const;
const STATUS = ['observedGeneration', 'replicas', 'updatedReplicas'] as const;
const CONDITION = ['type', 'status', 'reason', 'observedGeneration', 'lastTransitionTime'] as const;

/**
 * Keeps only the fields of a parent that decisions use, a few hundred bytes of any object, and the annotations that
 * count.
 */
export function project<T extends KubeObject>(object: T): T {
  const { apiVersion, kind, metadata } = viewOf(object);
  const ours = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(PREFIX));
  const projected: KubeObject = {
    apiVersion,
    kind,
    metadata: {
      ...pick(metadata, METADATA),
      annotations: Object.fromEntries(ours),
      // Servers drop fields that metadata does not have.
      ...({ inputs: inputsOf(object), ...announcedIn(object) } as object),
    },
    spec: pick(object['spec'], ['replicas']),
    status: projectedStatus(object),
  };
  // A partial T: readers of this cache use it as a KubeObject.
  return projected as T;
}

function announcedIn(object: KubeObject): object {
  const announced = announcements(object);
  const wanted = wantedChildren(object);
  return { ...(announced.length === 0 ? {} : { announced }), ...defined({ wanted }) };
}

function projectedStatus(object: KubeObject): JsonObject {
  const status = statusOf(object);
  const { working = [], due = [] } = profileOf(object) ?? {};
  const named = working.flatMap((one) => ('values' in one ? [one.field] : [one.field, one.differsFrom]));
  const conditions = conditionsIn(status).map((one) => pick(one, CONDITION));
  return {
    ...pick(status, [...STATUS, ...named, ...due]),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
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
