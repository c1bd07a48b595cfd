import type { Observed } from '../observed.ts';

export type Phase = NonNullable<NonNullable<Observed['pod']['status']>['phase']>;

/** Which phase a pod is in. A final one is never left. */
export function phaseOf({ pod, record, containers }: Observed, isTerminal: boolean): Phase {
  const old = pod.status?.phase;
  if (old === 'Succeeded' || old === 'Failed') return old;
  const mains = pod.spec.containers.map(({ name }) => name);
  if (isTerminal) {
    const succeeded = mains.every((name) => {
      const state = containers.get(name)?.state;
      return state?.type === 'exited' && state.exitCode === 0;
    });
    return succeeded && record.end === undefined ? 'Succeeded' : 'Failed';
  }
  return mains.every((name) => record.containers.get(name)?.attempt !== undefined) ? 'Running' : 'Pending';
}
