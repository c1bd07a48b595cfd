import type { corev1, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../autoscaler-settings.ts';
import type { Circumstances, Proposal, Tolerances } from './proposal.ts';
import { utilizationReplicas } from './utilization.ts';
import { averageReplicas, shareReplicas, totalReplicas } from './average-replicas.ts';

const NOW = Date.UTC(2026, 0, 1);
const STARTED = new Date(NOW - 3_600_000).toISOString();
const JUST_NOW = new Date(NOW - 10_000).toISOString();

type Looks = 'ready' | 'unready' | 'starting' | 'hot' | 'pending' | 'failed' | 'leaving' | 'unknown';
const PHASES: Partial<Record<Looks, 'Pending' | 'Failed'>> = { pending: 'Pending', failed: 'Failed' };

/** `hot`: it became ready within the window of what was measured. */
function pod(looks: Looks, at: number, request: string): Stored<corev1.Pod> {
  const since = ['starting', 'hot'].includes(looks) ? JUST_NOW : STARTED;
  const status = ['starting', 'unready'].includes(looks) ? 'False' : 'True';
  const deleted = looks === 'leaving' ? { deletionTimestamp: JUST_NOW } : {};
  const resources = { requests: request === '' ? {} : { cpu: request } };
  const conditions = looks === 'unknown' ? [] : [{ type: 'Ready', status, lastTransitionTime: since }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${at}`, namespace: 'default', uid: `p${at}`, resourceVersion: '1', ...deleted },
    spec: { containers: [{ name: 'main', image: 'a', resources }] },
    status: { phase: PHASES[looks] ?? 'Running', startTime: since, conditions },
  };
}

type Case = {
  /** Of each pod: thousandths; undefined where nothing is measured. Default: all ready. */
  readonly used: readonly (number | undefined)[];
  readonly looks?: readonly Looks[];
  readonly current?: number;
  readonly target: number;
  readonly requests?: string;
  readonly tolerances?: Tolerances;
};
type Expected = readonly [replicas: number, utilization?: number] | string;

function circumstances({
  used,
  looks = [],
  current = used.length,
  requests = '1',
  tolerances,
}: Case): Circumstances {
  return {
    specReplicas: current,
    statusReplicas: current,
    pods: used.map((_value, at) => pod(looks[at] ?? 'ready', at, requests)),
    tolerances: tolerances ?? { up: 0.1, down: 0.1 },
    settings: DEFAULT_SETTINGS,
    now: NOW,
  };
}

function valuesOf({ used }: Case) {
  const measured = used.map((value, at) => [`p${at}`, value] as const);
  return new Map(
    measured.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, { value, timestamp: NOW, windowMs: 60_000 }] as const],
    ),
  );
}

const shown = (proposal: Proposal<object>): Expected => {
  if ('error' in proposal) return proposal.error;
  const { replicas, utilization } = proposal as { replicas: number; utilization?: number };
  return utilization === undefined ? [replicas] : [replicas, utilization];
};

describe('replicas by how much of its CPU each pod uses', () => {
  test.each<[string, Case, Expected]>([
    ['more, where more is used', { used: [300, 500, 700], target: 30 }, [5, 50]],
    ['fewer, where less is used', { used: [100, 300, 500, 250, 250], target: 50 }, [3, 28]],
    [
      'fewer where few are not ready',
      {
        used: [100, 300, 500, 250, 250],
        looks: ['ready', 'ready', 'ready', 'starting', 'unready'],
        target: 50,
      },
      [2, 30],
    ],
    [
      'as many, within what is tolerated',
      { used: [1010, 1030, 1020], target: 100, requests: '0.9' },
      [4, 113],
    ],
    ['as many, just within what is tolerated', { used: [1010, 1030, 1020], target: 100 }, [3, 102]],
    [
      'as many, where more is tolerated',
      { used: [500, 500], target: 40, tolerances: { up: 0.25, down: 0 } },
      [2, 50],
    ],
    [
      'more, where less is tolerated',
      { used: [500, 500], target: 40, tolerances: { up: 0.2, down: 0.9 } },
      [3, 50],
    ],
    [
      'pods that start are taken to use nothing',
      { used: [300, 500, 700], looks: ['starting'], target: 30 },
      [4, 60],
    ],
    [
      'so are those whose values are from before they were ready',
      { used: [300, 500, 700], looks: ['hot'], target: 30 },
      [4, 60],
    ],
    [
      'none more, if that takes all reason away',
      { used: [400, 500, 700], looks: ['ready', 'starting', 'unready'], target: 30, current: 3 },
      [3, 40],
    ],
    [
      'pods that have failed or leave do not count',
      { used: [500, 700, 900, 900], looks: ['ready', 'ready', 'failed', 'leaving'], target: 30, current: 2 },
      [4, 60],
    ],
    [
      'pods that wait are taken to use nothing',
      { used: [600, 600, undefined], looks: ['ready', 'ready', 'pending'], target: 30 },
      [4, 60],
    ],
    [
      'silent ones are taken to use nothing, for more',
      { used: [1000, undefined], target: 45, current: 2 },
      [3, 100],
    ],
    [
      'silent ones are taken to use all, for fewer',
      { used: [100, 100, 100, undefined], target: 50, current: 4 },
      [3, 10],
    ],
    [
      'silent ones keep what there is, where both may be',
      { used: [950, undefined], target: 100, current: 2 },
      [2, 95],
    ],
    [
      'silent ones use the target, where that is above all',
      { used: [1000, 1000, 1000, undefined], target: 200, current: 4 },
      [3, 100],
    ],
    [
      'nothing is known of any',
      { used: [undefined, undefined], target: 50 },
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    [
      'all just start',
      { used: [100, 100], looks: ['starting', 'starting'], target: 50 },
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    [
      'no condition tells of readiness',
      { used: [100], looks: ['unknown'], target: 50 },
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
    [
      'no pods',
      { used: [], target: 50, current: 1 },
      'no pods returned by selector while calculating replica count',
    ],
    [
      'no requests',
      { used: [100], requests: '', target: 50 },
      'missing request for cpu in container main of Pod p0',
    ],
    [
      'a rollout has more pods than wanted',
      { used: [500, 500, undefined, undefined], target: 100, current: 2 },
      [2, 50],
    ],
  ])('%s', (_title, given, expected) => {
    const metric = { values: valuesOf(given), resource: 'cpu', container: '', target: given.target };
    expect(shown(utilizationReplicas(metric, circumstances(given)))).toEqual(expected);
  });

  test('no pod asks for a resource that has the name of something of JavaScript', () => {
    const given = { used: [100], target: 50 };
    const metric = { values: valuesOf(given), resource: 'constructor', container: '', target: 50 };
    const missing = 'missing request for constructor in container main of Pod p0';
    expect(shown(utilizationReplicas(metric, circumstances(given)))).toBe(missing);
  });

  test('values of pods that are gone do not count', () => {
    const given = { used: [500, 500], target: 50 };
    const values = new Map([...valuesOf(given), ['gone', { value: 9000, timestamp: NOW, windowMs: 1 }]]);
    const metric = { values, resource: 'cpu', container: '', target: 50 };
    expect(shown(utilizationReplicas(metric, circumstances(given)))).toEqual([2, 50]);
  });
});

describe('replicas by the average of a value of each pod', () => {
  test.each<[string, Case, Expected]>([
    ['more', { used: [20_000, 10_000, 30_000], target: 15_000 }, [4]],
    ['fewer', { used: [12_000, 12_000, 12_000, 12_000, 12_000], target: 20_000 }, [3]],
    ['as many', { used: [20_000, 21_000, 21_000], target: 20_000 }, [3]],
    [
      'readiness says nothing about other values',
      { used: [50_000, 10_000, 30_000], looks: ['starting', 'hot', 'unready'], target: 15_000 },
      [6],
    ],
    ['silent ones are taken to have nothing, for more', { used: [50_000, undefined], target: 20_000 }, [3]],
    [
      'silent ones are taken to have the target, for fewer',
      { used: [10_000, 10_000, undefined], target: 20_000 },
      [2],
    ],
    [
      'nothing is known',
      { used: [undefined], target: 1 },
      'did not receive metrics for targeted pods (pods might be unready)',
    ],
  ])('%s', (_title, given, expected) => {
    const metric = { values: valuesOf(given), resource: '', target: given.target };
    expect(shown(averageReplicas(metric, circumstances(given)))).toEqual(expected);
  });
});

describe('replicas by one value', () => {
  const three: Case = { used: [undefined, undefined, undefined], target: 0 };
  test.each<[string, number, number, Partial<Case>, Expected]>([
    ['of all pods together: more', 20_000, 15_000, {}, [4]],
    ['fewer', 7_000, 15_000, {}, [2]],
    ['as many', 16_000, 15_000, {}, [3]],
    ['by those that are ready', 60_000, 15_000, { looks: ['ready', 'unready', 'pending'] }, [4]],
    ['from none', 40_000, 15_000, { current: 0 }, [3]],
    ['to none', 0, 15_000, {}, [0]],
    ['more than can be counted', Number.MAX_SAFE_INTEGER, 1, {}, [2_147_483_647]],
    [
      'without pods',
      20_000,
      15_000,
      { used: [], current: 3 },
      'unable to calculate ready pods: no pods returned by selector while calculating replica count',
    ],
  ])('%s', (_title, usage, target, fields, expected) => {
    expect(shown(totalReplicas(usage, target, circumstances({ ...three, ...fields })))).toEqual(expected);
  });

  test.each<[string, number, number, Expected]>([
    ['of which each has a share: more', 8600, 2000, [5]],
    ['fewer', 4000, 2000, [2]],
    ['as many', 6100, 2000, [3]],
    ['more than can be counted', Number.MAX_SAFE_INTEGER, 1, [2_147_483_647]],
  ])('%s', (_title, total, target, expected) => {
    expect(shown(shareReplicas(total, target, circumstances(three)))).toEqual(expected);
  });
});
