import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findRabbitMq } from '../../tools/assets/find-brokers.mjs';
import { type Child, startChild } from '../support/child.ts';
import { freePort } from '../support/free-port.ts';
import { realSide } from './real-side.ts';

/** `host`: of the Debian package that the machine has, 3.10.8 in `.ci/run`. `4`: what `npm run assets:brokers` unpacks. */
export type RabbitMqRelease = 'host' | '4';

type Programs = { readonly server: string; readonly control: string; readonly path: string };

/** The ones in PATH change user, and wait for others to stop the node. */
const HOST: Programs = {
  server: '/usr/lib/rabbitmq/bin/rabbitmq-server',
  control: '/usr/lib/rabbitmq/bin/rabbitmqctl',
  path: '',
};
/** Of a machine that does nothing else it takes six seconds. */
const READY_WITHIN_MS = 600_000;

export type RabbitMq = {
  readonly port: number;
  /** Whether a queue would outlive a SIGKILL: RabbitMQ writes its definition up to seconds after it is declared. */
  hasOnDisk(queue: string): boolean;
  /** As the node says it. */
  version(): Promise<string>;
  /** The names of all queues. */
  queues(): Promise<readonly string[]>;
  /** Runs rabbitmqctl; returns its output. */
  control(...args: readonly string[]): Promise<string>;
  /** SIGKILL, and the same node again with what it had on disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** Why it is not tried: undefined where it is. `.ci/run` installs that of the host, and does without nothing. */
export function whyNoRabbitMq(release: RabbitMqRelease = 'host'): string | undefined {
  const { KUBEWRIGHT_REAL: real, CI: ci } = process.env;
  if (real === 'off') return 'needs RabbitMQ, and KUBEWRIGHT_REAL not off';
  if (release === '4')
    return findRabbitMq() === undefined ? 'needs RabbitMQ 4: npm run assets:brokers' : undefined;
  const isRequired = realSide.isRequired && ci === 'true';
  return existsSync(HOST.server) || isRequired ? undefined : 'needs the Debian package rabbitmq-server';
}

export type RabbitMqOptions = {
  /** With `0.0.0.0` guests may come from elsewhere. Default: `127.0.0.1`. */
  readonly host?: string;
  readonly release?: RabbitMqRelease;
  /** Further lines of `rabbitmq.conf`. */
  readonly config?: readonly string[];
};

/** A node of its own, on free ports of the loopback, its distribution too, with its data in a temporary folder. */
export async function startRabbitMq(options: RabbitMqOptions = {}): Promise<RabbitMq> {
  const { host = '127.0.0.1', release = 'host', config = [] } = options;
  const programs = release === '4' ? findRabbitMq() : HOST;
  assert(programs, whyNoRabbitMq(release));
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-rabbitmq-'));
  const ports = { amqp: await freePort(), distribution: await freePort(), epmd: await freePort() };
  writeFiles(folder, `${host}:${ports.amqp}`, config);
  const env = environment(folder, ports, programs);
  const names = `-port ${ports.epmd} -address 127.0.0.1`.split(' ');
  // Otherwise the node would start one for all nodes of the machine, and leave it.
  const epmd = startChild(join(programs.path, 'epmd'), names, join(folder, 'epmd.log'), folder);
  await listens(ports.epmd, epmd);
  const start = async (): Promise<Child> => {
    const node = startChild(programs.server, [], join(folder, 'node.log'), folder, env);
    await becomesReady(ports.amqp, node);
    return node;
  };
  const control = async (...args: readonly string[]): Promise<string> => {
    const common = ['--quiet', '-n', nodeName(ports.amqp)];
    return (await promisify(execFile)(programs.control, [...common, ...args], { env })).stdout;
  };
  let node = await start();
  return {
    port: ports.amqp,
    // RabbitMQ 4 confirms a declaration when it is written.
    hasOnDisk: (queue) => release === '4' || isCommitted(join(folder, 'data', nodeName(ports.amqp)), queue),
    control,
    version: async () =>
      `RabbitMQ ${(await control('eval', 'rabbit:product_version().')).replaceAll(/["\s]/g, '')}`,
    async queues() {
      const listed = await control('list_queues', 'name', '--no-table-headers');
      return listed.split('\n').filter((name) => name !== '');
    },
    async restart() {
      await node.kill();
      node = await start();
    },
    async stop() {
      await node.stop();
      await epmd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeFiles(folder: string, address: string, config: readonly string[]): void {
  const lines = [
    `listeners.tcp.1 = ${address}`,
    ...(address.startsWith('127.') ? [] : ['loopback_users = none']),
    'log.console = true',
    'log.console.level = warning',
    'log.file = false',
    ...config,
  ];
  writeFileSync(join(folder, 'rabbitmq.conf'), `${lines.join('\n')}\n`);
  writeFileSync(join(folder, 'enabled_plugins'), '[].\n');
}

/**
 * Whether the node's database has a queue. Its log names the queue first and says `committed` in a record of its own:
 * without that the queue is dropped when the node starts again.
 */
function isCommitted(database: string, queue: string): boolean {
  return readdirSync(database).some((name) => {
    const isLog = name.endsWith('.LOG');
    if (!isLog && !/\.DC[DL]$/.test(name)) return false;
    const bytes = readFileSync(join(database, name));
    const at = bytes.lastIndexOf(erlangBinary(queue));
    return at !== -1 && (!isLog || bytes.includes('committed', at));
  });
}

/** As Erlang's external term format has it, with its length: the name may be part of others, such as those of tables. */
function erlangBinary(text: string): Buffer {
  const header = Buffer.from([109, 0, 0, 0, 0]);
  header.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([header, Buffer.from(text)]);
}

function nodeName(port: number): string {
  return `kubewright-${port}@localhost`;
}

type Ports = { readonly amqp: number; readonly distribution: number; readonly epmd: number };

function environment(
  folder: string,
  { amqp, distribution, epmd }: Ports,
  { path }: Programs,
): NodeJS.ProcessEnv {
  return {
    PATH: [path, process.env['PATH']].filter((part) => part !== '').join(delimiter),
    // Where the cookie is.
    HOME: folder,
    ERL_CRASH_DUMP: join(folder, 'erl_crash.dump'),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmd),
    // A node or a `rabbitmqctl` that does not find it would start another one, in the background and for ever.
    ERL_FLAGS: '-start_epmd false',
    RABBITMQ_NODENAME: nodeName(amqp),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    // The script becomes the node, which is what a signal is meant for.
    RABBITMQ_ALLOW_INPUT: 'true',
    RABBITMQ_SERVER_START_ARGS: '-noinput',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, 'generated'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'data'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
}

async function becomesReady(port: number, node: Child): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await accepts(port))) {
    if (!node.running || Date.now() > deadline) assert.fail(`RabbitMQ did not start:\n${node.tail()}`);
    await delay(200);
  }
}

async function listens(port: number, epmd: Child): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await connects(port))) {
    if (!epmd.running || Date.now() > deadline) assert.fail(`epmd did not start:\n${epmd.tail()}`);
    await delay(20);
  }
}

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.on('connect', () => socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

/** Whether it responds to an AMQP handshake. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('AMQP\0\0\u0009\u0001'));
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve(false));
  });
}
