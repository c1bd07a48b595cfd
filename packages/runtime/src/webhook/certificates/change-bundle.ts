import { RuntimeError } from '../../runtime-error.ts';
import type { Authority, CertificateBundle, Leaf } from './certificate-bundle.ts';
import type { CertificateIssuer, Validity } from './certificate-issuer.ts';
import type { CertificateSettings, CertificateStep } from './plan-certificates.ts';

/** For clock skew: a certificate is valid from an hour before it was issued. */
const BACKDATED_MS = 3_600_000;

export type BundleStep = Extract<
  CertificateStep,
  { readonly type: 'begin' | 'addAuthority' | 'sign' | 'forget' }
>;

/** The bundle after a step. `from` is the newest known one; undefined at first. */
export async function changeBundle(
  from: CertificateBundle | undefined,
  step: BundleStep,
  { hosts, leafMs, authorityMs }: CertificateSettings,
  issuer: CertificateIssuer,
  now: number,
): Promise<CertificateBundle> {
  const generation = (from?.generation ?? 0) + 1;
  const known = from?.authorities ?? [];
  const make = async (): Promise<Authority> => {
    const validity = validFor(now, authorityMs);
    return { ...(await issuer.authority(validity)), notAfter: secondsOf(validity.notAfter), trustedUntil: 0 };
  };
  const sign = async (list: readonly Authority[], id: string, names: readonly string[]) => {
    const at = list.findIndex((authority) => authority.id === id);
    const signer = present(list[at]);
    const leaf = await signLeaf(signer, names, validFor(now, leafMs), issuer);
    const trustedUntil = Math.max(signer.trustedUntil, leaf.notAfter);
    // Former CAs never sign again: their keys are dropped.
    const older = list.slice(0, at).map(({ key: _key, ...rest }) => rest);
    return { generation, authorities: [...older, { ...signer, trustedUntil }, ...list.slice(at + 1)], leaf };
  };
  switch (step.type) {
    case 'begin': {
      const authority = await make();
      return sign([...known, authority], authority.id, hosts);
    }
    case 'sign':
      return sign(known, step.authority, step.hosts);
    case 'addAuthority':
      return { ...present(from), generation, authorities: [...known, await make()] };
    case 'forget': {
      const authorities = known.filter(({ id }) => !step.authorities.includes(id));
      return { ...present(from), generation, authorities };
    }
  }
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
