import { RuntimeError } from '../../runtime-error.ts';
import type { Authority, CertificateBundle, Leaf, PathSegment } from './certificate-bundle.ts';
import type { CertificateIssuer, Validity } from './certificate-issuer.ts';
import type { CertificateSettings, CertificateStep } from './plan-certificates.ts';
import type { SegmentStep } from './plan-segments.ts';

/** For clock skew: a certificate is valid from an hour before it was issued. */
const BACKDATED_MS = 3_600_000;

export type BundleStep = Extract<
  CertificateStep,
  { readonly type: 'begin' | 'addAuthority' | 'sign' | 'forget' | SegmentStep['type'] }
>;

/** The bundle after a step. `from` is the newest known one; undefined at first. */
export async function changeBundle(
  from: CertificateBundle | undefined,
  step: BundleStep,
  settings: CertificateSettings,
  issuer: CertificateIssuer,
  now: number,
): Promise<CertificateBundle> {
  const { generation: last, ...known } = from ?? NOTHING;
  const generation = last + 1;
  if (step.type === 'addSegment' || step.type === 'forgetSegments')
    return { ...present(from), generation, segments: changeSegments(known.segments, step, issuer, now) };
  const changed = await changeAuthorities(known, step, settings, issuer, now);
  const isFirst = known.segments.length === 0 && step.type === 'begin' && settings.segmentMs !== undefined;
  const segments = isFirst ? changeSegments([], { type: 'addSegment' }, issuer, now) : known.segments;
  return { generation, ...changed, segments };
}

/** Before the first bundle. */
const NOTHING: Omit<CertificateBundle, 'leaf'> & { readonly leaf?: Leaf } = {
  generation: 0,
  authorities: [],
  segments: [],
};

function changeSegments(
  segments: readonly PathSegment[],
  step: SegmentStep,
  issuer: CertificateIssuer,
  now: number,
): readonly PathSegment[] {
  return step.type === 'addSegment'
    ? [...segments, { value: issuer.segment(), since: now }]
    : segments.filter(({ since }) => since >= step.before);
}

type Signed = Pick<CertificateBundle, 'authorities' | 'leaf'>;

async function changeAuthorities(
  { authorities: known, leaf }: Pick<typeof NOTHING, 'authorities' | 'leaf'>,
  step: Exclude<BundleStep, SegmentStep>,
  { hosts, leafMs, authorityMs }: CertificateSettings,
  issuer: CertificateIssuer,
  now: number,
): Promise<Signed> {
  const make = async (): Promise<Authority> => {
    const validity = validFor(now, authorityMs);
    return { ...(await issuer.authority(validity)), notAfter: secondsOf(validity.notAfter), trustedUntil: 0 };
  };
  const sign = (list: readonly Authority[], id: string, names: readonly string[]): Promise<Signed> =>
    signWith(list, id, (signer) => signLeaf(signer, names, validFor(now, leafMs), issuer));
  switch (step.type) {
    case 'begin': {
      const authority = await make();
      return sign([...known, authority], authority.id, hosts);
    }
    case 'sign':
      return sign(known, step.authority, step.hosts);
    case 'addAuthority':
      return { authorities: [...known, await make()], leaf: present(leaf) };
    case 'forget': {
      const authorities = known.filter(({ id }) => !step.authorities.includes(id));
      return { authorities, leaf: present(leaf) };
    }
  }
}

async function signWith(
  list: readonly Authority[],
  id: string,
  sign: (signer: Authority) => Promise<Leaf>,
): Promise<Signed> {
  const at = list.findIndex((authority) => authority.id === id);
  const signer = present(list[at]);
  const leaf = await sign(signer);
  const trustedUntil = Math.max(signer.trustedUntil, leaf.notAfter);
  // Former CAs never sign again: their keys are dropped.
  const older = list.slice(0, at).map(({ key: _key, ...rest }) => rest);
  return { authorities: [...older, { ...signer, trustedUntil }, ...list.slice(at + 1)], leaf };
}

async function signLeaf(
  authority: Authority,
  hosts: readonly string[],
  { notBefore, notAfter }: Validity,
  issuer: CertificateIssuer,
): Promise<Leaf> {
  const { key, cert, id } = authority;
  const validity = { notBefore, notAfter: Math.min(notAfter, authority.notAfter) };
  const signed = await issuer.leaf({ cert, key: present(key) }, hosts, validity);
  return { ...signed, notAfter: validity.notAfter, authority: id, hosts };
}

function validFor(now: number, ms: number): Validity {
  return { notBefore: now - BACKDATED_MS, notAfter: secondsOf(now + ms) };
}

/** Certificates have times in seconds. */
function secondsOf(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new RuntimeError('InvalidState', 'a step does not fit the bundle');
  return value;
}
