import type { Authenticator } from './authenticator.ts';

/** Authenticates clients by the certificate of their connection: common name is the user, organizations are the groups. */
export function clientCertificates(now: () => Date, ownAudiences: readonly string[]): Authenticator {
  return ({ certificate, audiences = ownAudiences }) => {
    if (certificate === undefined) return undefined;
    const { user, notBefore, notAfter } = certificate;
    const time = now().getTime();
    // A connection may outlive the certificate that it was made with.
    const expired = time < notBefore || time > notAfter;
    const error = expired ? 'certificate has expired or is not yet valid' : certificate.error;
    if (error !== '') return { errors: [`verifying certificate failed: ${error}`] };
    // It names no user, and is not that of a front proxy either.
    return user === undefined ? { errors: ['certificate without a common name'] } : { user, audiences };
  };
}
