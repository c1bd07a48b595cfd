import type { ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { ownSet, readManagedFields } from '../read-managed-fields.ts';
import { entry, live } from '../testing/claims.ts';
import { planRollback } from './plan-rollback.ts';

const data = (...keys: readonly string[]) => ({
  'f:data': Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});
const eno = { manager: 'eno', operation: 'Apply', subresource: '', apiVersion: 'v1' } as const;
const at = (resourceVersion: string, ...entries: readonly ManagedFieldsEntry[]): Stored => {
  const object = live([...entries]);
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
};
const before = at(
  '1',
  entry('eno', 'Apply', data('a', 'b')),
  { ...entry('legacy', 'Update', data('a', 'b', 'c')), time: '2026-01-01T00:00:00Z' },
  entry('only', 'Update', data('a')),
);
const after = at('2', entry('eno', 'Apply', data('a', 'b')), entry('legacy', 'Update', data('c')));
const migrated = { before, after, hash: 'h', to: eno, report: { state: 'Moved', message: '' } } as const;

test('what nobody has written since is restored exactly, with its times', () => {
  expect(planRollback(migrated, after)?.entries).toEqual(before.metadata.managedFields);
});

test('after another write, each gets back what we still own of it', () => {
  const now = at('3', entry('eno', 'Apply', data('a')), entry('other', 'Update', data('b')));
  const rewrite = planRollback(migrated, now);
  const restored = at('4', ...(rewrite?.entries ?? []));
  const fieldsOf = Object.fromEntries(
    readManagedFields(restored).claims.map(({ owner, set }) => [owner.manager, set.toJson()]),
  );
  expect(fieldsOf).toEqual({
    eno: data('a'),
    legacy: data('a'),
    only: data('a'),
    other: data('b'),
  });
});

test('what we gained is given up with it', () => {
  const gaining = { ...migrated, before: at('1', entry('legacy', 'Update', data('a', 'b'))) };
  const now = at('3', entry('eno', 'Apply', data('a', 'b')), entry('other', 'Update', data('x')));
  const taken = { ...gaining, after: at('2', entry('eno', 'Apply', data('a', 'b'))) };
  const rewrite = planRollback(taken, now);
  expect(ownSet(at('4', ...(rewrite?.entries ?? [])), 'eno').isEmpty).toBe(true);
});

test('where nothing is left to give back, nothing is written', () => {
  expect(planRollback(migrated, at('3', entry('other', 'Update', data('a', 'b'))))).toBeUndefined();
});
