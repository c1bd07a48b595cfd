import { ClusterError } from '../cluster-error.ts';
import type { Scenario } from './scenario.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type Beginning, createStage } from './stage.ts';

/** Virtual milliseconds that the preparation of a scenario may take. */
const LONGEST = 10 * 60_000;

const prepared = new WeakMap<Scenario, Promise<Beginning>>();

/** What a scenario prepares. Played once, with a seed of its own: every world of the scenario begins with it. */
export function prepare(scenario: Scenario): Promise<Beginning> {
  const known = prepared.get(scenario) ?? play(scenario);
  prepared.set(scenario, known);
  return known;
}

async function play(scenario: Scenario): Promise<Beginning> {
  const random = createSeededRandom(0);
  const stage = createStage({ scenario, random, directorRandom: random.fork('director') });
  const { scheduler, server, history, director } = stage;
  let outcome: 'open' | 'done' | { readonly error: unknown } = 'open';
  scenario.prepare(director).then(
    () => (outcome = 'done'),
    (error: unknown) => (outcome = { error }),
  );
  const isOpen = (): boolean => outcome === 'open';
  await scheduler.run(LONGEST, () => !isOpen());
  if (isOpen()) outcome = { error: new ClusterError('TimedOut', 'it does not end') };
  const beginning = { snapshot: server.snapshot(), written: history.all, now: scheduler.now };
  await stage.end();
  if (typeof outcome === 'object') throw outcome.error;
  return beginning;
}
