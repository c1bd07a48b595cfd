import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** PEM texts of a certificate and its private key (SEC 1). */
export type KeyPair = { readonly cert: string; readonly key: string };

/** A certificate authority: who trusts `cert` trusts what it signs. */
export type Authority = KeyPair;

/** Times between which a certificate is valid. */
export type Validity = { readonly notBefore: Date; readonly notAfter: Date };

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** From a day ago, for clocks that differ, to a year ahead. */
export function aYearFrom(now: Date): Validity {
  return { notBefore: new Date(now.getTime() - DAY_MS), notAfter: new Date(now.getTime() + 365 * DAY_MS) };
}

/** Makes a key and a certificate that signs itself. */
export async function makeAuthority(name: string, validity: Validity): Promise<Authority> {
  const keys = await makeKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    signingAlgorithm: ALGORITHM,
    serialNumber: '01',
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { cert: cert.toString('pem'), key: exported(keys) };
}

/** The contents of a certificate. */
export type Order = {
  /** Relative distinguished names: `{ CN: ['jane'] }`. Not the library's type, whose declarations need the DOM's. */
  readonly subject: Record<string, string[]>[];
  readonly usage: 'client' | 'server';
  /** Names and addresses that a server is called by. */
  readonly hosts?: readonly string[];
  /** Hexadecimal. */
  readonly serialNumber: string;
  readonly validity: Validity;
};

const USAGES = {
  client: x509.ExtendedKeyUsage.clientAuth,
  server: x509.ExtendedKeyUsage.serverAuth,
} as const;

/** Makes a key and a certificate that the authority signs. The authority's key may be RSA or elliptic. */
export async function issueCertificate(authority: Authority, order: Order): Promise<KeyPair> {
  const keys = await makeKeys();
  const { subject, usage, hosts = [], serialNumber, validity } = order;
  const cert = await x509.X509CertificateGenerator.create({
    subject,
    issuer: new x509.X509Certificate(authority.cert).subjectName,
    publicKey: keys.publicKey,
    ...(await signerOf(createPrivateKey(authority.key))),
    serialNumber,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([USAGES[usage]]),
      ...(hosts.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternativeNames(hosts))]),
    ],
  });
  return { cert: cert.toString('pem'), key: exported(keys) };
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  x509.cryptoProvider.set(webcrypto);
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

/** As SEC 1, which kubeadm writes as well: clients in Java do not read elliptic keys in PKCS #8. */
function exported({ privateKey }: webcrypto.CryptoKeyPair): string {
  return KeyObject.from(privateKey).export({ type: 'sec1', format: 'pem' }).toString();
}

type Signer = {
  readonly signingKey: webcrypto.CryptoKey;
  readonly signingAlgorithm: { readonly name: string };
};

async function signerOf(key: KeyObject): Promise<Signer> {
  const signingAlgorithm = signatureOf(key);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return {
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, signingAlgorithm, false, ['sign']),
    signingAlgorithm,
  };
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

function signatureOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): webcrypto.EcKeyImportParams & webcrypto.RsaHashedImportParams {
  const hash = 'SHA-256';
  if (asymmetricKeyType === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash, namedCurve: '' };
  return { name: 'ECDSA', namedCurve: CURVES[asymmetricKeyDetails?.namedCurve ?? ''] ?? '', hash };
}

function alternativeNames(hosts: readonly string[]): x509.JsonGeneralNames {
  return hosts.map((value) => ({
    type: /^[\d.]+$/.test(value) || value.includes(':') ? 'ip' : 'dns',
    value,
  }));
}
