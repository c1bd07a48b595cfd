import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';

/** PEM texts. */
export type KeyPair = { readonly cert: string; readonly key: string };

/** The content of a certificate; by default valid from yesterday for a week. */
export type CertificateOrder = {
  readonly subject: JsonName;
  /** `both`: of a server that calls others of its kind. */
  readonly usage: 'client' | 'server' | 'both';
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  /** DNS names of a server in place of its addresses. */
  readonly names?: readonly string[];
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;

const USAGES: Readonly<Record<CertificateOrder['usage'], ExtendedKeyUsage[]>> = {
  client: [ExtendedKeyUsage.clientAuth],
  server: [ExtendedKeyUsage.serverAuth],
  both: [ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth],
};

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  cryptoProvider.set(globalThis.crypto);
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOfKey({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', privateKey), 'PRIVATE KEY');
}

function aWeek(): { readonly notBefore: Date; readonly notAfter: Date } {
  return { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 7 * DAY) };
}

/** A certificate that signs itself, and others. */
export async function makeAuthority(name: string): Promise<KeyPair> {
  const keys = await makeKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: `CN=${name}`,
    ...aWeek(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: cert.toString('pem'), key: await pemOfKey(keys) };
}

/** A client's certificate that signs itself, and nothing else. `name` is its distinguished name. */
export async function makeSelfSigned(name: string): Promise<KeyPair> {
  const keys = await makeKeys();
  const cert = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name,
    ...aWeek(),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [new ExtendedKeyUsageExtension(USAGES.client)],
  });
  return { cert: cert.toString('pem'), key: await pemOfKey(keys) };
}

/** A certificate that `authority` signs; one of a server is for `127.0.0.1` and `localhost`, or `names`. */
export async function issueCertificate(
  authority: KeyPair,
  { subject, usage, names, ...validity }: CertificateOrder,
): Promise<KeyPair> {
  const keys = await makeKeys();
  const der = createPrivateKey(authority.key).export({ type: 'pkcs8', format: 'der' });
  const cert = await X509CertificateGenerator.create({
    serialNumber: `02${randomBytes(15).toString('hex')}`,
    subject,
    issuer: new X509Certificate(authority.cert).subjectName,
    ...aWeek(),
    ...validity,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']),
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(USAGES[usage]),
      ...(usage === 'client'
        ? []
        : [
            new SubjectAlternativeNameExtension(
              names?.map((value) => ({ type: 'dns', value })) ?? [
                { type: 'dns', value: 'localhost' },
                { type: 'ip', value: '127.0.0.1' },
              ],
            ),
          ]),
    ],
  });
  return { cert: cert.toString('pem'), key: await pemOfKey(keys) };
}
