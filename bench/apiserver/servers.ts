import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startRealServer } from '../../test/servers/real.ts';

/** A server in processes of its own, as long as the benchmark needs it. */
export type BenchServer = {
  readonly name: string;
  readonly url: string;
  readonly caCert: string;
  readonly token: string;
  /** From the start of its first process until the API answered as ready, milliseconds. */
  readonly readyMs: number;
  /** Resident memory of all its processes now, bytes. */
  rss(): number;
  stop(): Promise<void>;
};

type Announcement = { readonly url: string; readonly caCert: string; readonly token: string };

/** Resident memory of a process, from the kernel. */
function rssOf(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Starts the built embedded server, as a user would run it: compiled, no loader. */
export async function startEmbedded(): Promise<BenchServer> {
  const began = performance.now();
  const script = fileURLToPath(new URL('embedded-process.mjs', import.meta.url));
  const child = fork(script, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const announced = await new Promise<Announcement>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Announcement));
    child.once('exit', (code) => reject(new Error(`the embedded server ended with ${code}`)));
  });
  const readyMs = performance.now() - began;
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  return {
    name: 'embedded',
    ...announced,
    readyMs,
    rss: () => rssOf(child.pid ?? 0),
    async stop() {
      child.kill('SIGTERM');
      await ended;
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
    stop: () => server.stop(),
  };
}
