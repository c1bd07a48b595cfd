import type { JsonObject, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import type { LoggedDecision } from '../decision-log/decision-logs.ts';
import { describeExplanation } from './describe-explanation.ts';
import { explainFields } from './explain-fields.ts';

const entry = (fields: Partial<LoggedDecision> = {}): LoggedDecision => ({
  time: '2026-01-01T10:00:00Z',
  times: 1,
  operation: 'UPDATE',
  object: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd-1' },
  user: 'alice',
  reason: 'NoParent',
  allowed: true,
  mode: 'enforce',
  fields: ['spec.replicas'],
  trace: [],
  hops: 0,
  ...fields,
});
const created = entry({
  operation: 'CREATE',
  fields: [],
  user: 'carol',
  time: '2026-01-01T09:00:00Z',
});

function deployment(fields: JsonObject = {}): Stored {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'd-1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T09:00:00Z',
      managedFields: [
        {
          manager: 'kubectl',
          operation: 'Update',
          apiVersion: 'apps/v1',
          time: '2026-01-01T09:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': { 'f:spec': { 'f:hostname': {} } } } },
        },
        { manager: 'broken', operation: 'Update', fieldsV1: { 'k:{': {} } },
        { manager: 'kcm', operation: 'Update', subresource: 'status', fieldsV1: { 'f:status': {} } },
      ],
    },
    spec: { replicas: 3, template: { metadata: { labels: { app: 'web' } }, spec: { hostname: 'web' } } },
    status: { replicas: 3 },
    ...fields,
  };
}
const settersOf = (live: Stored, decisions: readonly LoggedDecision[]) =>
  Object.fromEntries(
    explainFields(live, decisions).map(({ path, decision, writer }) => [
      path,
      decision?.user ?? writer?.manager ?? '',
    ]),
  );

describe('explain', () => {
  test('each field has who set it last; the creation stands for the others', () => {
    const deep = entry({ user: 'bob', fields: ['spec.template.spec.hostname'] });
    expect(settersOf(deployment(), [created, entry(), deep])).toEqual({
      'spec.replicas': 'alice',
      'spec.template.metadata': 'carol',
      'spec.template.spec.hostname': 'bob',
    });
  });

  test('what was denied set nothing', () => {
    const denied = entry({ allowed: false, user: 'mallory' });
    expect(settersOf(deployment(), [created, denied])['spec.replicas']).toBe('carol');
  });

  test('a change above a field, or of too many fields, set it too', () => {
    expect(settersOf(deployment(), [entry({ fields: ['spec'] })])['spec.template']).toBe('alice');
    expect(settersOf(deployment(), [entry({ fields: [] })])['spec.template']).toBe('alice');
    expect(settersOf(deployment(), [entry({ fields: ['spec.repl'] })])['spec.replicas']).toBe('kubectl');
  });

  test('what the log does not have, managedFields may; the rest nobody explains', () => {
    expect(settersOf(deployment({ spec: { replicas: 3, paused: true } }), [])).toEqual({
      'spec.replicas': 'kubectl',
      'spec.paused': '',
    });
  });

  test('a later write that the log does not have is not explained by an earlier decision', () => {
    const early = entry({ time: '2025-12-01T00:00:00Z' });
    expect(settersOf(deployment(), [early])['spec.replicas']).toBe('kubectl');
    const other = entry({ fields: ['spec.paused'], time: '2026-01-01T09:00:02Z', user: 'dora' });
    expect(settersOf(deployment(), [early, other])['spec.replicas']).toBe('alice');
  });

  test('keys with dots, and objects without a spec', () => {
    const map = { ...deployment({ data: { 'app.yaml': 'a', other: 'b' } }), kind: 'ConfigMap' };
    const { spec: _spec, ...live } = map as Stored & { readonly spec: unknown };
    expect(settersOf(live, [created, entry({ fields: ['data[app.yaml]'] })])).toEqual({
      'data[app.yaml]': 'alice',
      'data.other': 'carol',
    });
  });

  test('as people read it: values are cut, causes are named, and so is what was denied', () => {
    const hop = { apiVersion: 'example.com/v1', kind: 'Site', name: 'web', generation: 4, timestamp: 'then' };
    const because = [
      { ...hop, user: 'alice', labels: { ticket: 'J-1' } },
      { ...hop, user: 'ctl' },
    ];
    const live = deployment({ spec: { replicas: 3, text: 'x'.repeat(100), theme: 'dark' } });
    const fields = explainFields(live, [
      created,
      entry({ user: 'ctl', reason: 'Reconciling', trace: because, hops: 2 }),
      entry({
        user: 'ctl',
        fields: ['spec.theme'],
        reason: 'Approved',
        approval: { mode: 'once', by: 'bob' },
      }),
    ]);
    const denied = entry({ allowed: false, user: 'ctl', reason: 'Drift', times: 12 });
    const text = describeExplanation({
      kind: 'Deployment',
      name: 'web\u001b[31m',
      namespace: 'shop',
      fields,
      denied: [denied],
    });
    expect(text).not.toContain('\u001b');
    expect(text).toMatch(
      /spec\.replicas +3 +ctl +\S+ +because alice changed Site web to generation 4 \(ticket: J-1\)\n/,
    );
    expect(text).toMatch(/spec\.text +"x{38}… +carol/);
    expect(text).toMatch(/spec\.theme +"dark" +ctl +\S+ +drift, approved once by bob\n/);
    expect(text).toContain('2026-01-01T10:00:00Z, 12 times: ctl wanted to change spec.replicas: Drift\n');
  });
});
