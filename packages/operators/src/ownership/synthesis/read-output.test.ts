import { describe, expect, test } from 'vitest';
import { OUTPUT_LIMIT, readOutput } from './read-output.ts';

const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
const list = (more: object): string => JSON.stringify({ kind: 'ResourceList', items: [item], ...more });

describe('what a synthesizer has printed', () => {
  test.each([
    ['JSON', list({})],
    [
      'YAML',
      'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n',
    ],
    ['a document after lines of standard error', `loading…\nready\n${list({})}\n`],
    ['a document with its separator', `---\n${list({})}`],
  ])('is read from %s', (_, text) => {
    expect(readOutput(text)).toEqual({ ok: true, items: [item], results: [] });
  });

  test('has results that fail nothing, unless one is an error', () => {
    const info = { message: 'two replicas', severity: 'info', tags: {} };
    expect(readOutput(list({ results: [info] }))).toMatchObject({
      ok: true,
      results: [{ message: 'two replicas', severity: 'info' }],
    });
    const error = { message: 'no such tier', severity: 'error' };
    expect(readOutput(list({ results: [info, error] }))).toEqual({ ok: false, message: 'no such tier' });
  });

  test.each([
    ['', 'it printed no ResourceList'],
    ['hello', 'it printed no ResourceList'],
    ['{"kind":"List","items":[]}', 'it did not print one ResourceList, and nothing after it'],
    [`${list({})}\n---\n${list({})}`, 'it did not print one ResourceList, and nothing after it'],
    [list({ items: [item, { kind: 'Secret' }] }), 'items[1] has no apiVersion, kind and metadata.name'],
    [list({ items: [null] }), 'items[0] has no apiVersion, kind and metadata.name'],
    ['a'.repeat(OUTPUT_LIMIT), `it printed more than ${OUTPUT_LIMIT} bytes`],
  ])('is refused: %.40s', (text, message) => {
    expect(readOutput(text)).toEqual({ ok: false, message });
  });

  test('is refused where it is no YAML, or would fill the memory', () => {
    expect(readOutput('kind: ResourceList\nitems: [')).toMatchObject({ ok: false });
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghijklmnopqrst'
        .split('')
        .map(
          (name, at) => `${name}: &${name} [*${'abcdefghijklmnopqrs'[at]}, *${'abcdefghijklmnopqrs'[at]}]`,
        ),
    ];
    expect(readOutput(`kind: ResourceList\n${bomb.join('\n')}`)).toMatchObject({
      ok: false,
      message: expect.stringContaining('alias'),
    });
  });
});
