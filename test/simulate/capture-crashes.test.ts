import { type RunResult, runWorld, type WorldFault } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { isLong, seed, some } from '../support/seeds.ts';
import { captureScenario } from './capture.ts';

// The operator crashes at one of its calls, and goes on, or another manager does. In each of these worlds, requests of every
// kind succeed in the end, all that is made is made once, what has ended stays as it is, and nothing is left behind: the
// scenario sees to it.

const SEED = 1;
/** Of all calls about this many are crashed at in a run. */
const FEW = isLong ? 15 : 2;
/** All requests have expired before the time in which faults are injected is over. */
const [REQUEST_TTL, FAULTS_END] = ['50s', 115_000];

type Point = { readonly call: number; readonly when: 'before' | 'after' };

/** Each call of a component but those that keep it in the lead, before and after. */
function pointsOf({ trace }: RunResult, component: string): readonly Point[] {
  const calls = trace.flatMap((line) => {
    const pattern = new RegExp(`^(\\d+) ${component} #(\\d+) [A-Z]+ (\\S+)`);
    const [, at, call, path = ''] = pattern.exec(line) ?? [];
    const isMeant = at !== undefined && Number(at) < FAULTS_END && !path.includes('/leases/');
    return isMeant ? [Number(call)] : [];
  });
  return [...new Set(calls)].flatMap((call) => [
    { call, when: 'before' } as const,
    { call, when: 'after' } as const,
  ]);
}

/** Some that are far from each other: other ones for other seeds. */
function chosen(points: readonly Point[]): readonly Point[] {
  const step = Math.max(1, Math.floor(points.length / FEW));
  return points.filter((_point, index) => index % step === seed % step);
}

const MANAGERS = [
  ['alone', 1, 'operator'],
  ['beside another one', 2, 'operator-1'],
] as const;

describe.each(some(1, MANAGERS))('a manager %s that crashes', (_where, replicas, component) => {
  const scenario = captureScenario({}, { replicas, requestTtl: REQUEST_TTL });
  const play = (faults: readonly WorldFault[]) => runWorld({ seed: SEED, scenario, faults });

  test('CAP-24 CAP-25 CAP-26 CAP-78 CAP-79 CAP-80 before or after any of its calls: each request ends once, and nothing is left', async () => {
    const calm = await play([]);
    expect(calm).not.toHaveProperty('failure');
    const points = pointsOf(calm, component);
    expect(points.length).toBeGreaterThanOrEqual(30);
    for (const point of chosen(points)) {
      const restart = { restartAfter: 1000, behind: 0 };
      const { failure, trace } = await play([{ type: 'crash', component, ...point, ...restart }]);
      expect(failure, `${component} #${point.call}, crash ${point.when}`).toBeUndefined();
      expect(trace.some((line) => line.includes(` crash ${point.when}`))).toBe(true);
    }
  });
});
