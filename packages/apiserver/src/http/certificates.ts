import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts of a server that nobody signed for but itself. */
export type ServingCertificates = { readonly ca: string; readonly cert: string; readonly key: string };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a CA and a serving certificate for this machine's own names and `hosts`. */
export async function makeCertificates(now: Date, hosts: readonly string[]): Promise<ServingCertificates> {
  x509.cryptoProvider.set(webcrypto);
  const [caKeys, keys] = await Promise.all([makeKeys(), makeKeys()]);
  const validity = {
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + 365 * DAY_MS),
  };
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=kubewright-ca',
    keys: caKeys,
    signingAlgorithm: ALGORITHM,
    serialNumber: '01',
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  const cert = await x509.X509CertificateGenerator.create({
    subject: 'CN=kubewright-apiserver',
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: ALGORITHM,
    serialNumber: '02',
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternativeNames(hosts)),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    ca: ca.toString('pem'),
    cert: cert.toString('pem'),
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  };
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

const OWN_NAMES = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '127.0.0.1',
  '::1',
];

function alternativeNames(hosts: readonly string[]): x509.JsonGeneralNames {
  return [...new Set([...OWN_NAMES, ...hosts])].map((value) => ({
    type: /^[\d.]+$/.test(value) || value.includes(':') ? 'ip' : 'dns',
    value,
  }));
}
