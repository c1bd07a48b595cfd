import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SuitePackage } from '../../tools/assets/find-suites.mjs';
import { type Outcome, readReport } from './read-report.ts';
import { watchMemory } from './watch-memory.ts';

/** One run of a package's specs. */
export type PackageRun = Outcome & {
  readonly seconds: number;
  /** The most memory of the control plane, in megabytes. */
  readonly megabytes: number;
};

export type RunOptions = {
  /** The folder with etcd and kube-apiserver. */
  readonly assets: string;
  /** Where output and report are written: PATH.log, PATH.json. */
  readonly output: string;
  readonly focus: string | undefined;
};

const TIMEOUT = '15m';
/** Many specs expect their own controllers to be there first, which on a busy machine they are not, on either control plane. */
const ATTEMPTS = 3;

/** Runs the test binary of a package as `go test` would, on what `assets` has. */
export async function runPackage(
  { binary, folder }: SuitePackage,
  { assets, output, focus }: RunOptions,
): Promise<PackageRun> {
  const report = `${output}.json`;
  rmSync(report, { force: true });
  const args = [
    '--ginkgo.no-color',
    '--ginkgo.seed=1',
    `--ginkgo.timeout=${TIMEOUT}`,
    `--ginkgo.flake-attempts=${ATTEMPTS}`,
    `--ginkgo.json-report=${report}`,
    ...(focus === undefined ? [] : [`--ginkgo.focus=${focus}`]),
  ];
  const temporary = mkdtempSync(join(tmpdir(), 'kubewright-suites-'));
  const log = openSync(`${output}.log`, 'w');
  const began = performance.now();
  try {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, TMPDIR: temporary, KUBEBUILDER_ASSETS: assets };
    const megabytes = await run(binary, args, { cwd: folder, env, log });
    return { ...readReport(report), seconds: (performance.now() - began) / 1000, megabytes };
  } finally {
    closeSync(log);
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Resolves with the most memory of what it starts, however it ends: the report says what passed. */
async function run(
  binary: string,
  args: readonly string[],
  { cwd, env, log }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly log: number },
): Promise<number> {
  const child = spawn(binary, args, { cwd, env, stdio: ['ignore', log, log] });
  const end = (): void => void child.kill('SIGTERM');
  process.once('exit', end);
  const memory = watchMemory(child.pid ?? -1);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject).once('exit', () => resolve());
  }).finally(() => process.off('exit', end));
  return memory();
}
