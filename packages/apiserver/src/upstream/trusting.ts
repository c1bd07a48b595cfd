import type { SecureContextOptions } from 'node:tls';

/**
 * TLS options that trust the certificates of a bundle (PEM) alone; none of an empty one, which means the system's roots.
 * As in Go, what is in the bundle is trusted whether or not it is an authority: many a `caBundle` is the certificate of
 * the server itself.
 */
export function trusting(caBundle: string): SecureContextOptions {
  return caBundle === '' ? {} : { ca: caBundle, allowPartialTrustChain: true };
}
