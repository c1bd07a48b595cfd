import { type Condition, formatTime, setCondition } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';

/** The status fields that all requests have. */
type RequestStatus = {
  readonly completionTimestamp?: string;
  readonly conditions?: readonly Condition[];
};

/** The outcome of a request. */
export type Outcome<R extends string> = {
  readonly succeeds: boolean;
  readonly reason: R;
  readonly message: string;
};

/** Ready and the completion time are written together, and never change again. */
export function isFinished({ completionTimestamp }: RequestStatus): boolean {
  return completionTimestamp !== undefined;
}

/** Ends a request. The only way in which one ends. */
export function finish<S extends RequestStatus, R extends string>(
  status: S,
  { succeeds, reason, message }: Outcome<R>,
  now: Date,
): Decision<never, S> {
  const time = formatTime(now);
  const ready = { type: 'Ready', status: succeeds ? 'True' : 'False', reason, message } as const;
  return {
    reason,
    status: {
      ...status,
      completionTimestamp: time,
      conditions: setCondition(status.conditions ?? [], ready, time),
    },
    events: [{ type: succeeds ? 'Normal' : 'Warning', reason, message }],
  };
}
