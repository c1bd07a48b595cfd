import { AssertionError } from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const OURS = fileURLToPath(new URL('../../', import.meta.url));
const REPORT_PEAK = new URL('report-peak.mjs', import.meta.url).href;

export type Measured = {
  readonly seconds: number;
  /** The most memory that the process has had, in MB. */
  readonly peak: number;
  readonly stdout: string;
};

function start(checkout: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const cli = join(checkout, 'packages', 'kubewright', 'bin', 'kubewright.mjs');
  if (!existsSync(cli)) throw new AssertionError({ message: `there is no ${cli}; build it` });
  return spawn(process.execPath, ['--import', REPORT_PEAK, cli, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
}

/** Runs one command line of what was built in a checkout, in a process of its own. Rejects when it fails. */
export async function measuredCli(
  checkout: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<Measured> {
  const began = performance.now();
  const child = start(checkout, args, env);
  const ended = codeOf(child);
  const [stdout, kilobytes, code] = await Promise.all([read(child.stdout), read(child.stdio[3]), ended]);
  if (code !== '0') throw new AssertionError({ message: `kubewright ${args.join(' ')} ended with ${code}` });
  return { seconds: (performance.now() - began) / 1000, peak: Number(kilobytes) / 1024, stdout };
}

type MeasuredManager = {
  /** Resolves with the most memory that it has had, in MB. */
  stop(): Promise<number>;
};

/** The manager with the operator `capture`; resolves when it leads and its caches are full. */
export async function startManager(checkout: string, kubeconfig: string): Promise<MeasuredManager> {
  const child = start(checkout, ['manager', '--kubeconfig', kubeconfig, '--operators', 'capture']);
  const kilobytes = read(child.stdio[3]);
  const ended = codeOf(child);
  const ready = new Promise<void>((resolve) => {
    child.stdout?.on('data', (line: Buffer) => (line.includes('ready') ? resolve() : undefined));
  });
  const failed = ended.then((code) => {
    throw new AssertionError({ message: `the manager ended with ${code}` });
  });
  failed.catch(() => undefined);
  await Promise.race([ready, failed]);
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return Number(await kilobytes) / 1024;
    },
  };
}

function codeOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(String(code ?? signal))));
}

function read(stream: unknown): Promise<string> {
  return text(stream as NodeJS.ReadableStream);
}
