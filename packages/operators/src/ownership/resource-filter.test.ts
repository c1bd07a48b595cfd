import { expect, test } from 'vitest';
import type { Composition } from './api.ts';
import { resourceFilter } from './resource-filter.ts';

const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const composition: Composition = {
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  metadata: { name: 'shop', namespace: 'default', labels: { tier: 'front' } },
};

test.each([
  ['of the manifest', "self.kind == 'ConfigMap'", true],
  ['of another', "self.kind == 'Secret'", false],
  ['of the Composition', "composition.metadata.labels.tier == 'front'", true],
  ['that fails', "self.data.missing == 'x'", false],
  ['that is no boolean', 'self.kind', false],
])('an expression %s', (_what, text, expected) => {
  expect(resourceFilter(text)?.(manifest, composition)).toBe(expected);
});

test('an unreadable manifest is nobody’s', () => {
  expect(resourceFilter('true')?.('{', composition)).toBe(false);
});

test('no expression selects all, and one that does not compile is reported', () => {
  expect(resourceFilter(' ')).toBeUndefined();
  expect(() => resourceFilter('self.(')).toThrow('RESOURCE_FILTER "self.(" is not a CEL expression');
});
