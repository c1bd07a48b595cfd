import type { KubeObject } from '@kubewright/kube';
import { aYearFrom, issueCertificate, type KeyPair, makeAuthority } from '../certificates/authority.ts';

/** PEM texts: by which extension servers authenticate this server as a front proxy. */
export type FrontProxyCertificates = KeyPair & {
  /** The authority of `cert`, which extension servers trust. */
  readonly ca: string;
};

const NAME = 'front-proxy-client';

/** The certificates that were given, else such as are made at first use. */
export function frontProxy(
  given: FrontProxyCertificates | undefined,
  now: () => Date,
): () => Promise<FrontProxyCertificates> {
  let made: Promise<FrontProxyCertificates> | undefined;
  return async () => {
    if (given !== undefined) return given;
    made ??= make(now());
    return await made;
  };
}

async function make(now: Date): Promise<FrontProxyCertificates> {
  const validity = aYearFrom(now);
  const authority = await makeAuthority('kubewright-front-proxy-ca', validity);
  const pair = await issueCertificate(authority, {
    subject: [{ CN: [NAME] }],
    usage: 'client',
    serialNumber: '02',
    validity,
  });
  return { ...pair, ca: authority.cert };
}

/** The ConfigMap in `kube-system` that gives extension servers the authorities to trust and the headers with users. */
export function authenticationConfig(clientCa: string, frontProxyCa: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'extension-apiserver-authentication', namespace: 'kube-system' },
    data: {
      'client-ca-file': clientCa,
      'requestheader-allowed-names': JSON.stringify([NAME]),
      'requestheader-client-ca-file': frontProxyCa,
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    },
  };
}
