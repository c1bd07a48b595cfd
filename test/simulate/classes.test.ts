import { runWorld, shrinkFaults } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { classesScenario } from './classes.ts';
import { classesVariants } from './classes-variants.ts';

/** `npm run simulate -- classes --seeds N` plays more of them. */
const SEEDS = seeds(4, 40);

test(`the classes operator masters ${SEEDS.length} worlds`, async () => {
  const scenario = classesScenario();
  for (const seed of SEEDS) {
    const result = await runWorld({ seed, scenario });
    expect(result, `npm run simulate -- classes --seed ${seed} --trace`).not.toHaveProperty('failure');
  }
});

test('an operator that leaves what nobody wants is caught, without any fault', async () => {
  const scenario = classesScenario(classesVariants['untidy']);
  const result = await runWorld({ seed: 4, scenario });
  const least = await shrinkFaults({ seed: 4, scenario }, result);
  expect(least.failure).toContain('Deployment/shop-fn-0');
  expect(least.faults).toEqual([]);
});

test('an operator that forgets when it scaled is caught, by a crash alone', async () => {
  const forgetful = classesScenario(classesVariants['forgetful']);
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
  const whole = await runWorld({ seed: 400_001, scenario: classesScenario(), faults: [crash] });
  expect(whole).not.toHaveProperty('failure');
});
