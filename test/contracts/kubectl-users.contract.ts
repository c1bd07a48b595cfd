import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findKubectl } from '../../tools/assets/find.mjs';
import type { TestServer } from '../servers/test-server.ts';
import type { KeyPair } from '../support/certificates.ts';
import { runSession } from '../support/kubectl-session.ts';

const WHO = 'auth whoami -o jsonpath={.status.userInfo.username}';

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** A kubeconfig of a user with a certificate. */
function kubeconfigOf({ url, caCert }: TestServer, { cert, key }: KeyPair): string {
  const name = 'test';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(caCert) } }],
    users: [{ name, user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}

/** People who use kubectl with what they have: a certificate, or a token that they made. */
export function kubectlUsersContract(server: () => TestServer): void {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'kubewright-users-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const run = async (kubeconfig: string, command: string): Promise<string> => {
    const [result] = await runSession(findKubectl() ?? '', kubeconfig, command);
    return `${result?.out}${result?.err}`.trim();
  };

  test('a kubeconfig with a client certificate makes kubectl its user', async () => {
    const certificate = await server().issueClientCertificate({ username: 'dora', groups: ['explorers'] });
    const path = join(directory, 'certificate');
    writeFileSync(path, kubeconfigOf(server(), certificate), { mode: 0o600 });
    expect(await run(path, WHO)).toBe('dora');
    expect(await run(path, 'get pods -n default')).toBe(
      'Error from server (Forbidden): pods is forbidden: User "dora" cannot list resource "pods" in API group "" in the namespace "default"',
    );
  });

  test('kubectl makes tokens of service accounts, and takes them', async () => {
    const admin = server().kubeconfigPath;
    expect(await run(admin, 'create namespace kubectl-users')).toBe('namespace/kubectl-users created');
    await run(admin, 'create serviceaccount robot -n kubectl-users');
    const token = await run(admin, 'create token robot -n kubectl-users --duration=10m');
    expect(await run(admin, `${WHO} --token ${token}`)).toBe('system:serviceaccount:kubectl-users:robot');
  });
}
