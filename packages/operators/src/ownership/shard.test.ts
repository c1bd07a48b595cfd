import type { Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { OperatorError } from '../operator-error.ts';
import { entersShard, isInShard, isNamespaceInShard, shardFromEnvironment } from './shard.ts';

const composition = (namespace: string, labels: Readonly<Record<string, string>> = {}): Stored => ({
  apiVersion: 'eno.azure.io/v1',
  kind: 'Composition',
  metadata: { name: 'shop', namespace, labels, uid: 'u', resourceVersion: '1' },
});

test.each([
  ['without settings, all', {}, composition('a'), true],
  ['with empty settings, all', both('', ''), composition('a'), true],
  ['its namespace', both('a', ''), composition('a'), true],
  ['not another namespace', both('a', ''), composition('b'), false],
  ['labels that match', both('', 'shard in (1,2)'), composition('a', { shard: '2' }), true],
  ['not labels that do not', both('', 'shard in (1,2)'), composition('a', { shard: '3' }), false],
  [
    'not labels alone where the namespace is another',
    both('b', 'shard'),
    composition('a', { shard: '1' }),
    false,
  ],
  ['what no shard names', both('', '!shard'), composition('a'), true],
])('a shard has %s', (_title, env, object, expected) => {
  expect(isInShard(shardFromEnvironment(env), object)).toBe(expected);
});

function both(namespace: string, selector: string): Readonly<Record<string, string>> {
  return { COMPOSITION_NAMESPACE: namespace, COMPOSITION_LABEL_SELECTOR: selector };
}

test('a slice whose Composition is gone is released in its namespace, whatever the labels were', () => {
  const shard = shardFromEnvironment(both('a', 'shard=1'));
  expect([isNamespaceInShard(shard, 'a'), isNamespaceInShard(shard, 'b')]).toEqual([true, false]);
});

test('a Composition enters a shard only when its labels begin to match', () => {
  const enters = entersShard(shardFromEnvironment(both('', 'shard=1')));
  const [one, two] = [composition('a', { shard: '1' }), composition('a', { shard: '2' })];
  expect(enters({ type: 'Update', old: two, object: one })).toBe(true);
  expect(enters({ type: 'Update', old: one, object: two })).toBe(false);
  expect(enters({ type: 'Update', old: one, object: one })).toBe(false);
});

test('a selector that cannot be parsed is named', () => {
  expect(() => shardFromEnvironment(both('', 'a in b'))).toThrow(OperatorError);
  expect(() => shardFromEnvironment(both('', 'a in b'))).toThrow(
    /^COMPOSITION_LABEL_SELECTOR "a in b" is not a label selector: /,
  );
});
