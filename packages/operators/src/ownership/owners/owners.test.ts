import type { ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { describe, expect, test } from 'vitest';
import { paintFor } from '../../kit/paint.ts';
import { readManagedFields } from '../read-managed-fields.ts';
import { applierOf } from './applier-of.ts';
import { describeOwners } from './describe-owners.ts';
import { explainRemoval } from './explain-removal.ts';
import { extractOwned } from './extract-owned.ts';
import { ownerFindings } from './owner-findings.ts';

const plain = paintFor(false);
const item = 'k:{"name":"setup"}';

function entry(manager: string, operation: string, fields: object): ManagedFieldsEntry {
  const fieldsV1 = { 'f:spec': { 'f:initContainers': fields } } as never;
  return { manager, operation, apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1 };
}

function live(...managedFields: readonly ManagedFieldsEntry[]): Stored {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'web', resourceVersion: '7', managedFields },
    spec: { replicas: 3, initContainers: [{ name: 'setup', image: 'i:1', command: ['sh'] }] },
  };
}

const shared = live(
  entry('eno', 'Apply', { [item]: { '.': {}, 'f:image': {}, 'f:name': {} } }),
  entry('helm', 'Update', { '.': {}, [item]: { '.': {}, 'f:command': {} } }),
);

describe('the tree of owners', () => {
  test('shows each claimed field with its owners, and which are shared', () => {
    expect(describeOwners(shared, undefined, plain)).toMatchInlineSnapshot(`
      "Deployment web in shop
        eno (Apply): 3 fields
        helm (Update): 3 fields

      spec.initContainers                                   helm (Update)
      └─ [name="setup"]                                     eno (Apply), helm (Update)  shared
         ├─ image                                           eno (Apply)
         ├─ name                                            eno (Apply)
         └─ command                                         helm (Update)
      "
    `);
  });

  test('can be asked for a part', () => {
    const command = { pattern: 'spec.initContainers[name="setup"].command', isSet: true };
    expect(describeOwners(shared, command, plain)).toContain('helm (Update): 1 field');
    expect(describeOwners(shared, command, plain)).not.toContain('eno');
    const inCommand = describeOwners(shared, { ...command, within: `${command.pattern}[0]` }, plain);
    expect(inCommand).toContain(
      'command[0] has no owners of its own: spec.initContainers[name="setup"].command is',
    );
  });

  test('says of a field that nobody owns whether it is set', () => {
    const replicas = (isSet: boolean) => describeOwners(shared, { pattern: 'spec.replicas', isSet }, plain);
    expect(replicas(true)).toContain('nobody owns spec.replicas');
    expect(replicas(false)).toContain('spec.replicas is not set, and nobody owns it');
  });

  test('names an entry that cannot be read', () => {
    expect(describeOwners(live({ manager: 'odd', operation: 'Apply' }), undefined, plain)).toContain(
      'unreadable entry of odd: no apiVersion',
    );
  });

  test('writes what comes from a cluster without control characters', () => {
    const hostile = live(entry('evil\u001b[2J', 'Update', { 'f:\u0007x': {} }));

    expect(describeOwners(hostile, undefined, plain)).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('who would remove a field', () => {
  const applied = (manager: string, time: string, fields: object): ManagedFieldsEntry => ({
    ...entry(manager, 'Apply', fields),
    time,
  });
  const { claims } = readManagedFields(
    live(
      applied('first', '2026-01-01T00:00:00Z', { [item]: { 'f:image': {} } }),
      entry('helm', 'Update', { [item]: { 'f:command': {} } }),
      applied('last', '2026-01-02T00:00:00Z', { [item]: { 'f:name': {} } }),
    ),
  );

  test.each([
    ['image', 'first'],
    ['name', 'last'],
    ['command', 'last'],
  ])('of %s it is %s', (name, manager) => {
    expect(applierOf(claims, `spec.initContainers[name="setup"].${name}`)).toBe(manager);
  });

  test('nobody, where nobody applies', () => {
    expect(applierOf(readManagedFields(live(entry('helm', 'Update', {}))).claims, 'spec')).toBeUndefined();
  });
});

test('what is printed for programs', () => {
  const path = { pattern: 'spec.initContainers', isSet: true };
  expect(ownerFindings(shared, path, undefined)).toMatchObject({
    object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
    path,
    managers: [
      { manager: 'eno', operation: 'Apply', apiVersion: 'apps/v1', fields: 3 },
      { manager: 'helm', operation: 'Update', apiVersion: 'apps/v1', fields: 3 },
    ],
    fields: expect.arrayContaining([
      {
        path: '.spec.initContainers[name="setup"]',
        owners: [expect.objectContaining({ manager: 'eno' }), expect.objectContaining({ manager: 'helm' })],
      },
    ]),
  });
});

describe('why a field cannot be removed', () => {
  const explain = (object: Stored, path: string) =>
    explainRemoval(object, readManagedFields(object).claims, path, 'eno');

  test('because somebody else owns the item, and what would be moved', () => {
    const { why, remedy } = explain(shared, 'spec.initContainers[name="setup"]');

    expect(why).toBe('.spec.initContainers[name="setup"] is also owned by helm (Update)');
    expect(remedy).toEqual([
      'move the claim on .spec.initContainers[name="setup"] from helm (Update) to eno',
    ]);
  });

  test('because it was never applied', () => {
    expect(explain(shared, 'spec.replicas').why).toBe(
      'eno has never applied it, so leaving it out changes nothing',
    );
  });

  test('it can, when nobody else owns it', () => {
    const alone = live(entry('eno', 'Apply', { [item]: { '.': {}, 'f:image': {}, 'f:name': {} } }));

    expect(explain(alone, 'spec.initContainers[name="setup"]')).toMatchObject({ why: undefined, remedy: [] });
  });
});

describe('what a manager would have to send to keep what it owns', () => {
  test('its fields with their live values, items with their keys, and the name of the object', () => {
    const claims = { 'f:spec': { 'f:initContainers': { [item]: { 'f:image': {} } } }, 'f:gone': {} };

    expect(extractOwned(shared, FieldSet.parse(claims))).toEqual({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { initContainers: [{ name: 'setup', image: 'i:1' }] },
    });
  });

  test('a key __proto__ is a key like any other', () => {
    const data = JSON.parse('{"__proto__":"x"}') as Record<string, string>;
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', uid: 'c', resourceVersion: '7' },
      data,
    };
    const owned = extractOwned(object, FieldSet.parse({ 'f:data': { 'f:__proto__': {} } }));

    expect(JSON.stringify(owned['data'])).toBe('{"__proto__":"x"}');
  });
});
