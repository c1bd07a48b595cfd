import { type Authority, caBundleOf, type CertificateBundle } from './certificate-bundle.ts';
import {
  areRouted,
  planSegments,
  type Route,
  type SegmentSettings,
  type SegmentState,
  type SegmentStep,
  untilNextSegment,
} from './plan-segments.ts';

export type CertificateSettings = SegmentSettings & {
  /** DNS names and addresses under which servers call the webhooks. */
  readonly hosts: readonly string[];
  /** How long a serving certificate is valid, milliseconds; a new one is made at half of it. */
  readonly leafMs: number;
  /** The same of a CA. */
  readonly authorityMs: number;
  /**
   * How long every caBundle has a CA before it signs: enough for all API servers to see it. A former CA is kept that much
   * longer than its last certificate, for clock skew.
   */
  readonly settleMs: number;
};

/** The observed state. The configurations are read before the Secret: see {@link planCertificates}. */
export type CertificateState = {
  /** The bundle in the Secret; undefined when there is no Secret, or no valid bundle in it. */
  readonly stored: CertificateBundle | undefined;
  /** The newest bundle that this process has seen. */
  readonly held: CertificateBundle | undefined;
  /** The caBundles of all configurations that exist, before base64. */
  readonly caBundles: readonly string[];
  /** For how long this process has seen the newest authority in all of them. */
  readonly carriedMs: number;
  /** The paths in all configurations that exist. */
  readonly routes: readonly Route[];
  /** For how long this process has seen the newest settled segment in all of them. */
  readonly routedMs: number;
  /** Wall time at which this process started. */
  readonly startedAt: number;
  /** For how long this process has seen no bundle in `stored`. */
  readonly missingMs: number;
  /** Wall time. */
  readonly now: number;
};

/** The next step. */
export type CertificateStep =
  /** Create an authority and sign with it at once: there is no valid certificate. */
  | { readonly type: 'begin'; readonly reason: string }
  /** Write back the bundle of this process: the Secret was deleted, or set to an older state. */
  | { readonly type: 'restore' }
  /** Create an authority that will sign later. */
  | { readonly type: 'addAuthority' }
  /** Issue a serving certificate, signed by that authority. */
  | { readonly type: 'sign'; readonly authority: string; readonly hosts: readonly string[] }
  /** Drop authorities that signed no valid certificate. */
  | { readonly type: 'forget'; readonly authorities: readonly string[] }
  | SegmentStep
  /** Write this caBundle, and the segment of paths, to the configurations that differ. */
  | { readonly type: 'configure'; readonly caBundle: string }
  | { readonly type: 'wait'; readonly ms: number };

/** How long a replica that has just started waits for another one to restore a deleted Secret. */
const RESTORE_MS = 30_000;

/**
 * Decides on the next step: pure, so that the tests of the rotation are a table.
 *
 * Invariant: the authority of every certificate that a replica may serve with is in every caBundle. An authority signs
 * only after all caBundles have had it for `settleMs`; it is dropped only when every certificate that it signed has
 * expired; and a caBundle is written from a bundle that was read after the configuration, guarded by the configuration's
 * resourceVersion, so that an older bundle never removes what a newer one added.
 */
export function planCertificates(state: CertificateState, settings: CertificateSettings): CertificateStep {
  const { stored } = state;
  if (isSetBack(state)) return { type: 'restore' };
  if (stored === undefined) return beginning(state);
  return (
    signing(stored, state, settings) ??
    authorities(stored, state, settings) ??
    planSegments(segmentState(stored, state), settings) ??
    configuring(stored, state, settings) ?? { type: 'wait', ms: untilNext(stored, state, settings) }
  );
}

function isSetBack({ stored, held, now }: CertificateState): boolean {
  return held !== undefined && isUsable(held, now) && held.generation > (stored?.generation ?? 0);
}

function segmentState(
  { segments }: CertificateBundle,
  { routes, routedMs, startedAt, now }: CertificateState,
): SegmentState {
  return { segments, routes, routedMs, startedAt, now };
}

/** A caBundle shows that there was a bundle: another replica may still have it, and serve with it. */
function beginning({ held, caBundles, missingMs }: CertificateState): CertificateStep {
  const wasThere = held === undefined && caBundles.some((caBundle) => caBundle.trim() !== '');
  if (wasThere && missingMs < RESTORE_MS) return { type: 'wait', ms: RESTORE_MS - missingMs };
  return { type: 'begin', reason: 'there is no bundle' };
}

/** Whether there is a signing authority and a valid certificate. */
function isUsable({ leaf }: CertificateBundle, now: number): boolean {
  return leaf.notAfter > now;
}

/** The authority that signs, and the next one. */
function roles({ authorities, leaf }: CertificateBundle): {
  readonly current: Authority | undefined;
  readonly next: Authority | undefined;
} {
  const at = authorities.findIndex(({ id }) => id === leaf.authority);
  const newest = authorities.at(-1);
  return { current: authorities[at], next: at === authorities.length - 1 ? undefined : newest };
}

function signing(
  bundle: CertificateBundle,
  { carriedMs, now }: CertificateState,
  { hosts, leafMs, settleMs }: CertificateSettings,
): CertificateStep | undefined {
  const { current, next } = roles(bundle);
  const { leaf } = bundle;
  const dead = current === undefined || current.notAfter <= now;
  if (next !== undefined && (carriedMs >= settleMs || dead))
    return { type: 'sign', authority: next.id, hosts };
  if (dead) return { type: 'begin', reason: 'the authority has expired' };
  if (leaf.notAfter <= now + leafMs / 2 && leaf.notAfter < current.notAfter)
    return { type: 'sign', authority: current.id, hosts };
  // Replicas of two versions may want different names: neither removes the other's.
  if (hosts.some((host) => !leaf.hosts.includes(host)))
    return { type: 'sign', authority: current.id, hosts: [...new Set([...leaf.hosts, ...hosts])] };
  return undefined;
}

function authorities(
  bundle: CertificateBundle,
  { now }: CertificateState,
  { authorityMs, settleMs }: CertificateSettings,
): CertificateStep | undefined {
  const { current, next } = roles(bundle);
  if (next === undefined && current !== undefined && current.notAfter <= now + authorityMs / 2)
    return { type: 'addAuthority' };
  // By then they have expired, within the clock skew.
  const expired = retired(bundle).filter(({ trustedUntil }) => trustedUntil + settleMs <= now);
  return expired.length === 0 ? undefined : { type: 'forget', authorities: expired.map(({ id }) => id) };
}

/** Those before the one that signs. */
function retired({ authorities, leaf }: CertificateBundle): readonly Authority[] {
  return authorities.slice(
    0,
    authorities.findIndex(({ id }) => id === leaf.authority),
  );
}

function configuring(
  bundle: CertificateBundle,
  state: CertificateState,
  settings: CertificateSettings,
): CertificateStep | undefined {
  const caBundle = caBundleOf(bundle);
  const isConfigured =
    state.caBundles.every((other) => other === caBundle) && areRouted(segmentState(bundle, state), settings);
  return isConfigured ? undefined : { type: 'configure', caBundle };
}

function untilNext(
  bundle: CertificateBundle,
  state: CertificateState,
  settings: CertificateSettings,
): number {
  const { carriedMs, now } = state;
  const { leafMs, authorityMs, settleMs } = settings;
  const { current, next } = roles(bundle);
  const due = [
    // A certificate that lasts as long as its authority is followed by one of the next.
    bundle.leaf.notAfter < (current?.notAfter ?? 0) ? bundle.leaf.notAfter - leafMs / 2 - now : Infinity,
    next === undefined ? (current?.notAfter ?? 0) - authorityMs / 2 - now : settleMs - carriedMs,
    ...retired(bundle).map(({ trustedUntil }) => trustedUntil + settleMs - now),
    ...untilNextSegment(segmentState(bundle, state), settings),
  ];
  return Math.max(1, Math.ceil(Math.min(...due)));
}

/** Whether every caBundle has the newest authority of a bundle. */
export function allCarry(bundle: CertificateBundle, caBundles: readonly string[]): boolean {
  const cert = bundle.authorities.at(-1)?.cert.trim();
  return cert !== undefined && caBundles.every((caBundle) => caBundle.includes(cert));
}
