import type { SeededRandom } from './seeded-random.ts';

/**
 * What goes wrong, as data. `call` counts the calls of a component over all its lives, from 1, so that a fault means
 * the same in every run of a seed; one whose call never comes does nothing.
 */
export type WorldFault =
  /** The component dies as it makes a call: before the server has it, or after. It starts again later. */
  | {
      readonly type: 'crash';
      readonly component: string;
      readonly call: number;
      readonly when: 'before' | 'after';
      readonly restartAfter: number;
      readonly behind: number;
    }
  /** The server never gets the call. */
  | { readonly type: 'lostRequest'; readonly component: string; readonly call: number }
  /** The server does what it was asked, and nobody learns of it. */
  | { readonly type: 'lostResponse'; readonly component: string; readonly call: number }
  /** Somebody on the way answers in the server's place. */
  | {
      readonly type: 'refuse';
      readonly component: string;
      readonly call: number;
      readonly status: 409 | 429 | 500 | 503;
    }
  /** The call arrives late: others come before it. */
  | { readonly type: 'delay'; readonly component: string; readonly call: number; readonly ms: number }
  /** A watch ends after so many of its events, in the middle of the next one. */
  | { readonly type: 'cut'; readonly component: string; readonly call: number; readonly events: number }
  /** The events of a watch come late. */
  | { readonly type: 'lag'; readonly component: string; readonly call: number; readonly ms: number }
  /** The server forgets its history: watches and pages from before are answered 410. */
  | { readonly type: 'compact'; readonly at: number }
  /** The component's wall clock is off. */
  | { readonly type: 'skew'; readonly component: string; readonly ms: number }
  /** The component is frozen: nothing runs in it, then all that was due at once. Its clocks go on. */
  | { readonly type: 'pause'; readonly component: string; readonly at: number; readonly ms: number }
  /** The component's wall clock is set, forward or back, while it runs. */
  | { readonly type: 'jump'; readonly component: string; readonly at: number; readonly ms: number }
  /** A second instance of the component runs, for a while, beside the first. */
  | { readonly type: 'twin'; readonly component: string; readonly at: number; readonly ms: number };

/** Calls among which faults are strewn: those of a small scenario's first minute. */
const CALLS = 60;
const STATUSES = [409, 429, 500, 503] as const;

type Draw = (random: SeededRandom, component: string) => WorldFault;

const draws: readonly Draw[] = [
  (random, component) => ({
    type: 'crash',
    component,
    call: 1 + random.below(CALLS),
    when: random.below(2) === 0 ? 'before' : 'after',
    restartAfter: 1 + random.below(20_000),
    behind: random.below(3) === 0 ? 1 + random.below(8) : 0,
  }),
  (random, component) => ({ type: 'lostRequest', component, call: 1 + random.below(CALLS) }),
  (random, component) => ({ type: 'lostResponse', component, call: 1 + random.below(CALLS) }),
  (random, component) => ({
    type: 'refuse',
    component,
    call: 1 + random.below(CALLS),
    status: random.pick(STATUSES) ?? 500,
  }),
  (random, component) => ({
    type: 'delay',
    component,
    call: 1 + random.below(CALLS),
    ms: random.below(10_000),
  }),
  (random, component) => ({ type: 'cut', component, call: 1 + random.below(12), events: random.below(6) }),
  (random, component) => ({ type: 'lag', component, call: 1 + random.below(12), ms: random.below(5000) }),
  (random) => ({ type: 'compact', at: random.below(30_000) }),
  (random, component) => ({ type: 'skew', component, ms: random.below(240_000) - 120_000 }),
  (random, component) => ({
    type: 'pause',
    component,
    at: random.below(90_000),
    ms: random.below(40_000),
  }),
  (random, component) => ({ type: 'twin', component, at: random.below(10_000), ms: random.below(30_000) }),
];

/** A handful of faults of all kinds, strewn over the components. */
export function drawFaults(random: SeededRandom, components: readonly string[]): readonly WorldFault[] {
  const count = random.below(8);
  return Array.from({ length: count }, () => {
    const draw = draws[random.below(draws.length)] ?? drawNothing;
    return draw(random, random.pick(components) ?? '');
  });
}

const drawNothing: Draw = () => ({ type: 'compact', at: 0 });
