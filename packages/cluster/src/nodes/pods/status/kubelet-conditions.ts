import { type corev1, defined, type Stored } from '@kubewright/kube';
import { podContainers } from '../pod-containers.ts';
import type { PodEnd } from '../pod-record.ts';
import type { Phase } from './phase.ts';
import { timeText } from './container-status.ts';

/** What conditions are made of. */
export type ConditionContext = {
  readonly pod: Stored<corev1.Pod>;
  readonly phase: Phase;
  /** Of all containers, by name. */
  readonly statuses: ReadonlyMap<string, corev1.ContainerStatus>;
  /** There is a sandbox with an address in which containers can start. */
  readonly hasSandbox: boolean;
  /** Why it ended, where it was ended. */
  readonly end: PodEnd | undefined;
  readonly now: number;
};

type Verdict = { readonly status: 'True' | 'False'; readonly reason?: string; readonly message?: string };

const TRUE: Verdict = { status: 'True' };

/** The conditions that are a kubelet's own, in its order. */
export function kubeletConditions(context: ConditionContext): readonly corev1.PodCondition[] {
  const { end } = context;
  const containersReady = containersReadyVerdict(context);
  const verdicts: readonly (readonly [type: string, verdict: Verdict])[] = [
    ['PodReadyToStartContainers', context.hasSandbox ? TRUE : { status: 'False' }],
    ['Initialized', initializedVerdict(context)],
    ['Ready', containersReady.status === 'True' ? gatesVerdict(context) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', TRUE],
    ...(end?.isEviction === true
      ? [['DisruptionTarget', { ...TRUE, reason: 'TerminationByKubelet', message: end.message }] as const]
      : []),
  ];
  return verdicts.map(([type, verdict]) => condition(context, type, verdict));
}

function condition({ pod, now }: ConditionContext, type: string, verdict: Verdict): corev1.PodCondition {
  const old = pod.status?.conditions?.find((one) => one.type === type);
  const same = old?.status === verdict.status ? old.lastTransitionTime : undefined;
  const { generation } = pod.metadata;
  return {
    type,
    ...defined({ observedGeneration: generation }),
    ...verdict,
    lastTransitionTime: same ?? timeText(now),
  };
}

/** Names as Go prints a list of strings. */
function listed(label: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [`${label}: [${names.join(' ')}]`];
}

function containersReadyVerdict({ pod, phase, statuses }: ConditionContext): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = podContainers(pod).filter(
    ({ container, role }) => role !== 'init' && statuses.get(container.name)?.ready !== true,
  );
  const names = unready.map(({ container }) => container.name);
  if (names.length === 0) return TRUE;
  const [message = ''] = listed('containers with unready status', names);
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function gatesVerdict({ pod }: ConditionContext): Verdict {
  const { conditions = [] } = pod.status ?? {};
  const problems = (pod.spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const gate = conditions.find(({ type }) => type === conditionType);
    if (gate === undefined)
      return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (gate.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`];
  });
  if (problems.length === 0) return TRUE;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: problems.join(', ') };
}

function initializedVerdict({ pod, phase, statuses }: ConditionContext): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const hasBegun = pod.spec.containers.some(({ name }) => hasStarted(statuses.get(name)));
  if (hasBegun) return TRUE;
  const waiting = podContainers(pod).filter(({ container, role }) => {
    const status = statuses.get(container.name);
    if (role === 'main') return false;
    return role === 'sidecar' ? status?.started !== true : status?.ready !== true;
  });
  const names = waiting.map(({ container }) => container.name);
  if (names.length === 0) return TRUE;
  const [message = ''] = listed('containers with incomplete status', names);
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function hasStarted(status: corev1.ContainerStatus | undefined): boolean {
  if (status === undefined) return false;
  const { state = {}, lastState = {} } = status;
  return state.running !== undefined || state.terminated !== undefined || lastState.terminated !== undefined;
}
