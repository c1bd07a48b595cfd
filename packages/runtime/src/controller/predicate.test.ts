import type { Stored } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import type { CacheEvent } from '../cache/informer.ts';
import { configMap } from '../testing/objects.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  resourceVersionChanged,
} from './predicate.ts';

const withMeta = (more: Partial<Stored['metadata']>): Stored => {
  const object = configMap('a', '1');
  return { ...object, metadata: { ...object.metadata, generation: 1, ...more } };
};
const update = (more: Partial<Stored['metadata']>): CacheEvent => ({
  type: 'Update',
  old: withMeta({}),
  object: withMeta(more),
});
const create: CacheEvent = { type: 'Create', object: withMeta({}), initial: false };
const remove: CacheEvent = { type: 'Delete', object: withMeta({}) };

describe('predicates', () => {
  it.each([
    ['a new generation', generationChanged, update({ generation: 2 }), true],
    ['a status that changed', generationChanged, update({ resourceVersion: '2' }), false],
    ['a creation', generationChanged, create, true],
    ['a deletion', generationChanged, remove, true],
    ['a new label', labelsChanged, update({ labels: { a: 'b' } }), true],
    ['no new label', labelsChanged, update({ annotations: { a: 'b' } }), false],
    ['a new annotation', annotationsChanged, update({ annotations: { a: 'b' } }), true],
    ['no new annotation', annotationsChanged, update({ labels: { a: 'b' } }), false],
    ['a new version', resourceVersionChanged, update({ resourceVersion: '2' }), true],
    ['no new version', resourceVersionChanged, update({}), false],
    ['a label that is selected', labelsMatch('a in (b, c)'), update({ labels: { a: 'b' } }), true],
    ['a label that is not selected', labelsMatch('a in (b, c)'), update({ labels: { a: 'd' } }), false],
    ['the end of one without labels', labelsMatch('a=b'), remove, false],
    ['all of two', allOf(generationChanged, labelsChanged), update({ labels: { a: 'b' } }), false],
    ['any of two', anyOf(generationChanged, labelsChanged), update({ labels: { a: 'b' } }), true],
    ['the contrary', not(generationChanged), update({ generation: 2 }), false],
  ])('%s', (_title, predicate, event, expected) => {
    expect(predicate(event)).toBe(expected);
  });
});
