import type { JsonObject } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { FieldSet } from '@kubewright/kube/fields';
import { storedForm, storedPaths } from './stored-form.ts';

const secret = { apiVersion: 'v1', kind: 'Secret' };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
const podSpec = ['f:spec', 'f:template', 'f:spec'];

describe('the stored form of an object', () => {
  test('stringData becomes data, and has precedence', () => {
    expect(storedForm({ ...secret, data: { a: 'MQ==', b: 'MQ==' }, stringData: { b: '2' } })).toEqual({
      ...secret,
      data: { a: 'MQ==', b: 'Mg==' },
    });
  });

  test('keys of the prototype are keys like others', () => {
    const stringData = JSON.parse('{"__proto__": "1"}') as Record<string, string>;
    expect(JSON.stringify(storedForm({ ...secret, stringData }))).toContain('"data":{"__proto__":"MQ=="}');
  });

  test.each([[{ stringData: { a: 1 } }], [{ stringData: 'a' }], [{ stringData: { a: 'b' }, data: 'x' }]])(
    'what the server would reject stays as it is: %j',
    (fields) => {
      expect(storedForm({ ...secret, ...fields })).toEqual({ ...secret, ...fields });
    },
  );

  test('the account of pods has both names, wherever the pods are', () => {
    const account = { serviceAccountName: 'a', serviceAccount: 'a' };
    const at = (spec: JsonObject) => ({ jobTemplate: { spec: { template: { spec } } } });
    const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob' };
    expect(storedForm({ ...cronJob, spec: at({ serviceAccount: 'a' }) })).toEqual({
      ...cronJob,
      spec: at(account),
    });
    expect(
      storedForm({ apiVersion: 'v1', kind: 'Pod', spec: { serviceAccountName: 'a', x: 1 } }),
    ).toMatchObject({
      spec: { ...account, x: 1 },
    });
    expect(storedForm({ ...deployment, spec: {} })).toEqual({ ...deployment, spec: {} });
  });

  test('other kinds stay as they are', () => {
    const other = { apiVersion: 'example.com/v1', kind: 'Secret', stringData: { a: '1' } };
    expect(storedForm(other)).toBe(other);
  });
});

test('what was owned in another form is owned in the stored one, too', () => {
  const owned = FieldSet.of(['f:stringData', 'f:a'], ['f:type']);
  expect(storedPaths(secret, owned).equals(owned.union(FieldSet.of(['f:data', 'f:a'])))).toBe(true);
  const account = FieldSet.of([...podSpec, 'f:serviceAccount']);
  expect(storedPaths(deployment, account).has([...podSpec, 'f:serviceAccountName'])).toBe(true);
  expect(storedPaths(deployment, owned)).toBe(owned);
});
