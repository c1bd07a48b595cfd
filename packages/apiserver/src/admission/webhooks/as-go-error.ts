import { ApiServerError, localError } from '../../api-server-error.ts';
import type { WebhookCall } from './webhook-transport.ts';

const UNVERIFIED = 'tls: failed to verify certificate';
const UNKNOWN_AUTHORITY = 'x509: certificate signed by unknown authority';

/** Node's codes of a certificate that was not accepted. */
const CERTIFICATE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  CERT_SIGNATURE_FAILURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
};

/** A failed call with the message of Go's HTTP client, which people search for; others keep Node's. */
export function asGoError(error: unknown, { url, address }: WebhookCall): Error {
  const target = new URL(url);
  const host = address?.host ?? target.hostname;
  const port = address?.port ?? (target.port === '' ? 443 : Number(target.port));
  const message = messageOf(error, { host, port, name: target.hostname });
  if (message !== undefined) return localError('ConnectionFailed', message, error);
  return error instanceof Error ? error : localError('ConnectionFailed', String(error));
}

type Place = { readonly host: string; readonly port: number; readonly name: string };

function messageOf(error: unknown, { host, port, name }: Place): string | undefined {
  const code = codeOf(error);
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}:${port}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${host}: no such host`;
    case 'ConnectionLost':
    case 'ConnectionReset':
    case 'ECONNRESET':
      return 'EOF';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `${UNVERIFIED}: ${wrongName(error, name)}`;
    default:
      return CERTIFICATE[code] === undefined ? undefined : `${UNVERIFIED}: ${CERTIFICATE[code]}`;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof ApiServerError) return error.status.reason ?? '';
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** `x509: certificate is valid for a, b, not c`. */
function wrongName(error: unknown, hostname: string): string {
  const certificate = error instanceof Error && 'cert' in error ? error.cert : undefined;
  const names = (certificate as { subjectaltname?: string } | undefined)?.subjectaltname ?? '';
  const address = /^[\d.]+$|:/.test(hostname);
  const kind = address ? 'IP Address:' : 'DNS:';
  const valid = names.split(', ').flatMap((name) => (name.startsWith(kind) ? [name.slice(kind.length)] : []));
  if (valid.length > 0) return `x509: certificate is valid for ${valid.join(', ')}, not ${hostname}`;
  return address
    ? `x509: cannot validate certificate for ${hostname} because it doesn't contain any IP SANs`
    : `x509: certificate is not valid for any names, but wanted to match ${hostname}`;
}
