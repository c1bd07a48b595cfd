import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';

/** PEM texts. */
export type ServerCertificate = {
  readonly caCert: string;
  readonly cert: string;
  readonly key: string;
};

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY = 86_400_000;

async function pemOfKey(key: webcrypto.CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** A CA of its own and a certificate for `127.0.0.1` and `localhost`, valid from yesterday for a week. */
export async function issueServerCertificate(): Promise<ServerCertificate> {
  cryptoProvider.set(globalThis.crypto);
  const keys = (): Promise<webcrypto.CryptoKeyPair> =>
    webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const [caKeys, serverKeys] = await Promise.all([keys(), keys()]);
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + 7 * DAY) };
  const ca = await X509CertificateGenerator.createSelfSigned({
    serialNumber: '01',
    name: 'CN=kubewright test CA',
    ...validity,
    signingAlgorithm: ALGORITHM,
    keys: caKeys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  const server = await X509CertificateGenerator.create({
    serialNumber: '02',
    subject: 'CN=kube-apiserver',
    issuer: ca.subject,
    ...validity,
    signingAlgorithm: ALGORITHM,
    publicKey: serverKeys.publicKey,
    signingKey: caKeys.privateKey,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ],
  });
  return {
    caCert: ca.toString('pem'),
    cert: server.toString('pem'),
    key: await pemOfKey(serverKeys.privateKey),
  };
}
