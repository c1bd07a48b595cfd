import { applyJsonPatch } from '@kubewright/kube/patch';
import type { Json, KubeObject } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ANNOTATIONS } from '../api.ts';
import { recordOf, recordPatch, rewritten } from './object-record.ts';
import { recordFor, sentView, viewOf } from './recorded-view.ts';

const { trace, updaters, approvals, freeze } = ANNOTATIONS;
const SPEC = { manager: 'ctl', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } };
const RECORD = { [trace]: '[{"user":"a=b \\"c\\""}]', [updaters]: 'abcde' };

function object(
  annotations?: Readonly<Record<string, string>>,
  managedFields: object[] = [SPEC],
): KubeObject {
  const metadata = { name: 'web', ...(annotations && { annotations }), managedFields };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata };
}

function patched(live: KubeObject, record: Readonly<Record<string, string>>): KubeObject {
  return applyJsonPatch(live, recordPatch(live, record)) as KubeObject;
}

test('what is recorded is read as it was written, and annotations stay as they are', () => {
  const live = patched(object({ note: 'x' }), RECORD);
  expect(live.metadata.annotations).toEqual({ note: 'x' });
  expect(recordOf(live)).toEqual(RECORD);
  expect(viewOf(live).metadata.annotations).toEqual({ note: 'x', ...RECORD });
  expect(recordPatch(live, RECORD)).toEqual([]);
  expect(live.metadata.managedFields).toContainEqual(SPEC);
});

test('an object has one record: another replaces it, an empty one removes it, and none is no reason for a patch', () => {
  const live = patched(patched(object(), RECORD), { [updaters]: 'fghij' });
  expect(recordOf(live)).toEqual({ [updaters]: 'fghij' });
  expect(live.metadata.managedFields).toHaveLength(2);
  expect(patched(live, {}).metadata.managedFields).toEqual([SPEC]);
  expect(recordPatch(object(), {})).toEqual([]);
  const { managedFields: _none, ...metadata } = object().metadata;
  expect(recordOf(patched({ ...object(), metadata }, RECORD))).toEqual(RECORD);
});

test('a record that the server has merged with the entries of old managers is read, and stays there', () => {
  const [entry] = rewritten(object(undefined, []), RECORD);
  const fieldsV1 = { ...entry?.fieldsV1, 'f:spec': { 'f:replicas': {} } };
  const live = object({}, [SPEC, { ...entry, manager: 'ancient-changes', fieldsV1 }]);
  expect(recordOf(live)).toEqual(RECORD);
  expect(recordPatch(live, RECORD)).toEqual([]);
  const after = patched(live, { [updaters]: 'fghij' });
  expect(recordOf(after)).toEqual({ [updaters]: 'fghij' });
  expect(after.metadata.managedFields?.map(({ manager }) => manager)).toEqual(['ctl', 'ancient-changes']);
  expect(after.metadata.managedFields?.[1]?.fieldsV1).toMatchObject({ 'f:spec': { 'f:replicas': {} } });
});

test('the entry is where the server sorts it in, so that a write that changes nothing stays one', () => {
  const time = '2026-01-01T10:00:00Z';
  const managers = (...entries: readonly object[]) =>
    patched(object({}, [...entries]), RECORD).metadata.managedFields?.map(({ manager }) => manager);
  const apply = { ...SPEC, manager: 'z', operation: 'Apply', time };
  expect(managers(apply, { ...SPEC, time }, { ...SPEC, manager: 'a', time })).toEqual([
    'z',
    'kausality.io',
    'ctl',
    'a',
  ]);
  expect(managers(apply)).toEqual(['z', 'kausality.io']);
  expect(managers({ ...SPEC, manager: 'a' }, { ...SPEC, manager: 'l' })).toEqual(['a', 'kausality.io', 'l']);
});

test('the fields of a record are in the order in which the server writes them', () => {
  const live = patched(object(), { [updaters]: 'abcde', [approvals]: '[]', [trace]: '[]' });
  const entry = live.metadata.managedFields?.at(-1);
  const names = [`f:${approvals}=[]`, `f:${trace}=[]`, `f:${updaters}=abcde`];
  expect(JSON.stringify(entry?.fieldsV1)).toBe(
    JSON.stringify({
      'f:metadata': { 'f:annotations': Object.fromEntries(names.map((name) => [name, {}])) },
    }),
  );
});

test('what a manager applies is no record: its next apply would remove it', () => {
  const [entry] = rewritten(object(undefined, []), RECORD);
  expect(recordOf(object({}, [{ ...entry, operation: 'Apply' }]))).toBeUndefined();
  expect(recordOf(object({}, [{ ...entry, manager: 'kubectl' }]))).toBeUndefined();
});

test('annotations of the original and of earlier releases count as long as there is no record', () => {
  const live = object({ [trace]: '[]', [updaters]: 'abcde', [freeze]: 'true' });
  expect(viewOf(live)).toEqual(live);
  expect(viewOf(patched(live, { [updaters]: 'fghij' })).metadata.annotations).toEqual({
    [updaters]: 'fghij',
    [freeze]: 'true',
  });
});

/** What is stored after a controller has sent `copied`, where `counting` was in force. */
function copied(counting: Readonly<Record<string, string>>, sent: Readonly<Record<string, string>>) {
  return patched(object(sent), recordFor({ ...RECORD, ...counting }, sent));
}

test('what a controller copies is stored and does not count; what people have said before does', () => {
  const live = copied({ [freeze]: 'mine' }, { [approvals]: '[1]', [freeze]: 'copied', other: 'x' });
  expect(live.metadata.annotations).toEqual({ [approvals]: '[1]', [freeze]: 'copied', other: 'x' });
  expect(viewOf(live).metadata.annotations).toEqual({ ...RECORD, [freeze]: 'mine', other: 'x' });
});

test('what a controller removes still counts, until somebody says something else', () => {
  const live = copied({ [freeze]: 'mine' }, {});
  expect(viewOf(live).metadata.annotations).toEqual({ ...RECORD, [freeze]: 'mine' });
  const written = { ...live, metadata: { ...live.metadata, annotations: { [freeze]: 'false' } } };
  // Also where the webhook has not seen the write.
  expect(viewOf(written).metadata.annotations).toEqual({ ...RECORD, [freeze]: 'false' });
});

test('what is sent as it is stored is meant as before; what is sent otherwise is meant as it is sent', () => {
  const live = copied({ [freeze]: 'mine' }, { [approvals]: '[1]' });
  const labelled = { ...live, metadata: { ...live.metadata, labels: { a: 'b' } } };
  expect(sentView(labelled, live).metadata.annotations).toEqual({ ...RECORD, [freeze]: 'mine' });
  const annotations = { [approvals]: '[2]', [freeze]: 'false' };
  const changed = { ...live, metadata: { ...live.metadata, annotations } };
  expect(sentView(changed, live).metadata.annotations).toEqual({ ...RECORD, ...annotations });
});

test('a record that a write leaves out or changes is seen to differ', () => {
  const live = copied({}, {});
  const without = { ...live, metadata: { ...live.metadata, managedFields: [SPEC] } };
  expect(sentView(without, live).metadata.annotations).toEqual({});
  const forged = {
    ...live,
    metadata: { ...live.metadata, managedFields: rewritten(live, { [updaters]: 'x' }) },
  };
  expect(sentView(forged, live).metadata.annotations).toEqual({ [updaters]: 'x' });
});

test.each<[string, Json]>([
  ['no fields', null],
  ['a list', []],
  ['a text', 'x'],
  ['text for annotations', { 'f:metadata': { 'f:annotations': 'x' } }],
  ['a prototype', { __proto__: { 'f:metadata': {} } }],
])('managedFields that are none are no record: %s', (_what, fieldsV1) => {
  const live = object({}, [{ manager: 'kausality.io', operation: 'Update', fieldsV1 }]);
  expect(recordOf(live)).toBeUndefined();
  expect(recordOf(patched(live, RECORD))).toEqual(RECORD);
});
