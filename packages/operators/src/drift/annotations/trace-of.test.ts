import { expect, test } from 'vitest';
import { ANNOTATIONS, type Hop } from '../api.ts';
import { child } from '../testing/objects.ts';
import { formatTrace, traceOf } from './trace-of.ts';

const hop = (name: string): Hop => ({
  apiVersion: 'v1',
  kind: 'Site',
  name,
  generation: 1,
  user: 'alice',
  timestamp: '2026-01-01T10:00:00Z',
});

const withTrace = (text: string) =>
  child({ metadata: { name: 'web', namespace: 'shop', annotations: { [ANNOTATIONS.trace]: text } } });

test('a trace is read as it was written, the first time and each time, short or long', () => {
  for (const hops of [[], [hop('web')], Array.from({ length: 90 }, (_, index) => hop(`web-${index}`))])
    for (let time = 0; time < 2; time++) expect(traceOf(withTrace(formatTrace(hops)))).toEqual(hops);
});

test('of many traces each object has its own', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `web-${index}`);
  for (let time = 0; time < 2; time++)
    for (const name of names) expect(traceOf(withTrace(formatTrace([hop(name)])))).toEqual([hop(name)]);
});

test('what is no trace is none, each time: no JSON, no list, or a list that nobody could have written', () => {
  const long = JSON.stringify(Array.from({ length: 101 }, () => ({})));
  for (let time = 0; time < 2; time++)
    for (const text of ['', '{', '{}', '[1]', long]) expect(traceOf(withTrace(text))).toEqual([]);
});
