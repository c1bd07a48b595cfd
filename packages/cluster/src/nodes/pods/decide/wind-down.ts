import type { Observed } from '../observed.ts';
import { fieldPathOf, type PodContainer, podContainers } from '../pod-containers.ts';
import { again, type Draft, known } from './draft.ts';

/** Asks the containers of a pod to end, sidecars last, in the reverse of their order. True when none runs any more. */
export function windDown(observed: Observed, draft: Draft, graceMs: number, now: number): boolean {
  const running = podContainers(observed.pod).filter(
    ({ container }) => observed.containers.get(container.name)?.state?.type === 'running',
  );
  const first = running.filter(({ role }) => role !== 'sidecar');
  const next = first.length > 0 ? first : running.slice(-1);
  for (const one of next) stopContainer(draft, one, { graceMs, now });
  return running.length === 0;
}

/** Asks a running container to end, once; again if it gets less time than it was given. */
export function stopContainer(
  draft: Draft,
  one: PodContainer,
  { graceMs, now, message }: { readonly graceMs: number; readonly now: number; readonly message?: string },
): void {
  const { container } = one;
  const record = known(draft, container.name);
  const { attempt, stopBy } = record;
  if (attempt === undefined || (stopBy !== undefined && stopBy <= now + graceMs)) {
    // The runtime reports the end; this is for when it does not.
    if (stopBy !== undefined && stopBy > now) again(draft, stopBy - now);
    return;
  }
  if (stopBy === undefined) {
    const text = message ?? `Stopping container ${container.name}`;
    draft.events.push({ type: 'Normal', reason: 'Killing', message: text, fieldPath: fieldPathOf(one) });
  }
  draft.actions.push({ type: 'stop', container, id: attempt.id, graceMs });
  draft.containers.set(container.name, { ...record, stopBy: now + graceMs });
}
