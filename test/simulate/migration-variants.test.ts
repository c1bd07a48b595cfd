import { type RunResult, runWorld, type Scenario, type WorldFault } from '@kubewright/cluster';
import { describe, expect, test } from 'vitest';
import { crashAtRecord, recordOf } from './migration/crash-at.ts';
import { isLong } from '../support/seeds.ts';
import { migrationScenario } from './migration/migration.ts';
import type { MigrationStory } from './migration/script.ts';
import { checkpointVariants, type MigrationVariant, migrationVariants } from './migration/variants.ts';

/** `npm run simulate -- migration/hasty --seeds N`, or `migration/unfenced`, finds more. */
const SEED = 1;
/** Messages are not there, or came twice: the first that is not in its place, or how many there are in the end. */
const LOST =
  /^never reached: orders-0: of \w+, (message \d+ was applied as the \d+th|\d+ of \d+ messages were applied)$/;

const scenarioOf = (variant: MigrationVariant, story: MigrationStory = {}): Scenario => ({
  ...migrationScenario(story, variant),
  stableFor: 60_000,
});
const play = (scenario: Scenario, faults: readonly WorldFault[]): Promise<RunResult> =>
  runWorld({ seed: SEED, scenario, faults });

const LONG = isLong ? '' : ' [needs npm run test:long]';
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
    expect((await play(scenarioOf(migrationVariants.hasty), [])).failure).toMatch(LOST);
    expect(await play(scenarioOf({}), [])).not.toHaveProperty('failure');
  });

  // Some ten worlds: in `npm run test:long`.
  test.runIf(isLong)(
    `unfenced, in world ${SEED}, by one that leads no longer: the shadow goes on when it has handed over${LONG}`,
    async () => {
      const scenario = scenarioOf(migrationVariants.unfenced);
      // Another operator tells the shadow to go on, and then to stop; the first one wakes up then, and tells it to go on.
      const faults = await wokenTooLate(scenario, 'TakeOver', ['Quiesce', 'TakeOver']);
      expect(await play(scenarioOf({}), faults)).not.toHaveProperty('failure');
    },
  );

  test.runIf(isLong)(
    `unfenced, of an application of the original system: the shadow goes on when its process has been checkpointed${LONG}`,
    async () => {
      const story = { workloads: ['OriginalSet'] } as const;
      const scenario = scenarioOf(checkpointVariants.unfenced, story);
      const faults = await wokenTooLate(scenario, 'SwitchOver', ['SwitchOver', 'DeleteShadow']);
      expect(await play(scenarioOf({}, story), faults)).not.toHaveProperty('failure');
    },
  );
});

/**
 * The first operator is frozen at a step of the first handover, and goes on there between two steps of the second one, when
 * another operator leads. Returns the faults with which messages are lost.
 */
async function wokenTooLate(
  scenario: Scenario,
  step: string,
  [from, to]: readonly [from: string, to: string],
): Promise<readonly WorldFault[]> {
  const calm = await play(scenario, []);
  const { component } = crashAtRecord(calm, 'after', step);
  const { at } = recordOf(calm, step);
  const frozenFor = (ms: number) => [{ type: 'pause', component, at, ms }] as const;
  const long = await play(scenario, frozenFor(100_000));
  const [first, last] = [recordOf(long, from, 2).at, recordOf(long, to, 2).at];
  const moments = Array.from({ length: Math.floor((last - first) / STEP_MS) }, (_, index) =>
    frozenFor(first + (index + 1) * STEP_MS - at),
  );
  return firstThatLoses(scenario, moments);
}
