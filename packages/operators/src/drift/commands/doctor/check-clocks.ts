import type { Finding } from '../../../kit/report-findings.ts';

type Result = Omit<Finding, 'check'>;

/** Times in milliseconds since 1970. */
export type Clocks = {
  /** Of this computer, before and after the server's was read. */
  readonly before: number;
  readonly after: number;
  /** Of the API server, in whole seconds. */
  readonly server: number;
};

/** The Lease of the operator's leader: when it was renewed by its clock, and how long it counts. */
export type Renewal = { readonly at: number; readonly durationMs: number };

/** Closer than this, nothing that drift does depends on it. */
const TOLERANCE_MS = 5000;
const SECOND_MS = 1000;

/** Snoozes and certificates end by the clock. */
export function checkThisClock({ before, after, server }: Clocks): Result {
  const behind = server - after;
  const ahead = before - (server + SECOND_MS);
  const apart = Math.max(behind, ahead, 0);
  if (apart <= TOLERANCE_MS) return { status: 'ok', what: "this computer's clock is the API server's" };
  const how = behind > ahead ? 'behind' : 'ahead of';
  return {
    status: 'warning',
    what: `this computer's clock is ${secondsIn(apart)} s ${how} the API server's`,
    fix: 'a snooze ends that much too early or too late; set the clock',
  };
}

/** The operator's clock, from its Lease. */
export function checkOperatorClock({ at, durationMs }: Renewal, { server }: Clocks): Result {
  const ahead = at - (server + SECOND_MS);
  if (ahead > TOLERANCE_MS)
    return {
      status: 'failed',
      what: `the operator's clock is ${secondsIn(ahead)} s ahead of the API server's`,
      fix: 'set the clocks of the nodes: snoozes, deadlines and certificates of drift depend on them',
    };
  const old = server - at;
  if (old > durationMs + TOLERANCE_MS)
    return {
      status: 'failed',
      what: `the operator renewed its Lease ${secondsIn(old)} s ago: it is not running, or its clock is behind`,
      fix: 'kubectl get pods in its namespace; the clocks of the nodes',
    };
  return { status: 'ok', what: "the operator runs, and its clock is the API server's" };
}

function secondsIn(ms: number): number {
  return Math.round(ms / SECOND_MS);
}
