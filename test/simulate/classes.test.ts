import { runWorld, shrinkFaults } from '@kubewright/cluster';
import { expect, test } from 'vitest';
import { seeds } from '../support/seeds.ts';
import { classesScenario } from './classes.ts';
import { classesVariants } from './classes-variants.ts';

/** `npm run simulate -- classes --seeds N` plays more of them. */
const SEEDS = seeds(4, 200);

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
  // The call after the first step: its record in the status.
  const step = calm.trace.find((line) => line.includes('oprc-crm-enforcer')) ?? '';
  const call = Number(/operator #(\d+)/.exec(step)?.[1]) + 1;
  const crash = {
    type: 'crash',
    component: 'operator',
    call,
    when: 'after',
    restartAfter: 1000,
    behind: 0,
  } as const;
  const caught = await runWorld({ seed: 400_001, scenario: forgetful, faults: [crash] });
  expect(caught.failure).toContain('replicas change once per cooldown');
  const whole = await runWorld({ seed: 400_001, scenario: classesScenario(), faults: [crash] });
  expect(whole).not.toHaveProperty('failure');
});
