import assert from 'node:assert/strict';
import { FieldSet, formatPath, parsePathPattern, selectByPattern } from '@kubewright/kube/fields';
import { describe, expect, test } from 'vitest';
import { entry, initContainers, item, live, plan, planned } from '../testing/claims.ts';
import { DEFAULT_POLICY } from '../migration-policy.ts';
import type { MigrationPlan } from './migration-plan.ts';
import { planAdopt } from './plan-adopt.ts';

const split = live([
  entry('eno', 'Apply', initContainers({ [item('base-os-bash')]: { 'f:image': {} } })),
  entry(
    'Go-http-client',
    'Update',
    initContainers({
      '.': {},
      [item('base-os-bash')]: { '.': {}, 'f:command': {}, 'f:imagePullPolicy': {}, 'f:name': {} },
    }),
  ),
]);

const select = (fields: FieldSet, pattern: string): string[] =>
  [...selectByPattern(fields, [parsePathPattern(pattern)]).paths()].map((path) => formatPath(path));

const movesOf = (result: MigrationPlan): unknown =>
  result.kind === 'rewrite'
    ? result.moves.map(({ path, from }) => [formatPath(path), ...from.map(({ manager }) => manager)])
    : result.kind;

describe('what is in scope', () => {
  test('OWN-T4 a scope selects exactly the elements that it names', () => {
    const labels = { 'f:app.kubernetes.io/name': {}, 'f:app': {} };
    const steps = { [item('aks-setup')]: { '.': {} }, [item('vendor')]: { '.': {} } };
    const set = FieldSet.parse({ 'f:metadata': { 'f:labels': labels }, ...initContainers(steps) });

    expect(select(set, "metadata.labels['app.kubernetes.io/name']")).toHaveLength(1);
    expect(select(set, 'spec.template.spec.initContainers[name=~"aks-*"]')).toEqual([
      '.spec.template.spec.initContainers[name="aks-setup"]',
    ]);
  });

  test('OWN-T24 a scope below an atomic field selects nothing, and the field itself is one leaf', () => {
    const pod = { 'f:nodeSelector': {}, 'f:containers': { [item('web')]: { 'f:args': {} } } };
    const set = FieldSet.parse({ 'f:spec': { 'f:template': { 'f:spec': pod } } });

    expect(select(set, "spec.template.spec.nodeSelector['disk']")).toEqual([]);
    expect(select(set, 'spec.template.spec.containers[name="web"].args[0]')).toEqual([]);
    expect(select(set, 'spec.template.spec.nodeSelector')).toEqual(['.spec.template.spec.nodeSelector']);
    expect(select(set, 'spec.template.spec.containers[name="web"].args')).toHaveLength(1);
  });

  test('OWN-T24 an atomic field that others own too is moved as the one leaf that it is', () => {
    const pod = { 'f:spec': { 'f:template': { 'f:spec': { 'f:nodeSelector': {} } } } };
    const object = {
      ...live([entry('eno', 'Apply', pod), entry('legacy', 'Update', pod)]),
      spec: { template: { spec: { nodeSelector: { disk: 'ssd', zone: 'a' } } } },
    };

    expect(movesOf(plan(object, {}))).toEqual([['.spec.template.spec.nodeSelector', 'legacy']]);
    expect(plan(object, {}, { scopes: [['spec.template.spec.nodeSelector.disk']] }).kind).toBe('nothing');
  });
});

describe('what has to be moved', () => {
  test('OWN-T5 nothing, when we own all of it alone', () => {
    const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });

    expect(plan(live([entry('eno', 'Apply', own)]), {})).toEqual({ kind: 'nothing', left: [] });
  });

  test('OWN-T6 the item, when somebody else owns it too', () => {
    const result = plan(split, {});

    expect(movesOf(result)).toEqual([
      ['.spec.template.spec.initContainers[name="base-os-bash"]', 'Go-http-client'],
    ]);
    // Only the membership of the item moves; the server clears what lies below with the item.
    expect(planned(result, 'Go-http-client')).toEqual(
      initContainers({
        '.': {},
        [item('base-os-bash')]: { 'f:command': {}, 'f:imagePullPolicy': {}, 'f:name': {} },
      }),
    );
    expect(planned(result, 'eno', 'Apply')).toEqual(
      initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {} } }),
    );
  });

  test('OWN-T7 nothing, when somebody else owns only the list itself', () => {
    const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
    const object = live([entry('eno', 'Apply', own), entry('legacy', 'Update', initContainers({ '.': {} }))]);

    expect(plan(object, {}).kind).toBe('nothing');
  });

  test('OWN-T8 an Update entry of our own name is somebody else, and is moved', () => {
    const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
    const object = live([entry('eno', 'Apply', own), entry('eno', 'Update', own)]);

    expect(movesOf(plan(object, {}, { sources: [['nobody']] }))).toEqual([
      ['.spec.template.spec.initContainers[name="base-os-bash"]', 'eno'],
    ]);
  });

  test('OWN-T9 nothing, when the scope does not exist in the live object', () => {
    expect(plan(split, {}, { scopes: [['spec.template.spec.ephemeralContainers']] }).kind).toBe('nothing');
  });

  test('a field that is still desired is nobody’s business', () => {
    const image = initContainers({ [item('base-os-bash')]: { 'f:image': {} } });

    expect(plan(split, image).kind).toBe('nothing');
  });

  test('a removal that the dry run already shows needs nothing', () => {
    expect(plan(split, {}, {}, { dryRun: live([], []) }).kind).toBe('nothing');
  });

  test('an object without an entry of ours is left alone', () => {
    expect(plan(live([entry('legacy', 'Update', initContainers({ '.': {} }))]), {}).kind).toBe('nothing');
  });
});

describe('what must not be moved', () => {
  test('OWN-T20 claims are never only stripped: what is taken is ours before it goes', () => {
    const result = plan(split, {});
    assert(result.kind === 'rewrite');
    const ours = FieldSet.parse(planned(result, 'eno', 'Apply') ?? {});
    const before = FieldSet.parse(split.metadata.managedFields?.[1]?.fieldsV1 ?? {});
    const after = FieldSet.parse(planned(result, 'Go-http-client') ?? {});

    expect(before.difference(after).difference(ours).isEmpty).toBe(true);
  });

  test('OWN-T20 a removal that would delete unowned elements beside it is blocked', () => {
    const own = initContainers({ [item('a')]: { '.': {}, 'f:image': {}, 'f:name': {} } });
    const object = live(
      [entry('eno', 'Apply', own), entry('legacy', 'Update', initContainers({ [item('a')]: { '.': {} } }))],
      ['a', 'b'],
    );

    expect(plan(object, {})).toMatchObject({ kind: 'blocked', reason: 'Collateral' });
    expect(plan(object, {}, { allowPrune: true }).kind).toBe('rewrite');
  });

  test('claims of a manager that is not listed block everything', () => {
    const result = plan(split, {}, { sources: [['kubectl*']] });

    expect(result).toMatchObject({ kind: 'blocked', reason: 'Unlisted' });
    expect(result.kind === 'blocked' && result.message).toContain('Go-http-client (Update)');
  });

  test('OWN-T47 the same path at another version is moved, and nothing else of that entry becomes ours', () => {
    const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {} } });
    const theirs = { ...own, 'f:metadata': { 'f:labels': { 'f:tier': {} } } };
    const object = live([entry('eno', 'Apply', own), entry('old', 'Update', theirs, 'apps/v1beta1')]);

    const result = plan(object, {});

    expect(movesOf(result)).toEqual([['.spec.template.spec.initContainers[name="base-os-bash"]', 'old']]);
    expect(planned(result, 'old')).toMatchObject({ 'f:metadata': { 'f:labels': { 'f:tier': {} } } });
    expect(planned(result, 'eno', 'Apply')).toEqual(own);
  });

  test('OWN-T47 adopting takes nothing at another version: our version may not have its paths', () => {
    const own = { 'f:spec': { 'f:paused': {} } };
    const object = live([entry('eno', 'Apply', own), entry('old', 'Update', own, 'apps/v1beta1')]);

    const input = {
      live: object,
      manager: 'eno',
      apiVersion: 'apps/v1',
      dryRun: object,
      policy: DEFAULT_POLICY,
    };

    expect(planAdopt({ ...input, desired: FieldSet.parse(own) })).toEqual({ kind: 'nothing', left: [] });
  });

  test('OWN-T42 one undecodable entry means no write, because the server would void it', () => {
    const broken = { manager: 'broken', operation: 'Update', fieldsType: 'FieldsV1', fieldsV1: {} };
    const object = live([...(split.metadata.managedFields ?? []), broken]);

    const result = plan(object, {});

    expect(result).toMatchObject({ kind: 'blocked', reason: 'Undecodable' });
    expect(result.kind === 'blocked' && result.message).toContain('broken: no apiVersion');
  });

  test('replicas stay with whoever scales, and the removal of other fields goes on', () => {
    const spec = { 'f:spec': { 'f:replicas': {}, 'f:paused': {} } };
    const object = {
      ...live([
        entry('eno', 'Apply', spec),
        entry('legacy', 'Update', spec),
        entry('kube-controller-manager', 'Update/scale', { 'f:spec': { 'f:replicas': {} } }),
      ]),
      spec: { replicas: 5, paused: true },
    };

    const result = plan(object, {});

    expect(movesOf(result)).toEqual([['.spec.paused', 'legacy']]);
    expect(result.left).toMatchObject([{ path: ['f:spec', 'f:replicas'], why: 'Protected' }]);
  });

  test.each([
    ['status', { 'f:status': { 'f:phase': {} } }],
    ['finalizers', { 'f:metadata': { 'f:finalizers': { 'v:"a.io/x"': {} } } }],
    ['owner references', { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"u"}': { '.': {} } } } }],
    [
      'the revision annotation',
      { 'f:metadata': { 'f:annotations': { 'f:deployment.kubernetes.io/revision': {} } } },
    ],
  ])('%s are never moved', (_what, fields) => {
    const object = live([entry('eno', 'Apply', fields), entry('other', 'Update', fields)]);

    expect(
      plan(object, {}, { allowProtected: ['status', 'metadata.finalizers', 'metadata.ownerReferences'] }),
    ).toMatchObject({ kind: 'nothing', left: [{ why: 'Protected' }] });
  });

  test('others keep what they own below a struct that we give up, unless they are to cascade', () => {
    const probe = (fields: object) => ({ 'f:spec': { 'f:livenessProbe': { 'f:httpGet': fields } } }) as never;
    const object = {
      ...live([
        entry('eno', 'Apply', probe({ 'f:port': {} })),
        entry('legacy', 'Update', probe({ 'f:path': {} })),
      ]),
      spec: { livenessProbe: { httpGet: { port: 80, path: '/' } } },
    };

    expect(plan(object, {})).toMatchObject({ kind: 'nothing', left: [{ why: 'Below' }] });
    expect(movesOf(plan(object, {}, { cascade: true }))).toEqual([
      ['.spec.livenessProbe.httpGet.path', 'legacy'],
    ]);
  });
});

test('the entries that are not touched are sent back as they came', () => {
  const status = entry('kube-controller-manager', 'Update/status', { 'f:status': { 'f:replicas': {} } });
  const timed = { ...status, time: '2026-01-01T00:00:00Z' };
  const result = plan(live([...(split.metadata.managedFields ?? []), timed]), {});

  expect(result.kind === 'rewrite' && result.rewrite.entries).toContain(timed);
});

test('OWN-T43 a manager that is left with nothing is left out', () => {
  const own = initContainers({ [item('base-os-bash')]: { '.': {}, 'f:image': {} } });
  const only = initContainers({ [item('base-os-bash')]: { '.': {} } });
  const result = plan(live([entry('eno', 'Apply', own), entry('gone', 'Update', only)]), {});

  expect(planned(result, 'gone')).toBeUndefined();
  expect(planned(result, 'eno', 'Apply')).toEqual(own);
});
