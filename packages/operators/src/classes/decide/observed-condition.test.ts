import { expect, test } from 'vitest';
import type { ClassLoad, FunctionLoad, LoadProblem } from '../class-load.ts';
import { at, SETTINGS } from '../testing/class-bench.ts';
import {
  detailOf,
  type EnforcedClass,
  enforcedClass,
  loadFor,
  look,
  play,
} from '../testing/enforcement-bench.ts';

const AWAY: LoadProblem = {
  reason: 'PrometheusUnreachable',
  message: 'Prometheus cannot be reached: refused',
};

function conditionOf({ runtime }: EnforcedClass) {
  return runtime.status?.conditions?.find(({ type }) => type === 'NfrObserved');
}

/** A class with these requirements that has three replicas, as recommended. */
function settled(nfr_requirements: NonNullable<EnforcedClass['runtime']['spec']['nfr_requirements']> = {}) {
  const bare = enforcedClass({ current: 3 });
  const runtime = { ...bare.runtime, spec: { ...bare.runtime.spec, nfr_requirements } };
  return play({ ...bare, runtime }, 60, () => 3);
}

function withLoad(state: EnforcedClass, t: number, part: Partial<FunctionLoad>): ClassLoad {
  const load = loadFor(state, 3, t);
  return { ...load, functions: new Map([...load.functions].map(([key, one]) => [key, { ...one, ...part }])) };
}

const withProblem = (load: ClassLoad, t: number): ClassLoad => ({
  ...load,
  problem: { ...AWAY, since: at(t).getTime() },
});

test('CRT-A24 what is wrong is said once it has lasted for as long as a load may be old, with one Event', () => {
  const begun = settled();
  expect(conditionOf(begun)).toMatchObject({ status: 'True', reason: 'PrometheusQueryOK' });
  const soon = look(begun, 120, withProblem(loadFor(begun, 3, 120), 120));
  expect(conditionOf(soon)).toMatchObject({ status: 'True' });
  const lasting = look(soon, 300, withProblem(loadFor(soon, 3, 120), 120));
  expect(conditionOf(lasting)).toMatchObject({ status: 'False', ...AWAY });
  const later = look(lasting, 360, withProblem(loadFor(lasting, 3, 120), 120));
  expect(later.events.filter((event) => event === 'Warning NFRPrometheusUnreachable')).toHaveLength(1);
  const back = look(later, 420, loadFor(later, 3, 420));
  expect(conditionOf(back)).toMatchObject({ status: 'True', reason: 'PrometheusQueryOK' });
});

test('CRT-A24 a class of which nothing was ever known says at once why', () => {
  const bare = enforcedClass();
  const none: ClassLoad = { uid: bare.runtime.metadata.uid, functions: new Map() };
  expect(conditionOf(look(bare, 0, none))).toMatchObject({ status: 'False', reason: 'NoRecommendation' });
  expect(conditionOf(look(bare, 0, withProblem(none, 0)))).toMatchObject({ status: 'False', ...AWAY });
});

test('CRT-A21 a source that responds, and has nothing new, is said with the time of its newest sample', () => {
  const begun = settled();
  const old = look(begun, 1000, loadFor(begun, 3, 700));
  expect(conditionOf(old)).toMatchObject({
    status: 'False',
    reason: 'SamplesTooOld',
    message: 'main: the newest sample is of 2026-01-01T00:11:40Z: nothing is scaled by it',
  });
  expect(detailOf(old)).toMatchObject({ decision: 'SkipStale', recommended: 3 });
});

test('CRT-A22 without the throughput that a class requires, it keeps what was recommended, and may get more', () => {
  const begun = settled({ min_throughput_rps: 100 });
  const cpu = SETTINGS.cpuPerPod;
  const less = look(begun, 120, withLoad(begun, 120, { cpu }));
  expect(detailOf(less)).toMatchObject({ recommended: 3 });
  expect(conditionOf(less)).toMatchObject({ status: 'False', reason: 'MissingSignal' });
  expect(conditionOf(less)?.message).toContain('there is no throughput of all its pods');
  const more = look(less, 180, withLoad(less, 180, { cpu: 5 * cpu }));
  expect(detailOf(more)).toMatchObject({ recommended: 5 });
  const idle = look(more, 240, withLoad(more, 240, { cpu, rps: 0, rpsAt: at(240).getTime() }));
  expect(detailOf(idle)).toMatchObject({ recommended: 1, basis: 'cpu, no traffic' });
  expect(conditionOf(idle)).toMatchObject({ status: 'True' });
});

test('CRT-A22 a signal that was there a moment ago is not missing yet, and nothing becomes less meanwhile', () => {
  const begun = settled({ min_throughput_rps: 100 });
  const cpu = SETTINGS.cpuPerPod;
  const blink = look(begun, 120, withLoad(begun, 120, { cpu, rpsAt: at(60).getTime() }));
  expect(conditionOf(blink)).toMatchObject({ status: 'True' });
  expect(detailOf(blink)).toMatchObject({ recommended: 3 });
});
