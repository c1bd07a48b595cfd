import type { Environment } from '../../kit/operator.ts';
import { OperatorError } from '../../operator-error.ts';

/** Where the API for package managers is served. */
export type Listen = {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string };
  readonly onListening?: (port: number) => void;
};

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/** Undefined: the API is not served. Whoever can call it deploys anything, so beyond loopback clients need certificates. */
export function listenSettings(env: Environment): Listen | undefined {
  const text = env['HTTP_PORT'];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new OperatorError('Usage', `HTTP_PORT must be a port, 0 to 65535: "${text}"`);
  const tls = tlsOf(env);
  const host = env['OPRC_CRM_HTTP_HOST'] ?? '127.0.0.1';
  if (tls === undefined && !LOOPBACK.includes(host))
    throw new OperatorError(
      'Usage',
      `OPRC_CRM_HTTP_HOST ${host} needs TLS: set OPRC_CRM_TLS_CERT_FILE, OPRC_CRM_TLS_KEY_FILE and OPRC_CRM_TLS_CLIENT_CA_FILE`,
    );
  return { host, port, ...(tls && { tls }) };
}

function tlsOf(env: Environment): Listen['tls'] {
  const certFile = env['OPRC_CRM_TLS_CERT_FILE'];
  const keyFile = env['OPRC_CRM_TLS_KEY_FILE'];
  const clientCaFile = env['OPRC_CRM_TLS_CLIENT_CA_FILE'];
  const given = [certFile, keyFile, clientCaFile].filter((each) => each !== undefined);
  if (given.length === 0) return undefined;
  if (certFile === undefined || keyFile === undefined || clientCaFile === undefined)
    throw new OperatorError(
      'Usage',
      'TLS needs OPRC_CRM_TLS_CERT_FILE, OPRC_CRM_TLS_KEY_FILE and OPRC_CRM_TLS_CLIENT_CA_FILE together',
    );
  return { certFile, keyFile, clientCaFile };
}
