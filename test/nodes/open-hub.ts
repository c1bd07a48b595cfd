import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { REGISTRY } from './serve-registry.ts';

/** The network of the nodes, in the network namespace of this process, which has no other. */
export type Hub = {
  /** By which nodes and pods reach this process. */
  readonly address: string;
  /** The names of nodes, as in `/etc/hosts`. */
  readonly hosts: string;
  /** Joins a network namespace to the bridge; resolves with its addresses. */
  join(index: number): Promise<Place>;
  /** Takes the bridge away, for other nodes after these. */
  close(): Promise<void>;
};

export type Place = {
  /** Of the network namespace, for `nsenter --net`. */
  readonly path: string;
  readonly address: string;
  /** The addresses of its pods. */
  readonly pods: string;
};

const ADDRESS = '10.77.0.1';
const BRIDGE = 'nodes';
const HOSTS = `127.0.0.1 localhost\n${ADDRESS} ${REGISTRY}\n${[1, 2, 3].map((index) => `${addressOf(index)} node-${index}\n`).join('')}`;

function addressOf(index: number): string {
  return `10.77.0.${10 + index}`;
}

/** Makes the bridge. The kernel takes all of it away when the namespace's last process has ended. */
export async function openHub(folder: string): Promise<Hub> {
  await run('mkdir', '-p', '/run/netns');
  // Names of namespaces would else be left in the host's.
  await run('mount', '-t', 'tmpfs', 'tmpfs', '/run/netns');
  await run('ip', 'link', 'set', 'lo', 'up');
  await run('ip', 'link', 'add', BRIDGE, 'type', 'bridge');
  await run('ip', 'addr', 'add', `${ADDRESS}/24`, 'dev', BRIDGE);
  await run('ip', 'link', 'set', BRIDGE, 'up');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  const hosts = join(folder, 'hosts');
  writeFileSync(hosts, HOSTS);
  // In the mount namespace of this process, as all that is mounted here.
  await run('mount', '--bind', hosts, '/etc/hosts');
  return { address: ADDRESS, hosts: HOSTS, join: joinBridge, close };
}

async function close(): Promise<void> {
  const { stdout } = await execute('ip', ['-o', 'link', 'show', 'type', 'veth']);
  for (const [, name = ''] of stdout.matchAll(/(node-\d+)@/g)) await run('ip', 'link', 'del', name);
  await run('ip', 'link', 'del', BRIDGE);
  await run('umount', '--lazy', '/run/netns');
  await run('umount', '--lazy', '/etc/hosts');
}

async function joinBridge(index: number): Promise<Place> {
  const name = `node-${index}`;
  const address = addressOf(index);
  const pods = `10.78.${index}.0/24`;
  const inside = (...args: string[]): Promise<void> => run('ip', '-n', name, ...args);
  await run('ip', 'netns', 'add', name);
  await run('ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  await run('ip', 'link', 'set', name, 'master', BRIDGE, 'up');
  await inside('link', 'set', 'lo', 'up');
  await inside('addr', 'add', `${address}/24`, 'dev', 'eth0');
  await inside('link', 'set', 'eth0', 'up');
  await inside('route', 'add', 'default', 'via', ADDRESS);
  await run('ip', 'route', 'add', pods, 'via', address);
  return { path: `/run/netns/${name}`, address, pods };
}

const execute = promisify(execFile);

export async function run(command: string, ...args: string[]): Promise<void> {
  await execute(command, args);
}
