import type { JsonObject, KubeObject, ManagedFieldsEntry } from '@kubewright/kube';
import { PREFIX } from '../api.ts';
import { objectAt } from './read-annotation.ts';

/** What is recorded about an object: annotation by annotation. */
export type ObjectRecord = Readonly<Record<string, string>>;

/**
 * Where the webhook keeps what it records: in `managedFields`, or in annotations as the original does. See
 * docs/decisions/0007: controllers copy, compare and hash annotations, and nothing else of `managedFields` than their own
 * entries.
 */
export type RecordPlace = 'managedFields' | 'annotations';

/** The field manager of the entry with the record. */
const RECORDER = 'kausality.io';
/** Where kube-apiserver merges the entries of the oldest managers of an object that has more than ten. */
const MERGED = 'ancient-changes';
/** No annotation has a key with an equals sign: no object has these fields, so no write takes them from the recorder. */
const FIELD = `f:${PREFIX}`;

type Entries = readonly ManagedFieldsEntry[];

/** The record of an object; undefined if it has none. */
export function recordOf({ metadata }: KubeObject): ObjectRecord | undefined {
  const fields = (metadata.managedFields ?? []).filter(mayRecord).flatMap(recordedFields);
  return fields.length === 0 ? undefined : Object.fromEntries(fields.map(({ key, value }) => [key, value]));
}

/**
 * What has to be done to the managedFields of an object that it has this record: a JSON Patch. Empty: it has. The entry
 * stays where it is, and the server sorts it in where it is new: a write that changes nothing stays one.
 */
export function recordPatch(object: KubeObject, record: ObjectRecord): JsonObject[] {
  const path = '/metadata/managedFields';
  const { managedFields } = object.metadata;
  const entries = managedFields ?? [];
  const holders = entries.filter(holdsRecord);
  const [holder] = holders;
  const isEmpty = Object.keys(record).length === 0;
  if (holder === undefined) return isEmpty ? [] : [added(object, record)];
  if (holders.length > 1 || !mayRecord(holder))
    return [{ op: 'replace', path, value: json(rewritten(object, record)) }];
  if (isSame(holder, record)) return [];
  const at = `${path}/${entries.indexOf(holder)}`;
  if (holder.manager === RECORDER && isEmpty) return [{ op: 'remove', path: at }];
  const value = holder.manager === RECORDER ? entryWith(object, record) : mergedWith(holder, record);
  return [{ op: 'replace', path: at, value: json(value) }];
}

function added(object: KubeObject, record: ObjectRecord): JsonObject {
  const path = '/metadata/managedFields';
  const { managedFields } = object.metadata;
  const value = json(entryWith(object, record));
  return managedFields === undefined
    ? { op: 'add', path, value: [value] }
    : { op: 'add', path: `${path}/${placeIn(managedFields)}`, value };
}

/** The managedFields of an object with this record, and no other. */
export function rewritten(object: KubeObject, record: ObjectRecord): Entries {
  const others = (object.metadata.managedFields ?? []).flatMap(withoutRecord);
  const own = Object.keys(record).length === 0 ? [] : [entryWith(object, record)];
  return others.toSpliced(placeIn(others), 0, ...own);
}

/** Where the server sorts it in: by operation, time and manager. It has no time, so that another does not move it. */
function placeIn(entries: Entries): number {
  const at = entries.findIndex(
    ({ operation, time, manager = '' }) =>
      operation === 'Update' && (time !== undefined || manager > RECORDER),
  );
  return at < 0 ? entries.length : at;
}

/** Only managers of updates: a record that somebody has made part of what he applies is about to be removed. */
function mayRecord({ manager, operation }: ManagedFieldsEntry): boolean {
  return operation === 'Update' && (manager === RECORDER || manager === MERGED);
}

function holdsRecord(entry: ManagedFieldsEntry): boolean {
  return recordedFields(entry).length > 0;
}

type Field = { readonly key: string; readonly value: string };

function recordedFields({ fieldsV1 }: ManagedFieldsEntry): readonly Field[] {
  return Object.keys(annotationFields(fieldsV1))
    .filter(isRecorded)
    .map((field) => {
      const end = field.indexOf('=');
      return { key: field.slice('f:'.length, end), value: field.slice(end + 1) };
    });
}

function isRecorded(field: string): boolean {
  return field.startsWith(FIELD) && field.includes('=');
}

function annotationFields(fieldsV1: unknown): JsonObject {
  return objectAt(objectAt(fieldsV1 as JsonObject | undefined, 'f:metadata'), 'f:annotations');
}

/** The entry without a record; none if that is all it has. */
function withoutRecord(entry: ManagedFieldsEntry): Entries {
  if (!holdsRecord(entry)) return [entry];
  return entry.manager === RECORDER ? [] : [mergedWith(entry, {})];
}

/** Another manager's entry with this record. */
function mergedWith(entry: ManagedFieldsEntry, record: ObjectRecord): ManagedFieldsEntry {
  const fieldsV1 = entry.fieldsV1 as JsonObject;
  const kept = Object.entries(annotationFields(fieldsV1)).filter(([field]) => !isRecorded(field));
  const annotations = sorted({ ...Object.fromEntries(kept), ...fieldsOf(record) });
  const metadata = { ...objectAt(fieldsV1, 'f:metadata'), 'f:annotations': annotations };
  return { ...entry, fieldsV1: { ...fieldsV1, 'f:metadata': metadata } };
}

/** Its version is that of the object: in another one, the server would have to convert the object at each write. */
function entryWith({ apiVersion }: KubeObject, record: ObjectRecord): ManagedFieldsEntry {
  return {
    manager: RECORDER,
    operation: 'Update',
    apiVersion,
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:annotations': fieldsOf(record) } },
  };
}

function fieldsOf(record: ObjectRecord): JsonObject {
  return sorted(Object.fromEntries(Object.entries(record).map(([key, value]) => [`f:${key}=${value}`, {}])));
}

/** As the server writes them: kube-apiserver compares the bytes of an entry to see whether a write changes anything. */
function sorted(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function isSame(entry: ManagedFieldsEntry, record: ObjectRecord): boolean {
  const fields = recordedFields(entry);
  return (
    fields.length === Object.keys(record).length && fields.every(({ key, value }) => record[key] === value)
  );
}

/** The types of metadata are JSON. */
const json = (value: object): JsonObject => value as JsonObject;
