import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cacheDirectory, onPath } from '../../tools/assets/find.mjs';
import { nodeRoot } from '../../tools/assets/find-nodes.mjs';
import { type Child, startChild } from '../support/child.ts';
import { KUBELET_FLAGS, type NodePlan, writeNodeFiles } from './node-files.ts';
import { type Place, run } from './open-hub.ts';

export type NodeProcess = {
  readonly name: string;
  readonly address: string;
  /** Its path is the same on the node. */
  readonly folder: string;
  /** What the node has below `/var/lib`. */
  readonly lib: string;
  /** Starts a command in the namespaces of the node, with its root file system. Its log is in the node's folder. */
  start(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Child;
  /** The last lines of its logs. */
  tail(): string;
  /** All processes of the node end at once, without a warning, as if it lost its power. */
  kill(): Promise<void>;
  stop(): Promise<void>;
};

const INIT = fileURLToPath(new URL('node.sh', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
/** `nsenter` waits outside of the node, and would else leave its command there. */
const WITH_PARENT = ['/usr/bin/setpriv', '--pdeathsig', 'KILL'];
const CGROUPS = '/sys/fs/cgroup';
const STARTS_WITHIN_MS = 60_000;

/** Starts containerd and kubelet in namespaces of their own. The files of the node are below `folder`. */
export async function startNode(folder: string, place: Place, plan: NodePlan): Promise<NodeProcess> {
  const { name, address } = plan;
  for (const part of ['upper', 'work', 'root', 'lib']) mkdirSync(join(folder, part), { recursive: true });
  writeNodeFiles(join(folder, 'upper'), plan);
  const group = `${process.env['KUBEWRIGHT_NODES'] ?? 'kubewright-nodes'}/${name}`;
  const env = {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    STAGE: 'cgroup',
    FOLDER: folder,
    NODE: name,
    CGROUP: group,
    NODE_ROOT: nodeRoot(),
    ASSETS: cacheDirectory(),
    SHARED: [folder, cacheDirectory(), REPOSITORY, process.execPath].join(' '),
    KUBELET_FLAGS: [...KUBELET_FLAGS, `--hostname-override=${name}`, `--node-ip=${address}`].join(' '),
  };
  const namespaces = ['--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child'];
  const args = [`--net=${place.path}`, 'unshare', ...namespaces, 'sh', INIT];
  const init = startChild('nsenter', args, join(folder, 'init.log'), folder, env);
  const tail = (): string =>
    ['init', 'containerd', 'kubelet'].map((log) => lastLines(join(folder, `${log}.log`))).join('\n');
  const pid = await firstProcess(init, folder, tail);
  let count = 0;
  return {
    name,
    address,
    folder,
    lib: join(folder, 'lib'),
    start(command, commandArgs, more = {}) {
      const all = [
        '--target',
        String(pid),
        '--all',
        '--root',
        '--wdns=/',
        ...WITH_PARENT,
        command,
        ...commandArgs,
      ];
      const log = join(folder, `${command.split('/').at(-1)}-${(count += 1)}.log`);
      // By its path: the PATH is that of the command.
      return startChild(onPath('nsenter') ?? 'nsenter', all, log, folder, { PATH: env.PATH, ...more });
    },
    tail,
    async kill() {
      // What ends with its power closes no connection.
      await run('nsenter', `--net=${place.path}`, 'ip', 'link', 'set', 'eth0', 'down');
      await init.kill();
    },
    async stop() {
      await init.kill();
      await removeCgroups(group);
    },
  };
}

/** The process that `unshare` started, once the node has its root file system. */
async function firstProcess(init: Child, folder: string, tail: () => string): Promise<number> {
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (!existsSync(join(folder, 'ready'))) {
    assert(init.running && Date.now() < deadline, `the node did not start:\n${tail()}`);
    await delay(50);
  }
  return Number(read(`/proc/${init.pid}/task/${init.pid}/children`).trim());
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function lastLines(path: string): string {
  return read(path).split('\n').slice(-15).join('\n');
}

/** They are empty soon after the processes have ended. */
async function removeCgroups(group: string): Promise<void> {
  const hierarchies = [CGROUPS, ...readdirSync(CGROUPS).map((name) => join(CGROUPS, name))];
  for (const hierarchy of hierarchies) {
    for (let attempt = 0; attempt < 100 && !removed(join(hierarchy, group)); attempt++) await delay(50);
  }
}

function removed(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) removed(join(folder, entry.name));
    rmdirSync(folder);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
