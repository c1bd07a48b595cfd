import { expect, test } from 'vitest';
import { createRegistry } from './registry.ts';
import type { ResourceDefinition } from '../model/resource-definition.ts';

function widget(version: string): ResourceDefinition {
  return {
    group: 'ex.io',
    version,
    resource: 'widgets',
    singular: 'widget',
    kind: 'Widget',
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['get'],
    schema: { kind: 'any', nullable: false, source: {} },
    builtIn: false,
    strategy: {},
    hasGeneration: true,
    columns: [],
    storageVersion: 'v1',
  };
}

test('a resource is found in each version that was added', () => {
  const registry = createRegistry();
  registry.add(widget('v1'));
  registry.add(widget('v2'));
  expect(registry.find('ex.io', 'v2', 'widgets')?.version).toBe('v2');
  expect(registry.find('ex.io', 'v3', 'widgets')).toBeUndefined();
  expect(registry.versions('ex.io', 'widgets').map((d) => d.version)).toEqual(['v1', 'v2']);
});

test('adding a version again replaces it', () => {
  const registry = createRegistry();
  registry.add(widget('v1'));
  registry.add({ ...widget('v1'), kind: 'Gadget' });
  expect(registry.all().map((d) => d.kind)).toEqual(['Gadget']);
});

test('listeners hear what came and went until they leave', () => {
  const registry = createRegistry();
  const heard: string[] = [];
  const leave = registry.onChange(({ type, definition }) => heard.push(`${type} ${definition.version}`));
  registry.add(widget('v1'));
  expect(registry.remove('ex.io', 'v1', 'widgets')).toBe(true);
  expect(registry.remove('ex.io', 'v1', 'widgets')).toBe(false);
  leave();
  registry.add(widget('v1'));
  expect(heard).toEqual(['added v1', 'removed v1']);
  expect(registry.revision).toBe(3);
});
