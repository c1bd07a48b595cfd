import { type Clock, onAbort } from '@kubewright/client';
import { RuntimeError } from '../runtime-error.ts';

export type Deadline = {
  readonly clock: Clock;
  /** Absent: only `signal` counts. */
  readonly ms: number | undefined;
  /** Aborts the run too. */
  readonly signal: AbortSignal;
  readonly onTimeout: () => void;
};

/** Calls `run` with a signal that is aborted after `ms`, or with `signal`. Does not end `run` itself. */
export async function withDeadline<T>(
  { clock, ms, signal, onTimeout }: Deadline,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === undefined) return run(signal);
  const end = new AbortController();
  const forget = onAbort(signal, () => end.abort(signal.reason));
  const cancel = clock.after(ms, () => {
    onTimeout();
    end.abort(new RuntimeError('TimedOut', `the reconcile took longer than ${ms} ms`));
  });
  try {
    return await run(end.signal);
  } finally {
    cancel();
    forget();
  }
}
