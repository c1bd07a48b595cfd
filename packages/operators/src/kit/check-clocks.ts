import { type Client, systemClock } from '@kubewright/client';
import { authenticationv1, parseTime } from '@kubewright/kube';
import type { Finding } from './report-findings.ts';

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

/** Closer than this, nothing depends on it. */
const TOLERANCE_MS = 5000;
const SECOND_MS = 1000;

/** What people give a time ends by the clock. */
export function checkThisClock({ before, after, server }: Clocks): Result {
  const behind = server - after;
  const ahead = before - (server + SECOND_MS);
  const apart = Math.max(behind, ahead, 0);
  if (apart <= TOLERANCE_MS) return { status: 'ok', what: "this computer's clock is the API server's" };
  const how = behind > ahead ? 'behind' : 'ahead of';
  return {
    status: 'warning',
    what: `this computer's clock is ${secondsIn(apart)} s ${how} the API server's`,
    fix: 'set the clock: what is given a time here, as a snooze, ends that much too early or too late',
  };
}

/** The operator's clock, from its Lease. */
export function checkOperatorClock({ at, durationMs }: Renewal, { server }: Clocks): Result {
  const ahead = at - (server + SECOND_MS);
  if (ahead > TOLERANCE_MS)
    return {
      status: 'failed',
      what: `the operator's clock is ${secondsIn(ahead)} s ahead of the API server's`,
      fix: 'set the clocks of the nodes: deadlines, snoozes and certificates depend on them',
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

/** A review has the time at which the server made it. */
export async function readClocks(client: Client): Promise<Clocks | undefined> {
  const before = systemClock.now();
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} } as const;
  const { metadata } = await client.create(authenticationv1.selfsubjectreviews, review);
  const after = systemClock.now();
  const { creationTimestamp: at } = metadata;
  return at == null ? undefined : { before, after, server: parseTime(at).getTime() };
}
