import { parsePathPattern } from '@kubewright/kube/fields';
import { expect, test } from 'vitest';
import { locateField } from './locate-field.ts';

const object = {
  data: { 'a/b~c': '1' },
  spec: { containers: [{ name: 'a' }, { name: 'b', env: [{ name: 'X' }] }], finalizers: ['x', 'y'] },
};
const pointer = (text: string): string | undefined => locateField(object, parsePathPattern(text))?.pointer;

test.each([
  ["data['a/b~c']", '/data/a~1b~0c'],
  ['spec.containers[name="b"].env[0]', '/spec/containers/1/env/0'],
  ['.spec.finalizers[="y"]', '/spec/finalizers/1'],
  ['spec.containers[name="c"]', undefined],
  ['spec.containers[*]', undefined],
  ['spec.containers[name=~"a*"]', undefined],
  ['spec.constructor', undefined],
])('%s is at %s', (text, expected) => {
  expect(pointer(text)).toBe(expected);
});
