import type { KubeObject } from '@kubewright/kube';
import { newLease, readLease, renewTimeAfter, withRecord } from './lease-record.ts';

/** The candidate, its Lease and the timing. All times in milliseconds. */
export type ElectionSettings = {
  readonly namespace: string;
  readonly name: string;
  /** Unique for every process, also after a restart. */
  readonly identity: string;
  /** How long other candidates wait after the last change that they observed. Whole seconds. */
  readonly leaseDurationMs: number;
  /** The holder stops leading, and writing, this long after it sent its last successful renewal. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
};

/** A Lease, and since when this process has observed it unchanged, on its own monotonic clock. */
type Observed = { readonly lease: KubeObject; readonly since: number };

export type ElectionState =
  | { readonly phase: 'Standby'; readonly observed?: Observed }
  /** `provenAt`: when the last successful write was sent. No other candidate can acquire the Lease before `until`. */
  | {
      readonly phase: 'Leading';
      readonly observed: Observed;
      readonly provenAt: number;
      readonly until: number;
      readonly term: number;
    }
  | { readonly phase: 'Lost'; readonly reason: string };

/** An input. `now` is monotonic; `wall` is the time that is written into the Lease. */
export type ElectionEvent = { readonly now: number; readonly wall: number } & (
  | { readonly type: 'Due' }
  | { readonly type: 'Read'; readonly lease: KubeObject | undefined }
  | { readonly type: 'Written'; readonly lease: KubeObject; readonly sentAt: number }
  /** The response to a write has another Lease than the one sent: a mutating webhook changed it. */
  | { readonly type: 'Altered'; readonly lease: KubeObject }
  /** A write was rejected, or its outcome is unknown. */
  | { readonly type: 'WriteFailed'; readonly retryAtOnce: boolean }
  | { readonly type: 'ReadFailed' }
);

/** The next action. `wait` ends with `Due`: after the period, or earlier at the deadline. */
export type ElectionAction =
  | { readonly type: 'read' }
  | { readonly type: 'create' | 'update'; readonly lease: KubeObject }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'stop' };

export type ElectionStep = { readonly state: ElectionState; readonly action: ElectionAction };

/**
 * The whole of the election's logic. Safe because of four things: a Lease is taken over only after it was seen
 * unchanged for its lease duration, on the observer's own monotonic clock; every write is guarded by the observed
 * resourceVersion; only a write that was stored unchanged counts; and the holder counts from the moment *before* it
 * sent a renewal, and stops earlier.
 */
export function nextElectionStep(
  state: ElectionState,
  event: ElectionEvent,
  settings: ElectionSettings,
): ElectionStep {
  if (state.phase === 'Lost') return { state, action: { type: 'stop' } };
  if (state.phase === 'Leading' && event.now >= state.until)
    return lost(`not renewed within ${settings.renewDeadlineMs} ms`);
  switch (event.type) {
    case 'Due':
      return { state, action: begin(state, event, settings) };
    case 'Read':
      return afterRead(state, event, settings);
    case 'Written':
      return afterWrite(state, event, settings);
    case 'Altered':
      return afterAlteration(state, event, settings);
    case 'WriteFailed':
    case 'ReadFailed':
      return { state, action: afterFailure(state, event, settings) };
  }
}

type Competing = Exclude<ElectionState, { phase: 'Lost' }>;
type Leading = Extract<ElectionState, { phase: 'Leading' }>;

function begin(state: Competing, event: ElectionEvent, settings: ElectionSettings): ElectionAction {
  return state.phase === 'Leading' ? renew(state, state.observed.lease, event, settings) : { type: 'read' };
}

/** A leader's renewal may have taken effect without a response: read the Lease before the next attempt. */
function afterFailure(
  state: Competing,
  event: Extract<ElectionEvent, { type: 'WriteFailed' | 'ReadFailed' }>,
  settings: ElectionSettings,
): ElectionAction {
  const looks = event.type === 'WriteFailed' && event.retryAtOnce && state.phase === 'Leading';
  return looks ? { type: 'read' } : wait(state, event.now, settings);
}

function afterRead(
  state: Competing,
  event: Extract<ElectionEvent, { type: 'Read' }>,
  settings: ElectionSettings,
): ElectionStep {
  const { namespace, name, identity } = settings;
  const { lease } = event;
  // Deleting a leader's Lease ends its term: another candidate may have begun one meanwhile.
  if (lease === undefined) {
    if (state.phase === 'Leading') return lost('the Lease was deleted');
    // The holder may not have noticed the deletion yet.
    const { observed } = state;
    if (observed !== undefined && !isFree(observed, event.now, identity))
      return { state, action: wait(state, event.now, settings) };
    const created = take(newLease(namespace, name), event, settings);
    return { state: { phase: 'Standby' }, action: created };
  }
  if (state.phase === 'Leading')
    return lostTo(lease, state, settings) ?? { state, action: renew(state, lease, event, settings) };
  const observed = observe(state.observed, lease, event.now);
  const next: ElectionState = { phase: 'Standby', observed };
  const action = isFree(observed, event.now, identity)
    ? take(lease, event, settings)
    : wait(next, event.now, settings);
  return { state: next, action };
}

/** Only a write that was stored unchanged counts. A webhook that alters one may alter the next: retry at the usual pace. */
function afterAlteration(
  state: Competing,
  { lease, now }: Extract<ElectionEvent, { type: 'Altered' }>,
  settings: ElectionSettings,
): ElectionStep {
  const lostLease = state.phase === 'Leading' ? lostTo(lease, state, settings) : undefined;
  if (lostLease !== undefined) return lostLease;
  const next: ElectionState = { ...state, observed: observe(state.observed, lease, now) };
  return { state: next, action: wait(next, now, settings) };
}

/** Undefined while the Lease is still the leader's. */
function lostTo(
  lease: KubeObject,
  { observed }: Leading,
  { identity }: ElectionSettings,
): ElectionStep | undefined {
  const { holder } = readLease(lease);
  if (holder === identity && uidOf(lease) === uidOf(observed.lease)) return undefined;
  return lost(holder === '' ? 'somebody released the Lease' : `${holder} holds the Lease`);
}

function afterWrite(
  state: Competing,
  { lease, sentAt, now }: Extract<ElectionEvent, { type: 'Written' }>,
  settings: ElectionSettings,
): ElectionStep {
  const observed: Observed = { lease, since: now };
  const until = sentAt + settings.renewDeadlineMs;
  // The response came too late to count.
  if (state.phase === 'Standby' && now >= until) return { state, action: { type: 'read' } };
  const leading: ElectionState = {
    phase: 'Leading',
    observed,
    provenAt: sentAt,
    until,
    term: readLease(lease).transitions,
  };
  return { state: leading, action: wait(leading, now, settings) };
}

/** Unchanged: the same version of the same object. The times in the Lease come from other clocks and are never compared. */
function observe(before: Observed | undefined, lease: KubeObject, now: number): Observed {
  const isSame =
    before !== undefined &&
    uidOf(before.lease) === uidOf(lease) &&
    before.lease.metadata.resourceVersion === lease.metadata.resourceVersion;
  return isSame ? before : { lease, since: now };
}

function isFree({ lease, since }: Observed, now: number, identity: string): boolean {
  const { holder, durationMs } = readLease(lease);
  return holder === '' || holder === identity || now >= since + durationMs;
}

/** A term keeps its number, whatever was written to the Lease meanwhile. */
function renew(
  { term }: Leading,
  lease: KubeObject,
  event: ElectionEvent,
  settings: ElectionSettings,
): ElectionAction {
  return take(lease, event, settings, term);
}

function take(
  lease: KubeObject,
  { wall }: ElectionEvent,
  { identity, leaseDurationMs }: ElectionSettings,
  term?: number,
): ElectionAction {
  const before = readLease(lease);
  const isOurs = before.holder === identity;
  const isNew = lease.metadata.resourceVersion === undefined;
  const renewTime = renewTimeAfter(before.renewTime, wall);
  const record = {
    holder: identity,
    durationMs: leaseDurationMs,
    acquireTime: isOurs ? before.acquireTime : renewTime,
    renewTime,
    transitions: term ?? (isOurs || isNew ? before.transitions : before.transitions + 1),
  };
  return { type: isNew ? 'create' : 'update', lease: withRecord(lease, record) };
}

function wait(state: ElectionState, now: number, { retryPeriodMs }: ElectionSettings): ElectionAction {
  const left = state.phase === 'Leading' ? state.until - now : retryPeriodMs;
  return { type: 'wait', ms: Math.max(0, Math.min(retryPeriodMs, left)) };
}

function lost(reason: string): ElectionStep {
  return { state: { phase: 'Lost', reason }, action: { type: 'stop' } };
}

const uidOf = ({ metadata }: KubeObject): string | undefined => metadata.uid;
