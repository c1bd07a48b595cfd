import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from './canonical-json.ts';
import { type Identify, identifyByBody } from './identify.ts';
import type { MigratableOptions } from './migratable.ts';
import { MigratableError } from './migratable-error.ts';
import type { Message } from './messages.ts';
import { MOST_PRODUCERS } from './protocol.ts';
import { withOtherClock } from './with-other-clock.ts';

/** What has the state of an application. */
export type Stateful = Pick<MigratableOptions, 'apply' | 'snapshot' | 'restore'>;

export type CheckOptions = {
  /** What a process starts with: another one each time. */
  readonly create: () => Stateful | Promise<Stateful>;
  /** What comes in, in its order. Some dozens, of each kind that there is, say more than one. */
  readonly messages: readonly Message[];
  /** As in `MigratableOptions`. */
  readonly identify?: Identify;
};

/** At how many places a sequence of messages is cut, at most. */
const MOST_CUTS = 50;

/**
 * Why an application cannot move, a line for each reason; none: it moved after each of the messages (after 50 of them, if
 * there are more), and its state was the same.
 * Messages are applied a second time at another time and with other random numbers: `Date` and `Math.random` are replaced meanwhile.
 *
 * @example
 * expect(await checkMigratable({ create: () => new Totals(), messages })).toEqual([]);
 */
export async function checkMigratable(options: CheckOptions): Promise<readonly string[]> {
  const found = [numberProblem(options), await stateProblem(options)];
  return found.filter((problem) => problem !== undefined);
}

function numberProblem({ messages, identify = identifyByBody }: CheckOptions): string | undefined {
  const last = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const identity = identify(message);
    if (identity === undefined)
      return `message ${index + 1} has no number, so it is applied each time it comes: pass identify`;
    const { producer, seq } = identity;
    const before = last.get(producer);
    if (before !== undefined && seq <= before)
      return `message ${index + 1} of producer "${producer}" has number ${seq} after ${before}, so it is taken for one that was applied`;
    last.set(producer, seq);
  }
  return last.size > MOST_PRODUCERS
    ? `there are ${last.size} producers: of more than ${MOST_PRODUCERS} messages are not told apart`
    : undefined;
}

/** The first that is found: others may follow from it. */
async function stateProblem(options: CheckOptions): Promise<string | undefined> {
  const { create, messages } = options;
  try {
    const app = await create();
    const states = await statesOf(app, messages);
    return (await changedByTime(options, states)) ?? (await changedByMove(options, states, app));
  } catch (error) {
    if (error instanceof MigratableError) return error.message;
    throw error;
  }
}

/** The state before the first message, and after each, as it would move. */
async function statesOf(app: Stateful, messages: readonly Message[]): Promise<readonly string[]> {
  const states = [stateOf(app, 0)];
  for (const [index, message] of messages.entries()) {
    await applied(app, message, index + 1);
    states.push(stateOf(app, index + 1));
  }
  return states;
}

async function applied(app: Stateful, message: Message, number: number): Promise<void> {
  try {
    await app.apply(message);
  } catch (error) {
    throw new MigratableError('Rejected', `message ${number} cannot be applied: ${String(error)}`, {
      cause: error,
    });
  }
}

function stateOf(app: Stateful, number: number): string {
  const state = app.snapshot();
  const text = JSON.stringify(state) as string | undefined;
  if (text === undefined || !isDeepStrictEqual(JSON.parse(text), state))
    throw new MigratableError(
      'Rejected',
      `after message ${number} snapshot() has what JSON does not keep: only plain objects, arrays, strings, finite numbers, booleans and null move`,
    );
  return canonicalJson(state);
}

async function changedByTime(
  { create, messages }: CheckOptions,
  states: readonly string[],
): Promise<string | undefined> {
  const others = await withOtherClock(async () => statesOf(await create(), messages));
  const at = states.findIndex((state, index) => state !== others[index]);
  if (at < 0) return undefined;
  return `after message ${at} the state is another one when time and random numbers are: take them from the message`;
}

/** The process that takes over is a new one, or one that had a state before: `used`. */
async function changedByMove(
  { create, messages }: CheckOptions,
  states: readonly string[],
  used: Stateful,
): Promise<string | undefined> {
  for (const at of cutsOf(messages.length)) {
    const state = states[at] ?? '';
    const target = await create();
    for (const app of [target, used]) {
      await app.restore(JSON.parse(state));
      if (stateOf(app, at) !== state)
        return app === used
          ? `restore() after message ${at} leaves something of the state that was there before`
          : `restore() after message ${at} does not give the state that snapshot() had`;
    }
    const later = await statesOf(target, messages.slice(at));
    const lost = later.findIndex((other, index) => other !== states[at + index]);
    if (lost >= 0)
      return `moved after message ${at}, the state after message ${at + lost} is another one: snapshot() lacks something`;
  }
  return undefined;
}

/** Spread over all places; the first and the last are among them. */
function cutsOf(length: number): readonly number[] {
  const count = Math.min(length, MOST_CUTS);
  const cuts = Array.from({ length: count + 1 }, (_, index) =>
    Math.round((index * length) / Math.max(count, 1)),
  );
  return [...new Set(cuts)];
}
