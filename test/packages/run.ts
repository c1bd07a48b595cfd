import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { userEnvironment } from '../../tools/nodejs/releases.mjs';

/** Runs a program to its end and gives what it printed. Rejects with all of its output when it fails. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const shell = process.platform === 'win32';
  const env = { ...userEnvironment(), ...more };
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd, env, shell });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    const message = `${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`;
    throw new AggregateError([error], message, { cause: error });
  }
}

/** npm, without what it does for people and not for programs. */
export const npm = (
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> =>
  run('npm', [...args, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], cwd, env);
