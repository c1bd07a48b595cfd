import { AssertionError } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `utime` and `stime` of /proc are in these. */
const TICKS_PER_SECOND = 100;

/** The built manager with the operator `classes`, in a process of its own. */
export type RunningManager = {
  /** Until now: time on a core, and the memory that it has. */
  used(): { readonly cpuSeconds: number; readonly rss: number };
  /** Rejects when it ends before it is stopped. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
};

/** That of a checkout. Resolves when it leads and its caches are full. */
export async function startManager(
  checkout: string,
  kubeconfig: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<RunningManager> {
  const command = join(checkout, 'packages/kubewright/bin/kubewright.mjs');
  const args = [command, 'manager', '--kubeconfig', kubeconfig, '--operators', 'classes'];
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new AssertionError({ message: `the manager ended with ${code}` })));
  });
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (text: Buffer) => (text.includes('ready') ? resolve() : undefined));
  });
  await Promise.race([ready, failed]);
  return {
    failed,
    used: () => usedBy(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await failed.catch(() => undefined);
    },
  };
}

function usedBy(pid: number): { readonly cpuSeconds: number; readonly rss: number } {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = rest.split(' ').map(Number);
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const cpuSeconds = ((fields[11] ?? 0) + (fields[12] ?? 0)) / TICKS_PER_SECOND;
  return { cpuSeconds, rss: Number(kilobytes) / 1024 };
}
