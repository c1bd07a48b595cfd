import { readFile } from 'node:fs/promises';
import { release } from 'node:os';
import { defined, errorText } from '@kubewright/kube';
import type { NodeFacts } from '../checkpoints/node-agents.ts';
import { architecture } from './checkpoint-archive.ts';
import type { NodeCommands } from './node-commands.ts';

/** Of the kernel's capabilities: without it a process of another user than root cannot be checkpointed. */
const CAP_SYS_RESOURCE = 24n;

/** What of this node decides whether a process can be restored on it. */
export async function nodeFacts(run: NodeCommands, image?: string): Promise<NodeFacts> {
  const [criu, configuration, mounts, status, imageMissing] = await Promise.all([
    run('criu', ['--version']).then(versionIn, () => ''),
    run('containerd', ['config', 'dump']).catch(() => ''),
    readFile('/proc/1/mounts', 'utf8'),
    readFile('/proc/1/status', 'utf8'),
    image === undefined ? undefined : imageProblem(run, image),
  ]);
  const kernel = release();
  return {
    arch: architecture(),
    cgroup: / \/sys\/fs\/cgroup cgroup2 /.test(mounts) ? 'v2' : 'v1',
    kernel,
    criu,
    ...defined({
      restoreDisabled: criuProblem(criu, kernel) ?? runtimeProblem(configuration),
      rootOnly: rootOnly(status),
      imageMissing,
    }),
  };
}

function versionIn(output: string): string {
  return /Version:\s*v?([\d.]+)/.exec(output)?.[1] ?? '';
}

/** CRIU 4.1 fails at any TCP socket of Linux 6.16 and later. */
export function criuProblem(criu: string, kernel: string): string | undefined {
  if (criu === '') return 'it has no CRIU: install CRIU 4.2 or later';
  const isOld = isBefore(criu, [4, 2]) && !isBefore(kernel, [6, 16]);
  return isOld ? `CRIU ${criu} is too old for Linux ${kernel}: install CRIU 4.2 or later` : undefined;
}

function isBefore(version: string, [major, minor]: readonly [number, number]): boolean {
  const [first = 0, second = 0] = version.split(/[.-]/).map(Number);
  return first < major || (first === major && second < minor);
}

/** Of containerd, which restores by default, or not, by its version. */
export function runtimeProblem(configuration: string): string | undefined {
  return /^[^\S\n]*enable_experimental_restore_via_create\s*=\s*false/m.test(configuration)
    ? 'set enable_experimental_restore_via_create = true in the configuration of containerd'
    : undefined;
}

/** Pulls it as the runtime does before a restore: with no credentials. */
async function imageProblem(run: NodeCommands, image: string): Promise<string | undefined> {
  const images = ['--namespace', 'k8s.io', 'images'];
  try {
    const found = await run('ctr', [...images, 'list', '--quiet', `name==${image}`]);
    if (!found.includes(image)) await run('ctr', [...images, 'pull', image]);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

function rootOnly(status: string): string | undefined {
  const [, mask = ''] = /^CapBnd:\s*([0-9a-f]+)/m.exec(status) ?? [];
  const has = ((BigInt(`0x${mask === '' ? '0' : mask}`) >> CAP_SYS_RESOURCE) & 1n) === 1n;
  return has ? undefined : 'it lacks CAP_SYS_RESOURCE';
}
