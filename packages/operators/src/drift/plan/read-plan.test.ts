import { expect, test } from 'vitest';
import { readPlan } from './read-plan.ts';
import { resourceAt } from './resource-at.ts';

type Fields = Readonly<Record<string, unknown>>;
const change = (address: string, ...actions: readonly unknown[]): Fields => ({
  address,
  change: { actions, before: { password: 'hunter2' }, after: {}, before_sensitive: { password: true } },
});
const text = (fields: Fields = {}): string =>
  JSON.stringify({ format_version: '1.2', planned_values: {}, timestamp: '2026-01-01T09:59:00Z', ...fields });
const HOW_TO = 'write it with: terraform show -json PLAN > FILE';
const read = (fields: Fields) => readPlan(text(fields), 'p.json');

test('changes are read by address and action, without values; what changes nothing is left out', () => {
  const plan = read({
    resource_changes: [
      change('aws_instance.a', 'create'),
      change('aws_instance.b', 'update'),
      change('aws_instance.c', 'delete'),
      change('aws_instance.d', 'delete', 'create'),
      change('aws_instance.e', 'create', 'delete'),
      change('aws_instance.f', 'forget'),
      change('aws_instance.g', 'create', 'forget'),
      change('aws_instance.h', 'no-op'),
      change('data.aws_ami.i', 'read'),
      { ...change('aws_instance.j', 'delete'), deposed: '00000001' },
    ],
    resource_drift: [change('aws_instance.b', 'update')],
    complete: false,
  });
  expect(plan).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
    timestamp: '2026-01-01T09:59:00Z',
    isComplete: false,
    deferred: [],
    failingChecks: [],
    changes: [
      { address: 'aws_instance.a', action: 'create' },
      { address: 'aws_instance.b', action: 'update' },
      { address: 'aws_instance.c', action: 'delete' },
      { address: 'aws_instance.d', action: 'replace' },
      { address: 'aws_instance.e', action: 'replace' },
      { address: 'aws_instance.f', action: 'forget' },
      { address: 'aws_instance.g', action: 'create and forget' },
      { address: 'aws_instance.j', action: 'delete', deposed: '00000001' },
    ],
    outside: [{ address: 'aws_instance.b', action: 'update' }],
  });
  expect(JSON.stringify(plan)).not.toContain('hunter2');
});

test('a plan without resources changes nothing', () => {
  expect(read({})).toMatchObject({ changes: [], outside: [], isComplete: true });
});

test('a plan without its values is still a plan, also where it changes no resource', () => {
  const less = { format_version: '1.2', timestamp: '2026-01-01T09:59:00Z', errored: false };
  expect(readPlan(JSON.stringify(less), 'p.json').changes).toEqual([]);
});

test('actions of providers are changes, and what is deferred is none of this plan', () => {
  const invocation = { address: 'action.aws_lambda_invoke.mail', config_values: { token: 'hunter2' } };
  const plan = read({
    action_invocations: [invocation],
    deferred_changes: [
      { reason: 'instance_count_unknown', resource_change: change('aws_instance.a[*]', 'create') },
      { reason: 'hunter2 in many words', resource_change: change('module.m["x"].aws_instance.b', 'create') },
    ],
    deferred_action_invocations: [{ reason: 'deferred_prereq', action_invocation: invocation }],
  });
  expect(plan).toMatchObject({
    isComplete: false,
    changes: [{ address: 'action.aws_lambda_invoke.mail', action: 'invoke' }],
    deferred: [
      { address: 'aws_instance.a[*]', reason: 'instance_count_unknown' },
      { address: 'module.m["x"].aws_instance.b' },
      { address: 'action.aws_lambda_invoke.mail', reason: 'deferred_prereq' },
    ],
  });
  expect(JSON.stringify(plan)).not.toContain('hunter2');
});

test.each([
  ['output_changes', [], 'output_changes is not an object'],
  ['output_changes', { a: {} }, 'output_changes[0] has actions that this version does not know'],
  ['output_changes', { 'a b': { actions: ['create'] } }, 'output_changes[0] has no valid address'],
  ['action_invocations', [{}], 'action_invocations[0] has no valid address'],
  ['deferred_changes', [{}], 'deferred_changes[0] has no resource_change'],
  ['checks', {}, 'checks is not a list'],
  ['checks', [3], 'checks[0] is not an object'],
])('%s that is %j is an error that says so', (key, value, message) => {
  expect(() => read({ [key]: value })).toThrow(`p.json: ${message}; ${HOW_TO}`);
});

test('the id is that of the content, not of its spacing; a later plan has another', () => {
  const { id } = read({});
  expect(readPlan(JSON.stringify(JSON.parse(text()), undefined, 2), 'p.json').id).toBe(id);
  expect(read({ timestamp: '2026-01-01T10:00:00Z' }).id).not.toBe(id);
});

test.each([
  ['no JSON', 'PK\u0003\u0004 hunter2', `p.json is not JSON; ${HOW_TO}`],
  ['nothing', '', `p.json is not JSON; ${HOW_TO}`],
  ['nested too deep', '['.repeat(5000), `p.json is not JSON; ${HOW_TO}`],
  ['a list', '[]', `p.json is not a plan; ${HOW_TO}`],
  ['a state', '{"format_version":"1.0","values":{}}', `p.json is not a plan; ${HOW_TO}`],
  ['keys of a prototype', '{"__proto__":{"planned_values":{}}}', `p.json is not a plan; ${HOW_TO}`],
  [
    'a later format',
    text({ format_version: '2.0' }),
    'p.json has format_version 2.0, not 1.x; use Terraform 1.x or OpenTofu 1.x',
  ],
  [
    'no format',
    text({ format_version: { toString: 1 } }),
    'p.json has no known format_version, not 1.x; use Terraform 1.x or OpenTofu 1.x',
  ],
  [
    'a failure',
    text({ errored: true }),
    'p.json is of a plan that failed; correct its errors and plan again',
  ],
  ['no list', text({ resource_changes: {} }), `p.json: resource_changes is not a list; ${HOW_TO}`],
  [
    'an entry that is none',
    text({ resource_drift: ['hunter2'] }),
    `p.json: resource_drift[0] is not an object; ${HOW_TO}`,
  ],
  ...[[], ['destroy'], [['no-op']], [{ toString: 1 }], ['delete', 'create', 'delete']].map((actions) => [
    `the actions ${JSON.stringify(actions)}`,
    text({ resource_changes: [change('aws_instance.a', ...actions)] }),
    `p.json: resource_changes[0] has actions that this version does not know; ${HOW_TO}`,
  ]),
  [
    'no actions',
    text({ resource_changes: [{ address: 'a.b', change: null }] }),
    `p.json: resource_changes[0] has actions that this version does not know; ${HOW_TO}`,
  ],
  [
    'no address',
    text({ resource_changes: [change('', 'delete')] }),
    `p.json: resource_changes[0] has no valid address; ${HOW_TO}`,
  ],
])('%s is one line that says what to do, without what is in the file', (_what, content, message) => {
  expect(() => readPlan(content ?? '', 'p.json')).toThrow(
    expect.objectContaining({ code: 'Usage', message }) as Error,
  );
});

test.each([
  ['aws_instance.web', 'aws_instance'],
  ['aws_instance.web[0]', 'aws_instance'],
  ['aws_instance.web["a.b\\"]"]', 'aws_instance'],
  ['data.aws_ami.linux', 'aws_ami'],
  ['action.aws_lambda_invoke.mail["x"]', 'aws_lambda_invoke'],
  ['output.url', 'output'],
  ['module.net["eu.west"].module.sub[1].aws_subnet.a["x"]', 'aws_subnet'],
  ['aws_instance.größe', 'aws_instance'],
])('the kind of %s is %s', (address, kind) => {
  expect(resourceAt(address)).toEqual({ apiVersion: 'terraform', kind, name: address });
});

test.each([
  '',
  '*',
  'web',
  'module.net',
  'aws_instance.web[x]',
  'aws_instance.web[*]',
  'aws_instance.web; rm',
  `a.${'b'.repeat(2048)}`,
])('%s is no address', (address) => {
  expect(resourceAt(address)).toBeUndefined();
});
