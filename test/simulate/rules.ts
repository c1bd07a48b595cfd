import { type RunOptions, runWorld, type Scenario, type WorldFault } from '@kubewright/cluster';
import { type OperatorDay, operatorScenario } from './operator-scenario.ts';
import type { Right } from './rights.ts';
import { rightsUsed } from './rights-used.ts';

type World = Omit<RunOptions, 'scenario'>;

const CALM: World = { seed: 1, faults: [] };

/** Worlds that are played at most until all rights are used. */
const SEEDED: readonly World[] = Array.from({ length: 40 }, (_, index) => ({ seed: index + 1 }));

/** A write in the trace of a world: its component, the number of its call, its verb, its resource and subresource. */
const WRITE =
  /^\d+ (operator\S*) #(\d+) (POST|PUT|PATCH|DELETE) \S*?\/v\d\w*\/(?:namespaces\/[^/]+\/)?(\w+)(?:\/[^/?]+(\/\w+)?)?/;

/** Faults by which the response to the first write of each kind is lost: some rights are only for what follows then. */
function lostWrites(trace: readonly string[]): readonly WorldFault[] {
  const first = new Map<string, WorldFault>();
  for (const line of trace) {
    const [, component, call, ...kind] = WRITE.exec(line) ?? [];
    const key = [component, ...kind].join(' ');
    if (component !== undefined && !first.has(key))
      first.set(key, { type: 'lostResponse', component, call: Number(call) });
  }
  return [...first.values()];
}

/** What the rights of an operator are for. */
export type RightsReport = {
  /** Those that it used in a world without faults. */
  readonly calm: readonly Right[];
  /** Those that it used in none. */
  readonly never: readonly Right[];
};

/**
 * Plays worlds with all rights until each was used: without faults, then with the response to the first write of each kind
 * lost, then with those of 40 seeds.
 *
 * @throws TypeError that says what failed, where a world without faults fails
 */
export async function playForRights(day: OperatorDay, rights: readonly Right[]): Promise<RightsReport> {
  const scenario = notCompared(operatorScenario(day));
  const unused = new Set(rights);
  const play = async (world: World): Promise<readonly string[]> => {
    const { trace, requests = [], failure } = await runWorld({ ...world, scenario, recordRequests: true });
    if (world === CALM && failure !== undefined) throw new TypeError(failure);
    for (const right of rightsUsed(rights, requests)) unused.delete(right);
    return trace;
  };
  const lost = lostWrites(await play(CALM)).map((fault) => ({ seed: 1, faults: [fault] }));
  const calm = rights.filter((right) => !unused.has(right));
  for (const world of [...lost, ...SEEDED]) if (unused.size > 0) await play(world);
  return { calm, never: [...unused] };
}

/** How a world without faults fails for want of a right, if it does. */
export async function denial(day: OperatorDay, { without }: Right): Promise<string | undefined> {
  const scenario = notCompared(operatorScenario({ ...day, operator: without }));
  const { failure } = await runWorld({ ...CALM, scenario });
  return failure?.includes('is forbidden: ') === true ? failure : undefined;
}

/** What a right is for shows in the world itself: the one without faults, with which others compare its end, is not played. */
function notCompared(whole: Scenario): Scenario {
  // It is left out, and not called.
  // oxlint-disable-next-line typescript/unbound-method
  const { endState: _endState, ...scenario } = whole;
  return scenario;
}
