import { defined, formatTime } from '@kubewright/kube';
import type { Enforcement } from '../api.ts';
import type { Settings } from '../settings.ts';
import { secondsSince } from './seconds-since.ts';

/** What enforcement does about a recommendation: every decision but `Apply` says why nothing is done now. */
type EnforceDecision =
  | 'SkipMode'
  | 'SkipDimension'
  | 'SkipDisabled'
  | 'SkipOwned'
  | 'SkipPhase'
  | 'SkipStale'
  | 'SkipPartial'
  | 'SkipConflict'
  | 'NoChange'
  | 'WaitCooldown'
  | 'WaitStability'
  | 'WaitRetry'
  | 'GaveUp'
  | 'Apply';

/** Everything that the decision about one dimension of a function depends on. */
export type EnforceInput = {
  readonly settings: Settings;
  readonly now: Date;
  readonly generation: number;
  /** Where a change makes new pods of all: whether it is worth it. Default: each is. */
  readonly isWorthwhile?: ((target: number, current: number) => boolean) | undefined;
  /** The enforcement mode of the class. */
  readonly isEnforcing: boolean;
  /** The class lists the dimension. */
  readonly isListed: boolean;
  /** A controller has the dimension, and takes back what others write. */
  readonly isOthers?: boolean;
  /** The phase of the class allows enforcement. */
  readonly isOpen: boolean;
  readonly recommended: number;
  /** The load is recent, and of this generation. */
  readonly isFresh: boolean;
  /** The time of its newest sample, in milliseconds since 1970. */
  readonly loadAt?: number | undefined;
  /** The load may be more than what is known of it: replicas may not become less. */
  readonly isUnsure?: boolean;
  /** There is no load yet, and nothing was to be changed when there was one. */
  readonly isSettled?: boolean;
  readonly current: number;
  readonly minScale: number | undefined;
  readonly maxScale: number | undefined;
  readonly stored: Enforcement | undefined;
};

export type Enforced = {
  readonly decision: EnforceDecision;
  readonly state?: Enforcement | undefined;
  /** With `Apply`: the next replicas of the Deployment, a step towards the target. */
  readonly step?: number;
  /** Seconds until the decision may change. */
  readonly wait?: number;
};

/** Back-off in seconds after the first, second and third failure; after that it waits for a new target. */
const RETRY_AFTER: readonly number[] = [10, 40, 160];
/** The number of earlier targets to keep: more changes in a window are not stable. */
const MOST_EARLIER = 50;

/** Decides about one dimension of a function; the first check that holds decides. */
export function enforce(input: EnforceInput): Enforced {
  const { isOpen, isFresh, isSettled, stored } = input;
  if (!input.isEnforcing) return { decision: 'SkipMode' };
  if (!input.isListed) return { decision: 'SkipDimension' };
  if (!input.settings.nfrEnforcement) return { decision: 'SkipDisabled' };
  if (input.isOthers === true) return { decision: 'SkipOwned' };
  if (!isOpen) return { decision: 'SkipPhase', state: stored };
  if (!isFresh) return { decision: isSettled === true ? 'NoChange' : 'SkipStale', state: stored };
  return changeTo(aimed(input), input);
}

/** Whether, and when, the target of a state is applied. */
function changeTo(state: Enforcement, input: EnforceInput): Enforced {
  const { current, settings, now, isWorthwhile = () => true } = input;
  const { target, wait, since } = stableTarget(state, input);
  if (target === current || !isWorthwhile(target, current))
    return { decision: 'NoChange', state: defined({ ...state, failure: undefined }) };
  if (target < current && input.isUnsure === true) return { decision: 'SkipPartial', state };
  const cooling = secondsLeft(state.applied_at, settings.cooldown, now);
  if (cooling > 0) return { decision: 'WaitCooldown', state, wait: cooling };
  if (wait > 0) return { decision: 'WaitStability', state, wait };
  if (!isSeenAgain(since, input)) return { decision: 'WaitStability', state };
  const retry = retryOf(state, now);
  if (retry !== undefined) return { ...retry, state };
  return { decision: 'Apply', state, step: stepTo(target, current, settings.maxDelta) };
}

/** One sample, with nothing after it, says nothing about the time since. Times are stored in whole seconds, rounded down. */
function isSeenAgain(since: string, { settings, loadAt }: EnforceInput): boolean {
  return settings.stability === 0 || loadAt === undefined || loadAt >= Date.parse(since) + 1000;
}

/** Seconds until `length` has passed since `time`; 0 where `time` is not set. */
function secondsLeft(time: string | undefined, length: number, now: Date): number {
  return time === undefined ? 0 : length - secondsSince(time, now);
}

/** The state with the current target. A new target resets the clock and clears failures. */
function aimed(input: EnforceInput): Enforcement {
  const { stored, generation, now } = input;
  const bounds = bounded(input);
  const { failure } = stored ?? {};
  const isSame = failure?.target === bounds.target && failure.generation === generation;
  const kept = { ...stored, ...bounds, applying: undefined, failure: isSame ? failure : undefined };
  if (stored?.target === bounds.target) return defined({ ...kept, since: stored.since });
  return defined({ ...kept, since: formatTime(now), earlier: earlierOf(input, bounds.target) });
}

type Bounds = { readonly target: number; readonly clamped: 'min' | 'max' | undefined };

/** The user's minimum takes precedence over the maximum of the process. */
function bounded({ recommended, settings, minScale = 1, maxScale }: EnforceInput): Bounds {
  const least = Math.max(1, minScale);
  const most = Math.max(least, Math.min(settings.maxReplicas, maxScale ?? settings.maxReplicas));
  if (recommended < least) return { target: least, clamped: 'min' };
  return recommended > most ? { target: most, clamped: 'max' } : { target: recommended, clamped: undefined };
}

/** Earlier targets: in mode window those within it; in mode exact those above the replicas, while targets only rise. */
function earlierOf({ stored, settings, now, current }: EnforceInput, next: number): Enforcement['earlier'] {
  if (stored === undefined) return undefined;
  const all = [...(stored.earlier ?? []), { target: stored.target, since: stored.since }];
  if (settings.stabilization === 'exact') {
    const risen = next < stored.target ? [] : all.filter(({ target }) => target > current);
    return risen.length === 0 ? undefined : risen.slice(-MOST_EARLIER);
  }
  const length = Math.max(settings.stability, downStability(settings));
  const ends = [...all.slice(1).map(({ since }) => since), formatTime(now)];
  return all.filter((_one, index) => secondsSince(ends[index], now) <= length).slice(-MOST_EARLIER);
}

/** `since`: the beginning of the window. */
type Stable = { readonly target: number; readonly wait: number; readonly since: string };

/** The target for the stability window, and the seconds until the window ends. */
function stableTarget(state: Enforcement, input: EnforceInput): Stable {
  const { settings, current, now } = input;
  const { stability } = settings;
  const down = downStability(settings);
  if (settings.stabilization === 'exact') {
    if (state.target > current) return risenTarget(state, input);
    return { ...state, wait: secondsLeft(state.since, down, now) };
  }
  const begun = state.earlier?.[0]?.since ?? state.since;
  const lowest = Math.min(...targetsWithin(state, stability, now));
  if (lowest > current) return { target: lowest, wait: secondsLeft(begun, stability, now), since: begun };
  const highest = Math.max(...targetsWithin(state, down, now));
  return { target: Math.min(highest, current), wait: secondsLeft(begun, down, now), since: begun };
}

/**
 * A load that rises for long, as each does in a range of increases, is followed: of targets that only rise, the last that is old enough
 * counts. The newest is waited for where it allows a larger step before the next one after a cooldown.
 */
function risenTarget(
  { target, since, earlier = [] }: Enforcement,
  { current, settings: { stability, cooldown, maxDelta }, now }: EnforceInput,
): Stable {
  const newest = { target, since, wait: secondsLeft(since, stability, now) };
  const [first = newest, ...others] = earlier
    .filter((one) => one.target > current)
    .map((one) => ({ ...one, wait: secondsLeft(one.since, stability, now) }));
  const stable = [first, ...others, newest].findLast(({ wait }) => wait <= 0);
  if (stable === undefined) return first;
  const isLarger = stepTo(target, current, maxDelta) > stepTo(stable.target, current, maxDelta);
  return isLarger && newest.wait < cooldown ? newest : stable;
}

function targetsWithin(
  { target, since, earlier = [] }: Enforcement,
  length: number,
  now: Date,
): readonly number[] {
  const ends = [...earlier.slice(1).map((one) => one.since), since];
  const within = earlier.filter((_one, index) => secondsSince(ends[index], now) < length);
  return [target, ...within.map((one) => one.target)];
}

function downStability({ downStability: down, stability }: Settings): number {
  return down ?? stability;
}

/** The decision after a failure for the same target; undefined when it may be retried. */
function retryOf({ failure }: Enforcement, now: Date): Enforced | undefined {
  if (failure === undefined) return undefined;
  const delay = failure.reason === 'EnforceInvalid' ? undefined : RETRY_AFTER[failure.attempts - 1];
  if (delay === undefined) return { decision: 'GaveUp' };
  const wait = secondsLeft(failure.at, delay, now);
  return wait > 0 ? { decision: 'WaitRetry', wait } : undefined;
}

/** One replica at least, and at most `percent` of the current ones. */
function stepTo(target: number, current: number, percent: number): number {
  if (percent === 0) return target;
  const most = Math.max(1, Math.ceil((current * percent) / 100));
  return current + Math.max(-most, Math.min(most, target - current));
}
