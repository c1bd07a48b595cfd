import { type autoscalingv2, defined, formatTime, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { AutoscalerSettings } from '../autoscaler-settings.ts';
import { type Memory, remembering } from './memory.ts';
import { normalize } from './normalize.ts';
import { type Measured, proposeReplicas, type Scale } from './propose-replicas.ts';
import { type Note, setCondition } from './set-condition.ts';

type Autoscaler = Stored<autoscalingv2.HorizontalPodAutoscaler>;
type Status = autoscalingv2.HorizontalPodAutoscalerStatus;

export type Observed = {
  readonly hpa: Autoscaler;
  readonly scale: Scale | { readonly error: string };
  /** Only where {@link needsMetrics}. */
  readonly measured?: Measured;
};

export type Decision = {
  /** What the status should say; if the scale is to be changed, when it has been. */
  readonly status: Status;
  readonly events: readonly EventNote[];
  readonly memory: Memory;
  readonly rescale?: Rescale;
  readonly reason: 'NoScale' | 'NoMetrics' | 'Rescale' | 'AsDesired';
};

type Rescale = {
  readonly from: number;
  readonly to: number;
  readonly event: EventNote;
  /** If it could not be changed. */
  failed(message: string): { readonly status: Status; readonly event: EventNote };
};

type Context = { readonly settings: AutoscalerSettings; readonly now: number };

const SCALED_BY_HAND = 'scaling is disabled since the replica count of the target is zero';
const NO_SCALE = "the HPA controller was unable to get the target's current scale";
const SCALE = "the HPA controller was able to get the target's current scale";

/** Metrics do not count where the target is out of bounds, or was scaled to nothing by hand. */
export function needsMetrics({ spec }: Autoscaler, current: number): boolean {
  return current > 0 && current <= spec.maxReplicas && current >= (spec.minReplicas ?? 1);
}

/** What one look at an autoscaler and its target leads to. `now` is in milliseconds. */
export function decide(observed: Observed, memory: Memory, context: Context): Decision {
  const { hpa, scale, measured } = observed;
  const { conditions = [] } = hpa.status ?? {};
  const noted = (...notes: readonly Note[]): Status['conditions'] =>
    notes.reduce((now, note) => setCondition(now, note, context.now), conditions);
  if ('error' in scale) {
    const message = `${NO_SCALE}: ${scale.error}`;
    const note: Note = { type: 'AbleToScale', status: false, reason: 'FailedGetScale', message };
    const status = { ...(hpa.status ?? statusWith(hpa, UNSCALED)), conditions: noted(note) ?? [] };
    const event: EventNote = { type: 'Warning', reason: 'FailedGetScale', message: scale.error };
    return { status, events: [event], memory, reason: 'NoScale' };
  }
  const current = scale.specReplicas;
  const able: Note = { type: 'AbleToScale', status: true, reason: 'SucceededGetScale', message: SCALE };
  const known = memory.recommendations.length > 0 ? memory : remembering(memory, current, context.now);
  const target = { ...context, hpa, current, memory: known };
  if (current === 0) {
    const idle: Note = {
      type: 'ScalingActive',
      status: false,
      reason: 'ScalingDisabled',
      message: SCALED_BY_HAND,
    };
    const status = statusWith(hpa, { current, desired: 0, metrics: null, conditions: noted(able, idle) });
    return { status, events: [], memory: known, reason: 'AsDesired' };
  }
  if (measured === undefined) return intoBounds(target, (...notes) => noted(able, ...notes));
  return byMetrics(target, { scale, measured }, (...notes) => noted(able, ...notes));
}

type Target = Context & { readonly hpa: Autoscaler; readonly current: number; readonly memory: Memory };
type Noted = (...notes: readonly Note[]) => Status['conditions'];

function intoBounds(target: Target, noted: Noted): Decision {
  const { hpa, current } = target;
  const above = current > hpa.spec.maxReplicas;
  const to = above ? hpa.spec.maxReplicas : (hpa.spec.minReplicas ?? 1);
  const why = `Current number of replicas ${above ? 'above Spec.MaxReplicas' : 'below Spec.MinReplicas'}`;
  return rescaled(target, { to, why, metrics: null, events: [] }, noted);
}

function byMetrics(
  target: Target,
  found: { readonly scale: Scale; readonly measured: Measured },
  noted: Noted,
): Decision {
  const { hpa, current, memory, now, settings } = target;
  const proposed = proposeReplicas(hpa, found, target);
  const { replicas, name, statuses: metrics, note, events } = proposed;
  if (replicas === undefined) {
    const desired = hpa.status?.desiredReplicas ?? 0;
    const status = statusWith(hpa, { current, desired, metrics, conditions: noted(note) });
    const failure: EventNote = {
      type: 'Warning',
      reason: 'FailedComputeMetricsReplicas',
      message: proposed.error ?? '',
    };
    return { status, events: [...events, failure], memory, reason: 'NoMetrics' };
  }
  const { able, limited, ...normal } = normalize(replicas, {
    memory,
    current,
    min: hpa.spec.minReplicas ?? 1,
    max: hpa.spec.maxReplicas,
    now,
    stabilizationMs: settings.downscaleStabilizationMs,
    behavior: hpa.spec.behavior,
  });
  const notes: readonly Note[] = [
    note,
    { type: 'AbleToScale', status: true, ...able },
    { type: 'ScalingLimited', ...limited },
  ];
  const remembered = { ...target, memory: remembering(memory, replicas, now) };
  const why =
    replicas > current ? `${name} above target` : replicas < current ? 'All metrics below target' : '';
  const change = { to: normal.replicas, why, metrics, events };
  if (normal.replicas !== current) return rescaled(remembered, change, (...more) => noted(...notes, ...more));
  const status = statusWith(hpa, { current, desired: current, metrics, conditions: noted(...notes) });
  return { status, events, memory: remembered.memory, reason: 'AsDesired' };
}

type Change = {
  readonly to: number;
  readonly why: string;
  readonly metrics: readonly autoscalingv2.MetricStatus[] | null;
  readonly events: readonly EventNote[];
};

function rescaled(target: Target, { to, why, metrics, events }: Change, noted: Noted): Decision {
  const { hpa, current, memory, now } = target;
  const sizes = `New size: ${to}; reason: ${why}`;
  const done = `the HPA controller was able to update the target scale to ${to}`;
  const note: Note = { type: 'AbleToScale', status: true, reason: 'SucceededRescale', message: done };
  const status = statusWith(hpa, { current, desired: to, metrics, conditions: noted(note) });
  return {
    status: { ...status, lastScaleTime: formatTime(new Date(now)) },
    events,
    memory,
    reason: 'Rescale',
    rescale: {
      from: current,
      to,
      event: { type: 'Normal', reason: 'SuccessfulRescale', message: sizes },
      failed(error) {
        const message = `the HPA controller was unable to update the target scale: ${error}`;
        const failure: Note = { type: 'AbleToScale', status: false, reason: 'FailedUpdateScale', message };
        const desired = hpa.status?.desiredReplicas ?? 0;
        return {
          status: statusWith(hpa, { current, desired, metrics, conditions: noted(failure) }),
          event: { type: 'Warning', reason: 'FailedRescale', message: `${sizes}; error: ${error}` },
        };
      },
    },
  };
}

type Parts = {
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly autoscalingv2.MetricStatus[] | null;
  readonly conditions: Status['conditions'];
};

const UNSCALED: Parts = { current: 0, desired: 0, metrics: null, conditions: [] };

/** As Go writes it: no metrics are `null`, no replicas are left out. */
function statusWith({ status }: Autoscaler, { current, desired, metrics, conditions = [] }: Parts): Status {
  const { lastScaleTime } = status ?? {};
  const body = {
    ...defined({ lastScaleTime }),
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: desired,
    currentMetrics: metrics,
    conditions,
  };
  return body as Status;
}
