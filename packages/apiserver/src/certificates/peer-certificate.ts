import { defined } from '@kubewright/kube';
import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { authenticatedUser, type UserInfo } from '../request/user-info.ts';

/** A client's certificate: its user, and whether it is verified. Times are milliseconds since 1970. */
export type PeerCertificate = {
  /** Undefined where the certificate has no common name. */
  readonly user: UserInfo | undefined;
  /** Why the certificate is not valid; empty where it is. */
  readonly error: string;
  readonly notBefore: number;
  readonly notAfter: number;
};

/** The attribute of a subject that holds a Kubernetes user's uid. */
const UID = '1.3.6.1.4.1.57683.2';

const known = new WeakMap<object, PeerCertificate | 'none'>();

/**
 * The certificate that a client showed when it connected, if any. It is read once in the life of the connection;
 * `connection` stands for that: an HTTP/2 session, or the socket itself.
 */
export function peerCertificate(connection: object, socket: TLSSocket): PeerCertificate | undefined {
  let found = known.get(connection);
  if (found === undefined) {
    found = read(socket) ?? 'none';
    known.set(connection, found);
  }
  return found === 'none' ? undefined : found;
}

function read(socket: TLSSocket): PeerCertificate | undefined {
  const shown = socket.getPeerX509Certificate();
  if (shown === undefined) return undefined;
  const error = socket.authorized ? '' : String(socket.authorizationError);
  const times = { notBefore: Date.parse(shown.validFrom), notAfter: Date.parse(shown.validTo) };
  // A certificate that is not verified is not even parsed.
  return { user: error === '' ? userOf(shown.raw) : undefined, error, ...times };
}

function userOf(raw: Buffer): UserInfo | undefined {
  const subject = new x509.X509Certificate(raw).subjectName;
  const username = subject.getField('CN').at(-1) ?? '';
  if (username === '') return undefined;
  const [uid] = subject.getField(UID);
  const fingerprint = createHash('sha256').update(raw).digest('hex');
  return authenticatedUser({
    username,
    ...defined({ uid }),
    groups: subject.getField('O'),
    extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] },
  });
}
