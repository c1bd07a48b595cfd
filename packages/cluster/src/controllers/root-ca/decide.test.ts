import { type corev1, defined, type Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { decide } from './decide.ts';

const DESCRIPTION = 'kubernetes.io/description';
const mapWith = (
  data: corev1.ConfigMap['data'],
  annotations: Readonly<Record<string, string>>,
): Stored<corev1.ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'a', name: 'kube-root-ca.crt', uid: 'u', resourceVersion: '7', annotations },
  ...defined({ data }),
});
const PEM = { 'ca.crt': 'PEM' };

test.each<[string, Stored<corev1.ConfigMap> | undefined, boolean]>([
  ['none', undefined, true],
  ['a good one', mapWith(PEM, { [DESCRIPTION]: 'another' }), false],
  ['another authority', mapWith({ 'ca.crt': 'spoilt' }, { [DESCRIPTION]: 'another' }), true],
  ['more than the authority', mapWith({ ...PEM, more: '' }, { [DESCRIPTION]: 'another' }), true],
  ['no data', mapWith(undefined, { [DESCRIPTION]: 'another' }), true],
  ['no description', mapWith(PEM, { mine: 'kept' }), true],
])('%s', (_title, current, isWritten) => {
  const wanted = decide('a', current, 'PEM');
  expect(wanted !== undefined).toBe(isWritten);
  if (wanted === undefined) return;
  expect(wanted.data).toEqual(PEM);
  expect(wanted.metadata).toMatchObject({
    namespace: 'a',
    name: 'kube-root-ca.crt',
    annotations: { [DESCRIPTION]: expect.stringContaining('CA bundle') as string },
  });
});
