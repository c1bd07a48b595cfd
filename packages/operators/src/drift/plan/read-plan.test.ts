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

test('the id is that of the content, not of its spacing; a later plan has another', () => {
  const { id } = read({});
  expect(readPlan(JSON.stringify(JSON.parse(text()), undefined, 2), 'p.json').id).toBe(id);
  expect(read({ timestamp: '2026-01-01T10:00:00Z' }).id).not.toBe(id);
});

const HOW_TO = 'write it with: terraform show -json PLAN > FILE';

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
  'aws_instance.web; rm',
  `a.${'b'.repeat(2048)}`,
])('%s is no address', (address) => {
  expect(resourceAt(address)).toBeUndefined();
});
