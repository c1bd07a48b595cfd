import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/** Runs the command line of a process and sets its exit code. Returns when the command has ended and cleaned up. */
export async function main(
  proc: NodeJS.Process,
  args: readonly string[] = proc.argv.slice(2),
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  proc.on('SIGTERM', onSignal);
  proc.on('SIGINT', onSignal);
  // A reader that went away (`| head`) is no error.
  proc.stdout.on('error', ignoreClosedPipe);
  const terminal: Terminal = {
    out: (text) => void proc.stdout.write(text),
    err: (text) => void proc.stderr.write(text),
    colour: proc.stdout.isTTY && (proc.env['NO_COLOR'] ?? '') === '',
    env: proc.env,
    cwd: proc.cwd(),
    signal: stop.signal,
  };
  try {
    proc.exitCode = await runCommand(args, terminal);
  } finally {
    proc.off('SIGTERM', onSignal);
    proc.off('SIGINT', onSignal);
  }
}

/** Runs one command line; the answer is the exit code. An error becomes one line on stderr and code 1. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (isCommanderExit(error)) return error.exitCode;
    terminal.err(`kubewright: ${oneLine(error)}\n`);
    return 1;
  }
}

type CommanderExit = { readonly code: string; readonly exitCode: number };

/** Commander has printed what there was to print. */
function isCommanderExit(error: unknown): error is CommanderExit {
  return (
    error instanceof Error &&
    'exitCode' in error &&
    'code' in error &&
    String(error.code).startsWith('commander.')
  );
}

function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
