import type { corev1 } from '@kubewright/kube';
import type { Observed } from '../observed.ts';
import { type PodContainer, podContainers, restarts } from '../pod-containers.ts';

/** Whose turn it is. */
export type Turn = {
  /** Those that should run now, whether they do or not. */
  readonly due: readonly PodContainer[];
  /** Nothing of the pod will run any more: what still does is to be stopped. */
  readonly over: boolean;
};

/**
 * Init containers run one after the other, each to a good end; sidecars among them have to be started before it goes on,
 * and stay; then come the main ones, all at once. When these have ended for good the sidecars go too.
 */
export function turnOf(observed: Observed): Turn {
  const { pod } = observed;
  const all = podContainers(pod);
  const mains = all.filter(({ role }) => role === 'main');
  const begun = mains.some(
    ({ container }) => observed.record.containers.get(container.name)?.attempt !== undefined,
  );
  const due: PodContainer[] = [];
  for (const one of all.filter(({ role }) => role !== 'main')) {
    if (one.role === 'sidecar') due.push(one);
    if (begun || isPassed(observed, one)) continue;
    if (isOver(observed, one.container)) return { due: [], over: true };
    return { due: one.role === 'sidecar' ? due : [...due, one], over: false };
  }
  const left = mains.filter(({ container }) => !isOver(observed, container));
  return left.length === 0 ? { due: [], over: true } : { due: [...due, ...left], over: false };
}

function isPassed({ containers }: Observed, { container, role }: PodContainer): boolean {
  const state = containers.get(container.name)?.state;
  if (role === 'sidecar') return state?.type === 'running' && state.started;
  return state?.type === 'exited' && state.exitCode === 0;
}

/** It has ended and will not run again. */
function isOver({ pod, containers }: Observed, container: corev1.Container): boolean {
  const state = containers.get(container.name)?.state;
  return state?.type === 'exited' && !restarts(pod, container, state.exitCode);
}
