import { runWorld } from '@kubewright/cluster';
import type { ClassRuntime } from '@kubewright/operators';
import { expect, test } from 'vitest';
import { isLong, seeds, some } from '../support/seeds.ts';
import { classesScenario, TIMES } from './classes.ts';
import { naiveSources } from './classes-load.ts';
import { classesVariants } from './classes-variants.ts';

/** `npm run simulate -- classes --seeds N` plays more of them. */
const SEEDS = seeds(1, 6);

test(`the classes operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = classesScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- classes --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test.runIf(isLong)(
  'an operator that forgets when it scaled is caught, by a crash alone [needs npm run test:long]',
  async () => {
    const alone = { replicas: 1 } as const;
    const forgetful = classesScenario(classesVariants['forgetful'], alone);
    const calm = await runWorld({ seed: 400_001, scenario: forgetful, faults: [] });
    expect(calm).not.toHaveProperty('failure');
    // Soon after the first step, when it is on record.
    const step = calm.trace.find((line) => line.includes('oprc-crm-enforcer')) ?? '';
    const first = Number(/operator #(\d+)/.exec(step)?.[1]);
    const crashAt = (call: number) =>
      ({ type: 'crash', component: 'operator', call, when: 'after', restartAfter: 1000, behind: 0 }) as const;
    let crash = crashAt(first);
    let failure: string | undefined;
    for (let call = first + 1; call <= first + 4 && failure === undefined; call++) {
      crash = crashAt(call);
      failure = (await runWorld({ seed: 400_001, scenario: forgetful, faults: [crash] })).failure;
    }
    expect(failure).toContain('replicas change once per cooldown');
    const whole = await runWorld({
      seed: 400_001,
      scenario: classesScenario(undefined, alone),
      faults: [crash],
    });
    expect(whole).not.toHaveProperty('failure');
  },
);

const SECOND = [{ type: 'twin', component: 'operator', at: 122_000, ms: 2000 }] as const;

test.runIf(isLong)(
  'a process that has just started changes no condition before it has read anything [needs npm run test:long]',
  async () => {
    const alone = { replicas: 1 } as const;
    const oblivious = classesScenario(classesVariants['oblivious'], alone);
    const { failure } = await runWorld({ seed: 4, scenario: oblivious, faults: SECOND });
    expect(failure).toContain('conditions change once per cause: shop: NfrObserved');
    const whole = await runWorld({ seed: 4, scenario: classesScenario(undefined, alone), faults: SECOND });
    expect(whole).not.toHaveProperty('failure');
  },
);

const BROKEN = [
  ['untidy', 'leaves what nobody wants', 'Deployment/shop-fn-0'],
  ['fickle', 'says at each look the opposite', 'conditions change once per cause'],
  ['blind', 'scales down when it is told nothing', 'replicas do not fall while the load does not'],
  ['restless', 'writes at rest', 'not stable'],
  ['stubborn', 'applies the same again', 'what was applied is not applied again'],
] as const;

/** Only in the long run. */
test.each(some(0, BROKEN))(
  'an operator that is %s, and %s, is caught without any fault',
  async (name, _does, failure) => {
    const scenario = classesScenario(classesVariants[name], { replicas: 1 });
    const result = await runWorld({ seed: 4, scenario, faults: [] });
    expect(result.failure).toContain(failure);
  },
);

const NAIVE = [
  ['gullible', 'counts twice what is collected twice'],
  ['trusting', 'takes old samples for the load of now'],
] as const;
/** The source of one of these worlds has what they cannot cope with. */
const SEARCH = 20;

/** Only in the long run. */
test.each(some(0, NAIVE))('an operator that is %s, and %s, is caught', async (name) => {
  const naive = classesScenario(undefined, { replicas: 1, ask: naiveSources[name] });
  for (let seed = 1; seed <= SEARCH; seed++) {
    const { failure } = await runWorld({ seed, scenario: naive, faults: [] });
    if (failure === undefined) continue;
    expect(failure).toContain('replicas do not fall while the load does not');
    const whole = classesScenario(undefined, { replicas: 1 });
    expect(await runWorld({ seed, scenario: whole, faults: [] })).not.toHaveProperty('failure');
    return;
  }
  expect.unreachable(`no world of ${SEARCH} catches it`);
});

test('CRT-N04 a load step: the first change within the stability window and one interval, then one per cooldown', async () => {
  const scenario = classesScenario(undefined, { replicas: 1 });
  const { history, failure } = await runWorld({ seed: 4, scenario, faults: [] });
  expect(failure).toBeUndefined();
  const statuses = history
    .of('classruntimes', 'shop')
    .map(({ object }) => (object as ClassRuntime).status ?? {});
  const enforced = statuses.flatMap(({ nfr_details }) => nfr_details?.[0]?.enforcement ?? []);
  // The increases of a range rise by and by: the target may be the next one already when one is applied.
  const step = enforced.find(({ applying }) => applying !== undefined) ?? expect.fail('nothing is applied');
  const targets = [...(step.earlier ?? []), step];
  const since = targets.find(({ target }) => target >= (step.applying?.replicas ?? 0))?.since ?? '';
  const applied_at = enforced.find((each) => each.applied_at !== undefined)?.applied_at ?? '';
  const seconds = (Date.parse(applied_at) - Date.parse(since)) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(TIMES.stability);
  expect(seconds).toBeLessThanOrEqual(TIMES.stability + TIMES.interval);
  const applied = statuses.at(-1)?.last_applied_recommendations ?? [];
  expect(applied.map(({ target }) => target)).toEqual([2, 3]);
});
