import { expect, test } from 'vitest';
import { parseYaml } from './body.ts';

test('a dot alone is a string in YAML, as kubectl prints the keys of managedFields', () => {
  const { value } = parseYaml(Buffer.from('f:spec:\n  .: {}\nnumbers: [.5, 5., 1.5, -.5e1]\n'), true);
  expect(value).toEqual({ 'f:spec': { '.': {} }, numbers: [0.5, 5, 1.5, -5] });
});
