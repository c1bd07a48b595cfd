import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:http2';
import { Registry, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import {
  aYearFrom,
  issueCertificate,
  makeAuthority,
} from '../packages/apiserver/src/certificates/authority.ts';
import type { DeploymentCalls } from '../packages/operators/src/classes/deployments/deployment-calls.ts';
import { listenSettings } from '../packages/operators/src/classes/deployments/listen-settings.ts';
import { serveCalls } from '../packages/operators/src/classes/deployments/serve-calls.ts';

const HEALTH = '/oaas.health.HealthService/Check';
/** No message: 0, and the length 0. */
const EMPTY = Buffer.from([0, 0, 0, 0, 0]);

type Material = { readonly ca: string; readonly key?: string; readonly cert?: string };

/** The gRPC status of a call over HTTP/2, or why there is none. */
function check(port: number, material: Material): Promise<string> {
  return new Promise((resolve) => {
    const session = connect(`https://127.0.0.1:${port}`, material);
    session.on('error', (error) => resolve(error.message));
    session.on('close', () => resolve('closed'));
    const headers = {
      ':method': 'POST',
      ':path': HEALTH,
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    const stream = session.request(headers);
    stream.on('error', (error) => resolve(error.message));
    stream.on('trailers', (trailers) => {
      resolve(`status ${trailers['grpc-status']}`);
      session.close();
    });
    stream.resume().end(EMPTY);
  });
}

test('the API of deployments over TLS: only clients with a certificate of its CA may call', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'class-deployments-'));
  const validity = aYearFrom(new Date());
  const authority = await makeAuthority('ca', validity);
  const of = { serialNumber: '03', validity };
  const server = await issueCertificate(authority, {
    ...of,
    subject: [{ CN: ['server'] }],
    usage: 'server',
    hosts: ['127.0.0.1'],
  });
  const client = await issueCertificate(authority, { ...of, subject: [{ CN: ['pm'] }], usage: 'client' });
  const other = await makeAuthority('other', validity);
  const foreign = await issueCertificate(other, { ...of, subject: [{ CN: ['pm'] }], usage: 'client' });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const listen = listenSettings({
    HTTP_PORT: '0',
    OPRC_CRM_TLS_CERT_FILE: file('cert.pem', server.cert),
    OPRC_CRM_TLS_KEY_FILE: file('key.pem', server.key),
    OPRC_CRM_TLS_CLIENT_CA_FILE: file('ca.pem', authority.cert),
  });
  if (listen === undefined) throw new TypeError('it is not served');
  const stop = new AbortController();
  let onListening: (port: number) => void = () => undefined;
  const listening = new Promise<number>((resolve) => (onListening = resolve));
  const running = serveCalls(
    {} as DeploymentCalls,
    { ...listen, onListening: (port) => onListening(port) },
    { log: silentLogger, registry: new Registry() },
    stop.signal,
  );
  try {
    const port = await Promise.race([listening, running.then(() => 0)]);
    const ca = authority.cert;
    expect(await check(port, { ca, ...client })).toBe('status 0');
    expect(await check(port, { ca })).not.toContain('status');
    expect(await check(port, { ca, ...foreign })).not.toContain('status');
  } finally {
    stop.abort();
    await running;
    rmSync(folder, { recursive: true });
  }
});
