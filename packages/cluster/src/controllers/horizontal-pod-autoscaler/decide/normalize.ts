import type { autoscalingv2 } from '@kubewright/kube';
import { type Memory, type ScaleEvent } from './memory.ts';

type Rules = autoscalingv2.HPAScalingRules;

/** What the recommendation may become. `now` and windows are in milliseconds. */
export type Bounds = {
  readonly memory: Memory;
  readonly current: number;
  readonly min: number;
  readonly max: number;
  readonly now: number;
  readonly stabilizationMs: number;
  readonly behavior: autoscalingv2.HorizontalPodAutoscalerBehavior | undefined;
};

type ConditionReason = { readonly reason: Reason; readonly message: string };
export type Normalized = {
  readonly replicas: number;
  readonly able: ConditionReason;
  readonly limited: ConditionReason & { readonly status: boolean };
};

/** Of conditions, by reason. */
const MESSAGES = {
  ReadyForNewScale: 'recommended size matches current size',
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
  ScaleDownStabilized:
    'recent recommendations were higher than current one, applying the highest recent recommendation',
  ScaleUpStabilized:
    'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
type Reason = keyof typeof MESSAGES;

/** A recommendation after it has been smoothed over time, and held within bounds and rates. */
export function normalize(recommended: number, bounds: Bounds): Normalized {
  const { behavior } = bounds;
  const stabilized =
    behavior === undefined
      ? highestRecent(recommended, bounds)
      : betweenRecent(recommended, bounds, behavior);
  const [replicas, reason] =
    behavior === undefined ? withinRules(stabilized, bounds) : withinRates(stabilized, bounds, behavior);
  const held =
    behavior === undefined || recommended < bounds.current ? 'ScaleDownStabilized' : 'ScaleUpStabilized';
  return {
    replicas,
    able: because(stabilized === recommended ? 'ReadyForNewScale' : held),
    limited: { ...because(reason), status: replicas !== stabilized },
  };
}

const because = (reason: Reason): ConditionReason => ({ reason, message: MESSAGES[reason] });

function highestRecent(recommended: number, { memory, now, stabilizationMs }: Bounds): number {
  const recent = memory.recommendations.filter(({ at }) => at >= now - stabilizationMs);
  return Math.max(recommended, ...recent.map(({ replicas }) => replicas));
}

/** Up no further than the lowest of its window, down no further than the highest of its own. */
function betweenRecent(
  recommended: number,
  { memory, now, current, stabilizationMs }: Bounds,
  { scaleUp, scaleDown }: autoscalingv2.HorizontalPodAutoscalerBehavior,
): number {
  const since = (windowMs: number): readonly number[] =>
    memory.recommendations.filter(({ at }) => at > now - windowMs).map(({ replicas }) => replicas);
  const seconds = (rules: Rules | undefined): number | undefined => rules?.stabilizationWindowSeconds;
  const low = Math.min(recommended, ...since((seconds(scaleUp) ?? 0) * 1000));
  const downSeconds = seconds(scaleDown);
  const high = Math.max(
    recommended,
    ...since(downSeconds === undefined ? stabilizationMs : downSeconds * 1000),
  );
  return Math.min(Math.max(current, low), high);
}

/** Without `behavior`: at most twice as many at once, or 4. */
function withinRules(desired: number, { current, min, max }: Bounds): readonly [number, Reason] {
  return desired < min ? [min, 'TooFewReplicas'] : atMost(desired, max, Math.max(2 * current, 4));
}

function withinRates(
  desired: number,
  bounds: Bounds,
  { scaleUp, scaleDown }: autoscalingv2.HorizontalPodAutoscalerBehavior,
): readonly [number, Reason] {
  const { current, min, max } = bounds;
  if (desired > current) return atMost(desired, max, Math.max(current, rateLimit(1, bounds, scaleUp)));
  if (desired < current) return atLeast(desired, min, Math.min(current, rateLimit(-1, bounds, scaleDown)));
  return [desired, 'DesiredWithinRange'];
}

function atMost(desired: number, max: number, fastest: number): readonly [number, Reason] {
  const [most, reason]: readonly [number, Reason] =
    max > fastest ? [fastest, 'ScaleUpLimit'] : [max, 'TooManyReplicas'];
  return desired > most ? [most, reason] : [desired, 'DesiredWithinRange'];
}

function atLeast(desired: number, min: number, fastest: number): readonly [number, Reason] {
  const [least, reason]: readonly [number, Reason] =
    min < fastest ? [fastest, 'ScaleDownLimit'] : [min, 'TooFewReplicas'];
  return desired < least ? [least, reason] : [desired, 'DesiredWithinRange'];
}

/** How far a way leads at once: up (1) or down (-1). Rounded to more change: what is asked for must be possible at all. */
function rateLimit(way: 1 | -1, { current, memory, now }: Bounds, rules: Rules = {}): number {
  if (rules.selectPolicy === 'Disabled') return current;
  const proposals = (rules.policies ?? []).map(({ type, value, periodSeconds }) => {
    const start = startOf(current, memory, now - periodSeconds * 1000);
    if (type === 'Pods') return start + way * value;
    const share = start * (1 + (way * value) / 100);
    return way === 1 ? Math.ceil(share) : Math.trunc(share);
  });
  const isHighest = (way === 1) === (rules.selectPolicy !== 'Min');
  return isHighest ? Math.max(...proposals) : Math.min(...proposals);
}

/** How many there were when a period began. */
function startOf(current: number, { ups, downs }: Memory, since: number): number {
  const changes = (events: readonly ScaleEvent[]): number =>
    events.filter(({ at }) => at > since).reduce((sum, { change }) => sum + change, 0);
  return current - changes(ups) + changes(downs);
}
