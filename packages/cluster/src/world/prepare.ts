import { ClusterError } from '../cluster-error.ts';
import type { Scenario } from './scenario.ts';
import { createSeededRandom } from './seeded-random.ts';
import { type InitialState, createSimulatedApi } from './simulated-api.ts';

/** Virtual milliseconds that the preparation of a scenario may take. */
const LONGEST = 10 * 60_000;

const prepared = new WeakMap<Scenario, Promise<InitialState>>();

/** The state that a scenario prepares. Run once, with a seed of its own: every world of the scenario begins with it. */
export function prepare(scenario: Scenario): Promise<InitialState> {
  const known = prepared.get(scenario) ?? run(scenario);
  prepared.set(scenario, known);
  return known;
}

async function run(scenario: Scenario): Promise<InitialState> {
  const random = createSeededRandom(0);
  const api = createSimulatedApi({ scenario, random, contextRandom: random.fork('director') });
  const { scheduler, server, history, context } = api;
  let outcome: 'open' | 'done' | { readonly error: unknown } = 'open';
  scenario.prepare(context).then(
    () => (outcome = 'done'),
    (error: unknown) => (outcome = { error }),
  );
  const isOpen = (): boolean => outcome === 'open';
  await scheduler.run(LONGEST, () => !isOpen());
  if (isOpen()) outcome = { error: new ClusterError('TimedOut', 'the preparation does not end') };
  const initial = { snapshot: server.snapshot(), written: history.all, now: scheduler.now };
  await api.end();
  if (typeof outcome === 'object') throw outcome.error;
  return initial;
}
