import type { Written } from '@kubewright/cluster';
import type { Stored } from '@kubewright/kube';
import { expect, test } from 'vitest';
import { goneAfterItsEnd, oneAtATime, ranOnce } from './job-invariants.ts';
import type { Past } from './writes-of.ts';

const OWNER = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: 'u', controller: true };

const cronJob = (concurrencyPolicy: string): Stored => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: OWNER.name, uid: OWNER.uid, resourceVersion: '1' },
  spec: { concurrencyPolicy },
});

type Step = Pick<Written, 'type' | 'object'>;

const job = (name: string, fields: Partial<Stored> = {}): Stored => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, uid: `uid of ${name}`, resourceVersion: '1', ownerReferences: [OWNER] },
  spec: { ttlSecondsAfterFinished: 10 },
  ...fields,
});
const begun = (name: string): Step => ({ type: 'ADDED', object: job(name) });
const ended = (name: string, type = 'Complete'): Step => ({
  type: 'MODIFIED',
  object: job(name, { status: { conditions: [{ type, status: 'True' }] } }),
});
const gone = (name: string): Step => ({ type: 'DELETED', object: job(name) });

function pastOf(policy: string, steps: readonly Step[]): Past {
  const jobs = steps.map((step, at) => ({ ...step, at, resource: 'jobs' }));
  return { all: [{ type: 'ADDED', object: cronJob(policy), at: 0, resource: 'cronjobs' }, ...jobs] };
}

test.each([
  ['ended', ended('a')],
  ['failed', ended('a', 'Failed')],
  ['was taken away', gone('a')],
])('a Job may begin when the one before it %s', (_how, end) => {
  expect(oneAtATime(pastOf('Forbid', [begun('a'), end, begun('b')]))).toBeUndefined();
});

test('no Job may begin beside another, unless it is allowed', () => {
  const steps = [begun('a'), ended('a', 'Suspended'), begun('b')];
  expect(oneAtATime(pastOf('Forbid', steps))).toBe('at 2 b ran beside another');
  expect(oneAtATime(pastOf('Replace', steps))).toBe('at 2 b ran beside another');
  expect(oneAtATime(pastOf('Allow', steps))).toBeUndefined();
});

test('a moment may not run again, though its Job is long gone', () => {
  const steps = [begun('a'), ended('a'), begun('b'), gone('a'), begun('a')];
  expect(ranOnce(pastOf('Forbid', steps.slice(0, -1)))).toBeUndefined();
  expect(ranOnce(pastOf('Forbid', steps))).toBe('at 4 a was made again');
});

test('a Job may go after its end, and not before', () => {
  expect(goneAfterItsEnd(pastOf('Forbid', [begun('a'), ended('a'), gone('a')]))).toBeUndefined();
  expect(goneAfterItsEnd(pastOf('Forbid', [begun('a'), gone('a')]))).toBe('at 1 a went before its end');
});
