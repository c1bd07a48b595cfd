import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import type * as X509 from '@peculiar/x509';
import { RuntimeError } from '../../runtime-error.ts';
import { segmentFrom } from '../path-segment.ts';

/** When a certificate is valid, milliseconds since 1970. */
export type Validity = { readonly notBefore: number; readonly notAfter: number };

/** Issues keys and certificates, in PEM. */
export type CertificateIssuer = {
  authority(
    validity: Validity,
  ): Promise<{ readonly id: string; readonly cert: string; readonly key: string }>;
  leaf(
    authority: { readonly cert: string; readonly key: string },
    hosts: readonly string[],
    validity: Validity,
  ): Promise<{ readonly cert: string; readonly key: string }>;
  /** An unguessable segment for the paths of webhooks. */
  segment(): string;
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Some megabytes, for what the leader does once in a while: it is loaded then. */
async function loadX509(): Promise<typeof X509> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto);
  return x509;
}

/** ECDSA P-256, made by WebCrypto. */
export const x509Issuer: CertificateIssuer = {
  async authority(validity) {
    const x509 = await loadX509();
    const keys = await makeKeys();
    const identifier = await x509.SubjectKeyIdentifierExtension.create(keys.publicKey);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      // A unique name: clients that trust two CAs find the issuer by name.
      name: `CN=kubewright-webhook-ca-${identifier.keyId.slice(0, 16)}`,
      keys,
      signingAlgorithm: ALGORITHM,
      ...dates(validity),
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        identifier,
      ],
    });
    return { id: identifier.keyId, cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  },
  async leaf(authority, hosts, validity) {
    const x509 = await loadX509();
    const issuer = new x509.X509Certificate(authority.cert);
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      subject: 'CN=kubewright-webhook',
      issuer: issuer.subject,
      publicKey: keys.publicKey,
      signingKey: await readKey(authority.key),
      signingAlgorithm: ALGORITHM,
      ...dates(validity),
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(issuer),
        new x509.SubjectAlternativeNameExtension(
          hosts.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
        ),
      ],
    });
    return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  },
  segment: () => segmentFrom(webcrypto.getRandomValues(new Uint8Array(16))),
};

function dates({ notBefore, notAfter }: Validity): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(notBefore), notAfter: new Date(notAfter) };
}

async function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const { PemConverter } = await loadX509();
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function readKey(pem: string): Promise<webcrypto.CryptoKey> {
  const { PemConverter } = await loadX509();
  const [der] = PemConverter.decode(pem);
  if (der === undefined) throw new RuntimeError('InvalidState', 'the private key of an authority is no PEM');
  return await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
}
