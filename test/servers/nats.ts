import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findNats, NATS_VERSION } from '../../tools/assets/find-brokers.mjs';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { realSide } from './real-side.ts';

/** `host`: of the Debian package that the machine has, 2.9 in `.ci/run`. `pinned`: what `npm run assets:brokers` builds. */
export type NatsRelease = 'host' | 'pinned';

const SERVER = '/usr/sbin/nats-server';
/** Of a machine that does nothing else it takes a tenth of a second. */
const READY_WITHIN_MS = 60_000;

export type NatsServer = {
  readonly port: number;
  /** As the server says it. */
  version(): Promise<string>;
  /** Replaces the `config` that it was started with, as an administrator does: connections stay. */
  reload(config: string): void;
  /** SIGKILL, and the same server again with what it had on disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Why it is not tried: undefined where it is. `.ci/run` installs that of the host, and does without nothing. */
export function whyNoNats(release: NatsRelease = 'host'): string | undefined {
  const { KUBEWRIGHT_REAL: real, CI: ci } = process.env;
  if (real === 'off') return 'needs NATS, and KUBEWRIGHT_REAL not off';
  if (release === 'pinned')
    return findNats() === undefined ? `needs NATS ${NATS_VERSION}: npm run assets:brokers` : undefined;
  const isRequired = realSide.isRequired && ci === 'true';
  return existsSync(SERVER) || isRequired ? undefined : 'needs the Debian package nats-server';
}

/**
 * A server with JetStream, on a free port of the loopback, with its data in a temporary folder. `config`: what else is in its
 * configuration, as who may do what.
 */
export async function startNats(config = '', release: NatsRelease = 'host'): Promise<NatsServer> {
  const program = natsProgram(release);
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-nats-'));
  const port = await freePort();
  const [file, data] = [join(folder, 'server.conf'), join(folder, 'data')];
  // By a flag, 2.9 would have no JetStream any more after a reload.
  const configure = (given: string): void =>
    writeFileSync(file, `jetstream { store_dir: ${JSON.stringify(data)} }\n${given}`);
  configure(config);
  const args = ['-c', file, '-a', '127.0.0.1', '-p', String(port)];
  const start = async (): Promise<Child> => {
    const server = startChild(program, args, join(folder, 'server.log'), folder);
    await becomesReady(port, server);
    return server;
  };
  let server = await start();
  return {
    port,
    version: () => versionOf(program),
    reload(changed) {
      configure(changed);
      process.kill(server.pid, 'SIGHUP');
    },
    async restart() {
      await server.kill();
      server = await start();
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function natsProgram(release: NatsRelease): string {
  const program = release === 'pinned' ? findNats() : SERVER;
  assert(program, whyNoNats(release));
  return program;
}

export async function versionOf(program: string): Promise<string> {
  return (await promisify(execFile)(program, ['--version'])).stdout.trim();
}

export async function becomesReady(port: number, server: Child): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await accepts(port))) {
    if (!server.running || Date.now() > deadline) assert.fail(`NATS did not start:\n${server.tail()}`);
    await delay(20);
  }
}

/** Whether it says who it is. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve(false));
  });
}
