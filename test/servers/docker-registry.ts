import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { realSide } from './real-side.ts';

/** Of the Debian package. */
const PROGRAM = '/usr/bin/docker-registry';

/** Why it is not tried: undefined where it is. */
export function whyNoDockerRegistry(): string | undefined {
  const { KUBEWRIGHT_REAL: real, CI: ci } = process.env;
  if (real === 'off') return 'needs docker-registry, and KUBEWRIGHT_REAL not off';
  const isRequired = realSide.isRequired && ci === 'true';
  return existsSync(PROGRAM) || isRequired ? undefined : 'needs the Debian package docker-registry';
}

export type DockerRegistry = {
  /** `ADDRESS:PORT` */
  readonly host: string;
  readonly port: number;
  stop(): Promise<void>;
};

type Options = {
  /** Where it listens. Default: loopback. */
  readonly address?: string;
  /** Default: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Who may use it. Default: everybody. */
  readonly htpasswd?: string;
  /** Default true. */
  readonly deletes?: boolean;
};

/** A registry of its own, with its data in a temporary folder. */
export async function startDockerRegistry(options: Options = {}): Promise<DockerRegistry> {
  const { address = '127.0.0.1', tls, htpasswd = '', deletes = true } = options;
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-registry-'));
  const port = await freePort();
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const config = {
    version: '0.1',
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: deletes } },
    http: {
      addr: `${address}:${port}`,
      ...(tls && { tls: { certificate: file('tls.crt', tls.cert), key: file('tls.key', tls.key) } }),
    },
    ...(htpasswd !== '' && { auth: { htpasswd: { realm: 'test', path: file('htpasswd', htpasswd) } } }),
  };
  // JSON is YAML.
  const path = file('config.yml', JSON.stringify(config));
  const child = startChild(PROGRAM, ['serve', path], join(folder, 'log'), folder);
  while (!(await listens(port, address))) {
    assert(child.running, `docker-registry ended:\n${child.tail()}`);
    await delay(50);
  }
  return {
    host: `${address}:${port}`,
    port,
    async stop() {
      await child.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address, () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
