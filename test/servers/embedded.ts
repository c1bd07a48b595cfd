import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiServer } from '@kubewright/apiserver';
import type { JsonObject } from '@kubewright/kube';
import { freePort } from '../support/free-port.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type RestartableServer, type ServerOptions, type TestUser, USERS } from './test-server.ts';

const NAMES = Object.keys(USERS) as TestUser[];

function userInfo(name: TestUser): { username: string; uid: string; groups: readonly string[] } {
  return { username: name, uid: name, groups: USERS[name].groups };
}

/** Starts the embedded API: over HTTPS for kubectl, and for contract suites without a socket. */
export async function startEmbeddedServer({
  accounts = false,
  audit = false,
}: ServerOptions = {}): Promise<RestartableServer> {
  const users = NAMES.map((name) => ({ token: USERS[name].token, user: userInfo(name) }));
  const events: JsonObject[] = [];
  const server = createApiServer({
    users,
    serviceAccounts: { admission: accounts },
    ...(audit && { audit: (event: JsonObject) => void events.push(event) }),
  });
  const { url, caCert } = await server.listen({ port: await freePort() });
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-embedded-'));
  const kubeconfigPath = join(directory, 'kubeconfig');
  const token = USERS.admin.token;
  writeKubeconfig(kubeconfigPath, url, caCert, token);
  return {
    name: 'embedded',
    url,
    caCert,
    token,
    kubeconfigPath,
    transport: (user = 'admin') => server.transport(userInfo(user)),
    issueClientCertificate: (order) => server.issueClientCertificate(order),
    async restart(whileDown = async () => undefined) {
      await server.close();
      await whileDown();
      await server.listen({ port: Number(new URL(url).port) });
    },
    forgetHistory: async () => server.compact(),
    auditEvents: async () => [...events],
    async stop() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
