import { describe, expect, test } from 'vitest';
import { ANNOTATIONS, type Kausality, type KausalitySpec } from '../api.ts';
import { child, site } from '../testing/objects.ts';
import { modeOf } from './mode-of.ts';
import { modeIn, policyFor, type Target } from './policy-for.ts';

const CONFIGMAPS = { apiGroups: [''], resources: ['configmaps'] };
const target = (changes: Partial<Target> = {}): Target => ({
  group: '',
  resource: 'configmaps',
  namespace: 'shop',
  namespaceLabels: { team: 'shop' },
  labels: [{ app: 'web' }],
  ...changes,
});

function policy(name: string, spec: Partial<KausalitySpec> = {}, metadata = {}): Kausality {
  return {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name, uid: name, resourceVersion: '1', ...metadata },
    spec: { resources: [CONFIGMAPS], mode: 'log', ...spec },
  };
}

describe('the policy for an object', () => {
  const chosen = (...policies: readonly Kausality[]) => policyFor(policies, target())?.metadata.name;
  const byName = policy('by-name', { namespaces: { names: ['shop'] } });
  const byLabel = policy('by-label', { namespaces: { selector: { matchLabels: { team: 'shop' } } } });
  const all = policy('all');

  test('DRF-64 is the most special one, of two alike the first by name, and none that is being deleted', () => {
    expect(chosen(all, byLabel, byName)).toBe('by-name');
    expect(chosen(all, byLabel)).toBe('by-label');
    const wildcard = policy('a-wildcard', { resources: [{ apiGroups: [''], resources: ['*'] }] });
    expect(chosen(wildcard, all)).toBe('all');
    expect(chosen(all, policy('selecting', { objectSelector: { matchLabels: { app: 'web' } } }))).toBe(
      'selecting',
    );
    expect(chosen(policy('b'), policy('a'))).toBe('a');
    expect(chosen(policy('a', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), policy('b'))).toBe('b');
    expect(chosen(policy('a', { namespaces: { names: ['shop'], excluded: ['shop'] } }))).toBeUndefined();
  });

  test('DRF-67 names resources as the API does, and there is none for what no policy names', () => {
    const networks = policy('n', {
      resources: [{ apiGroups: ['networking.k8s.io'], resources: ['networkpolicies', 'ingresses'] }],
    });
    for (const resource of ['networkpolicies', 'ingresses'])
      expect(policyFor([networks], target({ group: 'networking.k8s.io', resource }))).toBe(networks);
    expect(policyFor([networks, byName], target({ namespace: 'other' }))).toBeUndefined();
    const selecting = policy('s', { objectSelector: { matchLabels: { app: 'db' } } });
    expect(policyFor([selecting], target())).toBeUndefined();
    expect(policyFor([selecting], target({ labels: [{}, { app: 'db' }] }))).toBe(selecting);
    const most = policy('m', {
      resources: [{ apiGroups: [''], resources: ['*'], excluded: ['configmaps'] }],
    });
    expect(policyFor([most], target())).toBeUndefined();
    expect(policyFor([most], target({ resource: 'secrets' }))).toBe(most);
  });

  test('DRF-65 has the mode of its first override that speaks of the object', () => {
    const spec: KausalitySpec = {
      resources: [CONFIGMAPS],
      mode: 'enforce',
      overrides: [
        { apiGroups: ['apps'], mode: 'enforce' },
        { resources: ['configmaps'], mode: 'log' },
        { resources: ['configmaps'], namespaces: ['shop'], mode: 'enforce' },
      ],
    };
    expect(modeIn(spec, target())).toBe('log');
    expect(modeIn(spec, target({ resource: 'secrets' }))).toBe('enforce');
  });
});

describe('the mode', () => {
  const mode = (value: string) => ({ [ANNOTATIONS.mode]: value });
  const namespace = (value: string) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', annotations: mode(value) },
  });
  const sources = { old: child(), parent: site(), namespace: undefined, policy: policy('p') };

  test('DRF-62 of the object is stronger than that of its namespace; a word that is none says nothing', () => {
    const said = (object: string, ns: string) =>
      modeOf({ ...sources, old: child({ annotations: mode(object) }), namespace: namespace(ns) }, target());
    expect(said('log', 'enforce')).toBe('log');
    expect(said('enforce', 'log')).toBe('enforce');
    expect(said('perhaps', 'enforce')).toBe('enforce');
    expect(said('perhaps', 'never')).toBe('log');
    expect(modeOf({ ...sources, policy: policy('p', { mode: 'enforce' }) }, target())).toBe('enforce');
  });

  test('of the parent stands between the two', () => {
    const parent = site({ annotations: mode('enforce') });
    expect(modeOf({ ...sources, parent, namespace: namespace('log') }, target())).toBe('enforce');
    expect(modeOf({ ...sources, parent, old: child({ annotations: mode('log') }) }, target())).toBe('log');
  });

  test('DRF-63 is what it was before the write that is judged', () => {
    const { old: _old, ...without } = sources;
    expect(modeOf({ ...without, old: undefined, policy: policy('p', { mode: 'enforce' }) }, target())).toBe(
      'enforce',
    );
  });
});
