import type { KubeObject, ManagedFieldsEntry } from '@kubewright/kube';
import { ANNOTATIONS } from '../api.ts';
import { hashesOf, withHash } from './user-hash.ts';

type Entries = readonly ManagedFieldsEntry[];

const KEY: `${typeof ANNOTATIONS.controllers}=` = `${ANNOTATIONS.controllers}=`;

/**
 * Servers drop the annotations that a webhook adds to a write of the status of a custom resource, but keep its
 * managedFields. So who writes the status is stored with the write itself, as the manager of no fields. The server
 * forgets such a manager at the next write of the object, and takes none from clients: only a webhook can have added it.
 */
export function entriesWith(controllers: string, { apiVersion, metadata }: KubeObject): Entries {
  const others = (metadata.managedFields ?? []).filter((entry) => !isNoted(entry));
  const time = others.at(-1)?.time;
  const entry = { manager: `${KEY}${controllers}`, operation: 'Update', apiVersion, fieldsType: 'FieldsV1' };
  return [...others, { ...entry, ...(time === undefined ? {} : { time }), fieldsV1: {} }];
}

/** The managedFields of an object that note its controllers. */
function notedEntries({ metadata }: KubeObject): Entries {
  return (metadata.managedFields ?? []).filter(isNoted);
}

/** The controllers of an object where its annotation lacks some that are noted in its managedFields. */
export function notedControllers(object: KubeObject | undefined): string | undefined {
  const [entry] = object === undefined ? [] : notedEntries(object);
  if (object === undefined || entry === undefined) return undefined;
  const annotations = { [ANNOTATIONS.controllers]: entry.manager?.slice(KEY.length) ?? '' };
  const noted = hashesOf({ ...object, metadata: { annotations } }, ANNOTATIONS.controllers);
  const known = hashesOf(object, ANNOTATIONS.controllers);
  const all = noted.reduce(withHash, known);
  return all.join() === known.join() ? undefined : all.join(',');
}

/** The object with the annotation that it will have. */
export function withNotedControllers<T extends KubeObject>(object: T): T {
  const noted = notedControllers(object);
  if (noted === undefined) return object;
  const annotations = { ...object.metadata.annotations, [ANNOTATIONS.controllers]: noted };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A manager that owns fields is one that a client chose. */
function isNoted({ manager = '', operation, fieldsV1 = {} }: ManagedFieldsEntry): boolean {
  return manager.startsWith(KEY) && operation === 'Update' && Object.keys(fieldsV1).length === 0;
}
