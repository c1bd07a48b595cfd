import { type Condition, formatTime, setCondition } from '@kubewright/kube';
import type { Decision } from '@kubewright/runtime';

/** What the statuses of all requests have in common. */
type RequestStatus = {
  readonly completionTimestamp?: string;
  readonly conditions?: readonly Condition[];
};

/** How a request ends. */
export type Outcome<R extends string> = {
  readonly succeeds: boolean;
  readonly reason: R;
  readonly message: string;
};

/** Ready and the time of completion are written together, and never changed after. */
export function isFinished({ completionTimestamp }: RequestStatus): boolean {
  return completionTimestamp !== undefined;
}

/** The one way in which a request ends. */
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
