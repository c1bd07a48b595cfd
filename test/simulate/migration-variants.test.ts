import { type RunResult, runWorld, type Scenario, type WorldFault } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { crashAtRecord, recordOf } from './migration/crash-at.ts';
import { isLong } from '../support/seeds.ts';
import { migrationScenario } from './migration/migration.ts';
import { migrationVariants } from './migration/variants.ts';

/** `npm run simulate -- migration/hasty --seeds N`, or `migration/unfenced`, finds more. */
const SEED = 1;
/** Messages are not there, or came twice: the first that is not in its place, or how many there are in the end. */
const LOST =
  /^never reached: orders-0: of \w+, (message \d+ was applied as the \d+th|\d+ of \d+ messages were applied)$/;

const scenarioOf = (variant: string): Scenario => ({
  ...migrationScenario({}, migrationVariants[variant]),
  stableFor: 60_000,
});
const play = (scenario: Scenario, faults: readonly WorldFault[]): Promise<RunResult> =>
  runWorld({ seed: SEED, scenario, faults });

/** Between two moments at which the first operator may wake up: it is one of few milliseconds at which it does harm. */
const STEP_MS = 20;

async function firstThatLoses(
  scenario: Scenario,
  all: readonly (readonly WorldFault[])[],
): Promise<readonly WorldFault[]> {
  for (const faults of all) {
    const { failure = '' } = await play(scenario, faults);
    if (LOST.test(failure)) return faults;
  }
  return expect.fail('no world loses a message: npm run simulate -- migration/unfenced');
}

describe('an operator that is broken on purpose is caught', () => {
  test(`hasty, in world ${SEED}, without any fault: messages are lost`, async () => {
    expect((await play(scenarioOf('hasty'), [])).failure).toMatch(LOST);
    expect(await play(scenarioOf('real'), [])).not.toHaveProperty('failure');
  });

  // Some ten worlds: in `npm run test:long`.
  test.runIf(isLong)(
    `unfenced, in world ${SEED}, by one that leads no longer: the shadow goes on when it has handed over${isLong ? '' : ' [needs npm run test:long]'}`,
    async () => {
      const unfenced = scenarioOf('unfenced');
      const calm = await play(unfenced, []);
      const { component } = crashAtRecord(calm, 'after', 'TakeOver');
      const { at } = recordOf(calm, 'TakeOver');
      const frozenFor = (ms: number) => [{ type: 'pause', component, at, ms }] as const;
      // Another operator tells the shadow to go on, and then to stop; the first one wakes up then, and tells it to go on.
      const long = await play(unfenced, frozenFor(100_000));
      const [first, last] = [recordOf(long, 'Quiesce', 2).at, recordOf(long, 'TakeOver', 2).at];
      const moments = Array.from({ length: Math.floor((last - first) / STEP_MS) }, (_, index) =>
        frozenFor(first + (index + 1) * STEP_MS - at),
      );
      const faults = await firstThatLoses(unfenced, moments);
      expect(await play(scenarioOf('real'), faults)).not.toHaveProperty('failure');
    },
  );
});
