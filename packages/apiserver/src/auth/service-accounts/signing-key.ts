import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { JsonObject } from '@kubewright/kube';
import { localError } from '../../api-server-error.ts';

/** A key that signs tokens. */
export type SigningKey = {
  readonly algorithm: string;
  /** Names the public key without giving it away. */
  readonly id: string;
  sign(text: string): Buffer;
  verify(text: string, signature: Uint8Array): boolean;
  /** The public half, as a member of a JSON Web Key Set (RFC 7517). */
  readonly publicKey: JsonObject;
};

const HASHES: Readonly<Record<string, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};
const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/** Makes the key at first use: few servers ever issue a token. `pem`: RSA or EC, with the private half. */
export function signingKey(pem?: string): () => SigningKey {
  let key: SigningKey | undefined;
  return () => {
    key ??= keyOf(
      pem === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : createPrivateKey(pem),
    );
    return key;
  };
}

function keyOf(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const algorithm = algorithmOf(privateKey);
  const id = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
  const hash = HASHES[algorithm] ?? 'sha256';
  // JSON Web Signatures have the two numbers of an elliptic signature side by side (RFC 7518, 3.4).
  const form = { dsaEncoding: 'ieee-p1363' } as const;
  return {
    algorithm,
    id,
    sign: (text) => sign(hash, Buffer.from(text), { key: privateKey, ...form }),
    verify: (text, signature) => verify(hash, Buffer.from(text), { key: publicKey, ...form }, signature),
    publicKey: {
      use: 'sig',
      kid: id,
      alg: algorithm,
      ...(publicKey.export({ format: 'jwk' }) as JsonObject),
    },
  };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  if (asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = CURVES[asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined)
    throw localError('InvalidState', 'a key for tokens is RSA or elliptic of 256, 384 or 521 bits');
  return algorithm;
}
