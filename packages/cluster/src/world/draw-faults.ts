import type { WorldFault } from './world-fault.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Calls over which faults are spread, unless a scenario gives another number: those of its first minute. */
const CALLS = 60;
/** A component's first calls are those that open its watches; its webhooks are called about as often. */
const WATCHES = 12;
const STATUSES = [409, 429, 500, 503] as const;

type Draw = (random: SeededRandom, component: string, calls: number) => WorldFault;

/** Most happens in a world's first seconds, so most of what is timed does too. */
const moment = (random: SeededRandom): number => random.below(random.below(3) === 0 ? 90_000 : 8_000);

const crash: Draw = (random, component, calls) => {
  const behind = random.below(3) === 0 ? 1 + random.below(8) : 0;
  return {
    type: 'crash',
    component,
    call: 1 + random.below(calls),
    when: random.below(2) === 0 ? 'before' : 'after',
    restartAfter: 1 + random.below(20_000),
    behind,
    ...(behind === 0 ? {} : { stale: random.below(10_000) }),
  };
};

/** Every kind of fault that may be injected into any component. */
const draws: readonly Draw[] = [
  crash,
  (random, component, calls) => ({ type: 'lostRequest', component, call: 1 + random.below(calls) }),
  (random, component, calls) => ({ type: 'lostResponse', component, call: 1 + random.below(calls) }),
  (random, component, calls) => ({
    type: 'errorResponse',
    component,
    call: 1 + random.below(calls),
    status: random.pick(STATUSES) ?? 500,
  }),
  (random, component, calls) => ({
    type: 'delay',
    component,
    call: 1 + random.below(calls),
    ms: random.below(10_000),
  }),
  (random, component) => ({
    type: 'cut',
    component,
    call: 1 + random.below(WATCHES),
    events: random.below(6),
  }),
  (random, component) => ({
    type: 'lag',
    component,
    call: 1 + random.below(WATCHES),
    ms: random.below(5000),
  }),
  (random, component) => ({ type: 'repeat', component, call: 1 + random.below(WATCHES) }),
  (random, component, calls) => ({ type: 'rival', component, call: 1 + random.below(calls) }),
  (random, component, calls) => ({ type: 'invalidManagedFields', component, call: 1 + random.below(calls) }),
  (random, component) => ({
    type: 'lostWebhookCall',
    component,
    webhookCall: 1 + random.below(WATCHES),
    part: random.below(2) === 0 ? 'request' : 'response',
  }),
  (random) => ({ type: 'compact', at: moment(random) }),
  (random, component) => ({ type: 'skew', component, ms: random.below(240_000) - 120_000 }),
  (random, component) => ({
    type: 'jump',
    component,
    at: moment(random),
    ms: random.below(240_000) - 120_000,
  }),
  (random, component) => ({ type: 'pause', component, at: moment(random), ms: random.below(40_000) }),
  (random, component) => ({ type: 'twin', component, at: random.below(10_000), ms: random.below(30_000) }),
];

/**
 * A handful of faults of all kinds, spread over the components and their first `calls` calls. A scenario whose work
 * takes few calls says so, so that more of the faults meet it.
 */
export function drawFaults(
  random: SeededRandom,
  components: readonly string[],
  calls: number = CALLS,
): readonly WorldFault[] {
  return Array.from({ length: random.below(8) }, () => {
    const draw = random.pick(draws) ?? crash;
    return draw(random, random.pick(components) ?? '', calls);
  });
}

const EFFECTS = ['undo', 'strip', 'change', 'delay', 'reject'] as const;

/** Hostile admission, in every second world. */
export function drawHostility(random: SeededRandom): readonly WorldFault[] {
  return Array.from({ length: Math.max(0, random.below(4) - 1) }, () => ({
    type: 'hostile',
    effect: random.pick(EFFECTS) ?? 'undo',
    at: moment(random),
    ms: 1000 + random.below(25_000),
    writes: 1 + random.below(8),
    delayMs: random.below(3000),
  }));
}
