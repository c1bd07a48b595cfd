import type { autoscalingv2, corev1, Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { AutoscalerSettings } from '../autoscaler-settings.ts';
import { computeMetric, type Fetched, type MetricResult } from './compute-metric.ts';
import { milli } from './requests-of.ts';
import type { Note } from './set-condition.ts';
import type { Tolerances } from './proposal.ts';

type Autoscaler = Stored<autoscalingv2.HorizontalPodAutoscaler>;

/** The scale of the target, in numbers. */
export type Scale = {
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** As text; empty where the target says none. */
  readonly selector: string;
};

/** What is known when metrics are needed. */
export type Measured = {
  /** Those that the selector selects. */
  readonly pods: readonly Stored<corev1.Pod>[];
  /** Of each of the autoscaler's metrics, in their order. */
  readonly fetched: readonly Fetched[];
  /** Why the selector is no selector. */
  readonly invalid?: string;
  /** All autoscalers that have pods of this one, as `{name namespace}`, if there are others. */
  readonly rivals: readonly string[];
};

/** `replicas` is undefined where the metrics do not say. */
export type Proposed = {
  readonly replicas: number | undefined;
  /** Which metric asks for that many. */
  readonly name: string;
  readonly statuses: readonly autoscalingv2.MetricStatus[] | null;
  readonly note: Note;
  readonly events: readonly EventNote[];
  /** What kept some metrics, or all, from being computed. */
  readonly error?: string;
};

export function proposeReplicas(
  hpa: Autoscaler,
  { scale, measured }: { readonly scale: Scale; readonly measured: Measured },
  { settings, now }: { readonly settings: AutoscalerSettings; readonly now: number },
): Proposed {
  const problem = selectorProblem(scale.selector, measured);
  if (problem !== undefined) return problem;
  const circumstances = {
    ...scale,
    pods: measured.pods,
    tolerances: tolerancesOf(hpa, settings),
    settings,
    now,
    namespace: hpa.metadata.namespace,
  };
  const specs = hpa.spec.metrics ?? [];
  const results = specs.map((spec, index) =>
    computeMetric(spec, measured.fetched[index] ?? { error: 'unknown' }, circumstances),
  );
  return conclude(results, scale.specReplicas);
}

/** The most that any metric asks for. Where one cannot tell, there are not to be fewer. */
function conclude(results: readonly MetricResult[], current: number): Proposed {
  const good = results.flatMap((result) => ('replicas' in result ? [result] : []));
  const bad = results.flatMap((result) => ('why' in result ? [result] : []));
  const statuses = results.map((result) => ('replicas' in result ? result.status : { type: '' }));
  const most = good.reduce<(typeof good)[number] | undefined>(
    (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
    undefined,
  );
  const events = bad.map(({ reason, why }): EventNote => ({ type: 'Warning', reason, message: why }));
  const [first] = bad;
  const why = `invalid metrics (${bad.length} invalid out of ${results.length}), first error is: ${first?.error}`;
  const error = first === undefined ? {} : { error: why };
  if (first !== undefined && (most === undefined || most.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first.why}`;
    const note: Note = { type: 'ScalingActive', status: false, reason: first.reason, message };
    return { replicas: undefined, name: '', statuses, note, events, ...error };
  }
  const name = most?.name ?? '';
  const message = `the HPA was able to successfully calculate a replica count from ${name}`;
  const note: Note = { type: 'ScalingActive', status: true, reason: 'ValidMetricFound', message };
  return { replicas: most?.replicas ?? 0, name, statuses, note, events, ...error };
}

function selectorProblem(selector: string, { invalid, rivals }: Measured): Proposed | undefined {
  if (selector === '') {
    const message = "the HPA target's scale is missing a selector";
    return inactive('InvalidSelector', message, {
      reason: 'SelectorRequired',
      error: 'selector is required',
    });
  }
  if (invalid !== undefined) {
    const error = `couldn't convert selector into a corresponding internal selector object: ${invalid}`;
    return inactive('InvalidSelector', error, { reason: 'InvalidSelector', error });
  }
  if (rivals.length < 2) return undefined;
  const error = `pods by selector ${selector} are controlled by multiple HPAs: [${rivals.join(' ')}]`;
  return inactive('AmbiguousSelector', error, { reason: 'AmbiguousSelector', error });
}

function inactive(
  reason: string,
  message: string,
  event: { readonly reason: string; readonly error: string },
): Proposed {
  return {
    replicas: undefined,
    name: '',
    statuses: null,
    note: { type: 'ScalingActive', status: false, reason, message },
    events: [{ type: 'Warning', reason: event.reason, message: event.error }],
    error: event.error,
  };
}

function tolerancesOf({ spec }: Autoscaler, { tolerance }: AutoscalerSettings): Tolerances {
  const of = (rules: autoscalingv2.HPAScalingRules | undefined): number =>
    rules?.tolerance === undefined ? tolerance : milli(rules.tolerance) / 1000;
  return { up: of(spec.behavior?.scaleUp), down: of(spec.behavior?.scaleDown) };
}
