import { aYearFrom, type Authority, issueCertificate, makeAuthority } from '../certificates/authority.ts';

/** PEM texts of a server with a CA of its own. */
export type ServingCertificates = { readonly ca: string; readonly cert: string; readonly key: string };

const OWN_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '127.0.0.1',
  '::1',
];

/** Makes a CA and a serving certificate for this machine's own names and `hosts`. */
export async function makeCertificates(now: Date, hosts: readonly string[]): Promise<ServingCertificates> {
  const validity = aYearFrom(now);
  const authority: Authority = await makeAuthority('kubewright-ca', validity);
  const pair = await issueCertificate(authority, {
    subject: [{ CN: ['kubewright-apiserver'] }],
    usage: 'server',
    hosts: [...new Set([...OWN_NAMES, ...hosts])],
    serialNumber: '02',
    validity,
  });
  return { ca: authority.cert, ...pair };
}
