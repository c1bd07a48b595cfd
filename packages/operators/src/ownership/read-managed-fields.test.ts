import type { Json } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { readManagedFields } from './read-managed-fields.ts';
import { entry, live } from './testing/claims.ts';

const fine = entry('eno', 'Apply', { 'f:spec': {} });

test.each<[fieldsV1: Json, problem: string]>([
  [{ 'f:spec': true }, 'fieldsV1'],
  [{ 'f:spec': [] }, 'fieldsV1'],
  [{ 'f:spec': 'x' }, 'fieldsV1'],
  [[], 'fieldsV1'],
  [{ x: {} }, 'path element'],
  [{ spec: {} }, 'path element'],
  [{ 'k:{"name"': {} }, 'path element'],
])('OWN-T2 %j cannot be decoded, and whose entry it is gets named', (fieldsV1, problem) => {
  const broken = { ...fine, manager: 'helm', fieldsV1: fieldsV1 as never };
  const { claims, undecodable } = readManagedFields(live([fine, broken]));

  expect(claims.map(({ owner }) => owner.manager)).toEqual(['eno']);
  expect(undecodable).toEqual([{ manager: 'helm', problem: expect.stringContaining(problem) }]);
});
