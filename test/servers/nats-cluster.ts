import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { becomesReady, type NatsRelease, natsProgram, versionOf } from './nats.ts';

export type NatsCluster = {
  /** Of a wire to a server that runs, as a Service has one. */
  readonly port: number;
  readonly servers: readonly string[];
  version(): Promise<string>;
  /** SIGKILL of the server of this name, and the same one again with what it had on disk, after `meanwhile`. */
  restart(name: string, meanwhile?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
};

type Server = { readonly name: string; readonly port: number; readonly start: () => Child; process: Child };

/** Three servers with JetStream, each on free ports of the loopback, with their data in a temporary folder. */
export async function startNatsCluster(release: NatsRelease): Promise<NatsCluster> {
  const program = natsProgram(release);
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-nats-cluster-'));
  const servers = await startServers(program, folder);
  const isAlive = ({ process }: Server): boolean => process.running;
  const wire = await startTcpProxy({
    get port() {
      return (servers.find(isAlive) ?? servers[0])?.port ?? 0;
    },
  });
  const becomeReady = ({ port, process }: Server): Promise<void> => becomesReady(port, process);
  await Promise.all(servers.map(becomeReady));
  return {
    port: wire.port,
    servers: servers.map(({ name }) => name),
    version: async () => `three servers of ${await versionOf(program)}`,
    async restart(sought, meanwhile) {
      const server = servers.find(({ name }) => name === sought);
      assert(server, `there is no server ${sought}`);
      await server.process.kill();
      await meanwhile?.();
      server.process = server.start();
      await becomeReady(server);
    },
    async stop() {
      await wire.close();
      await Promise.all(servers.map(({ process }) => process.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServers(program: string, folder: string): Promise<readonly Server[]> {
  const named = ['n1', 'n2', 'n3'].map(async (name) => ({
    name,
    port: await freePort(),
    route: await freePort(),
  }));
  const places = await Promise.all(named);
  const routes = places.map(({ route }) => `nats://127.0.0.1:${route}`).join(', ');
  return places.map(({ name, port, route }) => {
    const file = join(folder, `${name}.conf`);
    const cluster = `cluster { name: three, listen: "127.0.0.1:${route}", routes: [${routes}] }`;
    writeFileSync(file, `server_name: ${name}\n${cluster}\n`);
    const data = join(folder, name);
    const args = ['-c', file, '-a', '127.0.0.1', '-p', String(port), '--jetstream', '--store_dir', data];
    const start = (): Child => startChild(program, args, join(folder, `${name}.log`), folder);
    return { name, port, start, process: start() };
  });
}
