import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { isListed } from './decide/movable.ts';
import { DEFAULT_POLICY, policyFor, policyFromEnvironment } from './migration-policy.ts';

describe('policies', () => {
  test('no annotation means the process’s policy', () => {
    expect(policyFor({})).toEqual(DEFAULT_POLICY);
  });

  test('an annotation narrows the process’s scope and cannot widen it', () => {
    const base = { ...DEFAULT_POLICY, scopes: [['spec.template']] };

    expect(
      policyFor({ 'eno.azure.io/migrate-ownership': 'spec.template.spec.volumes, data' }, base),
    ).toMatchObject({
      scopes: [['spec.template'], ['spec.template.spec.volumes', 'data']],
    });
  });

  test('an annotation cannot name managers that the process does not', () => {
    const base = policyFromEnvironment({ MIGRATING_FIELD_MANAGERS: 'kubectl*, helm' });
    const policy = policyFor({ 'eno.azure.io/migrate-ownership-sources': '*, !kubectl-scale' }, base);
    assert(typeof policy !== 'string');
    const may = (manager: string): boolean => policy.sources.every((list) => isListed(manager, list));

    expect(['kubectl-edit', 'helm', 'kubectl-scale', 'argocd'].map(may)).toEqual([true, true, false, false]);
  });

  test('patterns may hold commas inside brackets and quotes', () => {
    const annotation = `metadata.labels['a,b'],spec.ports[port=53,protocol="UDP"]`;

    expect(policyFor({ 'eno.azure.io/migrate-ownership': annotation })).toMatchObject({
      scopes: [["metadata.labels['a,b']", 'spec.ports[port=53,protocol="UDP"]']],
    });
  });

  test.each([
    ['eno.azure.io/migrate-ownership', 'spec['],
    ['eno.azure.io/migrate-ownership-mode', 'eager'],
  ])('%s: %s says what is wrong instead of guessing', (annotation, value) => {
    expect(policyFor({ [annotation]: value })).toContain(annotation);
  });

  test('the process says which annotations may allow more than it does', () => {
    const base = policyFromEnvironment({ MIGRATION_MODE: 'observe', MIGRATION_ANNOTATIONS: 'mode, cascade' });
    const settings = { 'eno.azure.io/migrate-ownership-mode': 'minimal' };

    expect(policyFor({}, base)).toMatchObject({ mode: 'observe' });
    expect(policyFor(settings, base)).toMatchObject({ mode: 'minimal' });
    expect(policyFor({ ...settings, 'eno.azure.io/migrate-ownership-allow-prune': 'true' }, base)).toBe(
      "eno.azure.io/migrate-ownership-allow-prune: the operator's MIGRATION_ANNOTATIONS does not allow it",
    );
  });

  test('MIGRATION_ANNOTATIONS: none leaves only those that narrow', () => {
    const base = policyFromEnvironment({ MIGRATION_ANNOTATIONS: 'none' });

    expect(policyFor({ 'eno.azure.io/migrate-ownership-mode': 'off' }, base)).toContain('does not allow');
    expect(policyFor({ 'eno.azure.io/migrate-ownership': 'data' }, base)).toMatchObject({
      scopes: [['data']],
    });
  });

  test.each([
    ['MIGRATION_ANNOTATIONS', 'mode,everything', '"everything" is not one of mode, release-to'],
    ['MIGRATION_MODE', 'release', '"release" is not one of off, observe, minimal, adopt'],
  ])('%s: %s stops the operator with what to say instead', (name, value, message) => {
    expect(() => policyFromEnvironment({ [name]: value })).toThrow(message);
  });

  test('the original’s environment names the sources and the fields', () => {
    const env = { MIGRATING_FIELD_MANAGERS: 'kubectl, Go-http-client', MIGRATING_FIELDS: 'spec.template' };

    expect(policyFromEnvironment(env)).toMatchObject({
      sources: [['kubectl', 'Go-http-client']],
      scopes: [['spec.template']],
    });
    expect(policyFromEnvironment({})).toEqual(DEFAULT_POLICY);
  });
});

describe('lists of managers', () => {
  test.each([
    ['kubectl-edit', ['kubectl*'], true],
    ['helm', ['kubectl*'], false],
    ['kubectl-scale', ['*', '!kubectl-scale'], false],
    ['Go-http-client', ['*'], true],
    ['', ['*'], true],
    ['a-b-c', ['a*b*c'], true],
    ['ac', ['a*b*c'], false],
    ['aba', ['ab*ba'], false],
    ['anything', [], false],
  ])('%s in %j is %s', (manager, sources, expected) => {
    expect(isListed(manager, sources)).toBe(expected);
  });
});
