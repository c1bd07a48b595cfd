import { type Authority, caBundleOf, type CertificateBundle } from './certificate-bundle.ts';

export type CertificateSettings = {
  /** DNS names and addresses under which servers call the webhooks. */
  readonly hosts: readonly string[];
  /** How long a serving certificate is valid, milliseconds; a new one is made at half of it. */
  readonly leafMs: number;
  /** The same of a CA. */
  readonly authorityMs: number;
  /**
   * From when every caBundle carries a CA until it signs: what API servers need to hear of it, and then some. An old
   * CA is kept as much longer than it has to be, so that clocks may differ by that much.
   */
  readonly settleMs: number;
};

/** What the API server has. The configurations are read before the Secret: see {@link planCertificates}. */
export type CertificateState = {
  /** In the Secret; undefined when there is none, or nothing that can be read as one. */
  readonly stored: CertificateBundle | undefined;
  /** The newest that this process has seen. */
  readonly held: CertificateBundle | undefined;
  /** The caBundles of all configurations that exist, before base64. */
  readonly caBundles: readonly string[];
  /** For how long, as far as this process has seen, all of them have carried the newest authority. */
  readonly carriedMs: number;
  /** For how long, as far as this process has seen, there has been nothing in `stored`. */
  readonly missingMs: number;
  /** Wall time. */
  readonly now: number;
};

/** The one next thing to do. */
export type CertificateStep =
  /** Make an authority and sign with it at once: nothing that is there can be served with. */
  | { readonly type: 'begin'; readonly reason: string }
  /** Write back what this process holds: the Secret was lost, or set to an older state. */
  | { readonly type: 'restore' }
  /** Make an authority that will sign later. */
  | { readonly type: 'addAuthority' }
  /** Make a serving certificate, signed by that authority. */
  | { readonly type: 'sign'; readonly authority: string; readonly hosts: readonly string[] }
  /** Forget authorities that nothing valid is signed by. */
  | { readonly type: 'forget'; readonly authorities: readonly string[] }
  /** Give the configurations that differ this caBundle. */
  | { readonly type: 'configure'; readonly caBundle: string }
  | { readonly type: 'wait'; readonly ms: number };

/** What another replica gets to restore a Secret that was lost, before one that has just started begins anew. */
const RESTORE_MS = 30_000;

/**
 * Decides what to do now: pure, so that the life of certificates is a table.
 *
 * The promise: the authority of a certificate that some replica may serve with is in every caBundle. It holds because
 * an authority signs only when all have carried it for `settleMs`; because it is forgotten only when all that it
 * signed has expired; and because a caBundle is written from a bundle that was read after the configuration, guarded
 * by the configuration's version: whoever has an older bundle cannot take out what a newer one has put in.
 */
export function planCertificates(state: CertificateState, settings: CertificateSettings): CertificateStep {
  const { stored, held, now } = state;
  if (held !== undefined && isUsable(held, now) && held.generation > (stored?.generation ?? 0))
    return { type: 'restore' };
  if (stored === undefined) return beginning(state);
  return (
    signing(stored, state, settings) ??
    authorities(stored, state, settings) ??
    configuring(stored, state) ?? { type: 'wait', ms: untilNext(stored, state, settings) }
  );
}

/** Where a caBundle shows that there was a bundle, another replica may hold it still, and serve with it. */
function beginning({ held, caBundles, missingMs }: CertificateState): CertificateStep {
  const wasThere = held === undefined && caBundles.some((caBundle) => caBundle.trim() !== '');
  if (wasThere && missingMs < RESTORE_MS) return { type: 'wait', ms: RESTORE_MS - missingMs };
  return { type: 'begin', reason: 'there is no bundle' };
}

/** Whether there is something to sign with, and something valid to serve. */
function isUsable({ leaf }: CertificateBundle, now: number): boolean {
  return leaf.notAfter > now;
}

/** Who signs, and who is to. */
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
  // Replicas of two versions may want different names: neither takes away the other's.
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
  // By then they have expired for all whose clocks are not too far behind.
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
  { caBundles }: CertificateState,
): CertificateStep | undefined {
  const caBundle = caBundleOf(bundle);
  return caBundles.every((other) => other === caBundle) ? undefined : { type: 'configure', caBundle };
}

function untilNext(
  bundle: CertificateBundle,
  { carriedMs, now }: CertificateState,
  { leafMs, authorityMs, settleMs }: CertificateSettings,
): number {
  const { current, next } = roles(bundle);
  const due = [
    // A certificate that lasts as long as its authority is followed by one of the next.
    bundle.leaf.notAfter < (current?.notAfter ?? 0) ? bundle.leaf.notAfter - leafMs / 2 - now : Infinity,
    next === undefined ? (current?.notAfter ?? 0) - authorityMs / 2 - now : settleMs - carriedMs,
    ...retired(bundle).map(({ trustedUntil }) => trustedUntil + settleMs - now),
  ];
  return Math.max(1, Math.ceil(Math.min(...due)));
}

/** Whether each of the caBundles carries the newest authority of a bundle. */
export function allCarry(bundle: CertificateBundle, caBundles: readonly string[]): boolean {
  const cert = bundle.authorities.at(-1)?.cert.trim();
  return cert !== undefined && caBundles.every((caBundle) => caBundle.includes(cert));
}
