import { AssertionError } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadKubeconfig } from '@kubewright/client';
import { startRealServer } from '../../test/servers/real.ts';
import { cpuOf } from '../cpu-of.ts';

const CLI = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));

/** A server in processes of its own, as long as the benchmark needs it. */
export type BenchServer = {
  readonly name: string;
  readonly url: string;
  readonly caCert: string;
  readonly token: string;
  /** From the start of its first process until `/readyz` succeeds, milliseconds. */
  readonly readyMs: number;
  /** Resident memory of all its processes now, bytes. */
  rss(): number;
  /** Time on a core that all its processes have used so far, milliseconds. */
  cpu(): number;
  stop(): Promise<void>;
};

/** Resident memory of a process, from the kernel. */
function rssOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Starts the embedded server as its users do: built, with the command line. */
export async function startEmbedded(): Promise<BenchServer> {
  const directory = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const began = performance.now();
  const child = spawn(process.execPath, [CLI, 'apiserver', '--port', '0', '--kubeconfig-out', 'kubeconfig'], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => (text.includes('ready') ? resolve() : undefined));
    child.once('exit', (code) =>
      reject(new AssertionError({ message: `the embedded server ended with ${code}` })),
    );
  });
  const readyMs = performance.now() - began;
  const { clusters, users } = await loadKubeconfig(join(directory, 'kubeconfig'));
  const [[cluster], [user]] = [[...clusters.values()], [...users.values()]];
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return {
    name: 'embedded',
    url: cluster?.server ?? '',
    caCert: String(cluster?.certificateAuthorityData),
    token: user?.token ?? '',
    readyMs,
    rss: () => rssOf(child.pid ?? 0),
    cpu: () => cpuOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

/** Starts etcd and kube-apiserver. */
export async function startKubeApiServer(assets: string): Promise<BenchServer> {
  const began = performance.now();
  const server = await startRealServer(assets);
  const { url, caCert, token, pids } = server;
  return {
    name: 'etcd + kube-apiserver',
    url,
    caCert,
    token,
    readyMs: performance.now() - began,
    rss: () => pids.reduce((sum, pid) => sum + rssOf(pid), 0),
    cpu: () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0),
    stop: () => server.stop(),
  };
}
