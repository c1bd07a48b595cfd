import type { JsonObject } from '@kubewright/kube';
import type { AdmissionRequest } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { problemIn } from './validate-policies.ts';

const policy = (...rules: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'kausality.io/v1alpha1',
  kind: 'ApprovalPolicy',
  metadata: { name: 'night', namespace: 'shop' },
  spec: { rules: rules.map((rule) => ({ apiVersion: '*', kind: '*', name: '*', mode: 'always', ...rule })) },
});
const BROKEN = policy({}, { match: { cel: 'new.data ==' } });
const asked = (object: JsonObject | undefined, oldObject?: JsonObject): string | undefined =>
  problemIn({ object, oldObject } as AdmissionRequest);

test('a policy is denied for the rules that cannot be read, by their place', () => {
  expect(asked(policy({ match: { cel: 'new.data.theme == "dark"' } }))).toBeUndefined();
  expect(asked(BROKEN)).toMatch(/^spec\.rules\[1\]\.match\.cel: /);
});

test('one that is stored stays writable as long as its rules stay as they are', () => {
  const labelled = { ...BROKEN, metadata: { name: 'night', labels: { a: 'b' } } };
  expect(asked(labelled, BROKEN)).toBeUndefined();
  expect(asked(BROKEN, policy({}))).toMatch(/match\.cel/);
});

test.each<[string, JsonObject | undefined]>([
  ['nothing', undefined],
  ['no spec', { metadata: {} }],
  ['no list of rules', { spec: { rules: {} } }],
  ['a rule that is no object', { spec: { rules: ['x'] } }],
])('%s is for the server to reject', (_what, object) => {
  expect(asked(object)).toBeUndefined();
});
