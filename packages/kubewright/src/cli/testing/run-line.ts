import { runCommand } from '../main.ts';

/** What a command line has printed, and its exit code. */
export type Ran = { readonly code: number; readonly out: string; readonly err: string };

/** Runs one command line, with no terminal, and no environment but `env`. `line` is split at blanks. */
export async function runLine(
  line: string | readonly string[],
  cwd = '/',
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Ran> {
  let out = '';
  let err = '';
  const code = await runCommand(typeof line === 'string' ? line.split(' ') : line, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    colour: false,
    env,
    cwd,
    signal,
  });
  return { code, out, err };
}
