import type { Ref } from '@kubewright/client';
import { type Condition, getCondition, type KubeObject, parseTime, type Stored } from '@kubewright/kube';
import { decisions, type Manager, type Reconciler, type Steps, updateStatus } from '@kubewright/runtime';
import { COMPONENT } from '../api/annotations.ts';
import { captureMetrics } from './capture-metrics.ts';
import { isFinished } from '../requests/finish.ts';

type RequestStatus = { readonly completionTimestamp?: string; readonly conditions?: readonly Condition[] };
type RequestObject = KubeObject & { readonly status?: RequestStatus };

/** What of a request is counted beside its kind. */
type Counted = { readonly mode: string; readonly maxSteps?: number };

/** The decisions about requests of one kind, which are final once a request has ended, and counted then. */
export function decideRequests<T extends RequestObject, O, A>(
  manager: Manager,
  ref: Ref<T> & { readonly kind: string },
  steps: Steps<O, A, NonNullable<T['status']>, T>,
  { mode, ...limits }: Counted,
): Reconciler {
  const metrics = captureMetrics(manager.registry);
  return decisions(manager, ref, steps, {
    ...limits,
    component: COMPONENT,
    isTerminal: isFinished,
    frozenWhenTerminal: true,
    async writeStatus(object, status) {
      const stored = await updateStatus(manager, ref, object, status);
      const { completionTimestamp: ended, conditions } = stored.status ?? {};
      if (ended === undefined) return stored;
      const { status: ready, reason = '' } = getCondition(conditions, 'Ready') ?? {};
      const of = { kind: ref.kind, result: ready === 'True' ? 'succeeded' : 'failed' };
      metrics.ended.inc({ ...of, mode, reason });
      metrics.seconds.observe(of, secondsBetween(object, parseTime(ended)));
      return stored;
    },
  });
}

function secondsBetween({ metadata }: Stored, end: Date): number {
  const { creationTimestamp } = metadata;
  if (typeof creationTimestamp !== 'string') return 0;
  return Math.max(0, end.getTime() - parseTime(creationTimestamp).getTime()) / 1000;
}
