import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { hashOf } from './hash-of.ts';

test('a hash is what it was in earlier releases: objects and logs on clusters have them', () => {
  expect(hashOf({ spec: { replicas: 2, name: 'é' } })).toBe('09cd7f5a0b558379');
  const values: Json[] = [{ b: 1, a: ['é', { c: null }] }, { x: 'y'.repeat(100_000) }, {}, 'text', [1, 2n]];
  for (const value of values) {
    const digest = createHash('sha256').update(canonicalJson(value)).digest('hex');
    expect(hashOf(value)).toBe(digest.slice(0, 16));
  }
});
