import { errorText } from '@kubewright/kube';
import { printable } from '@kubewright/operators/list';
import { KubewrightError } from '../kubewright-error.ts';
import { binaryNameOf } from '../envtest/binary-names.ts';
import { createProgram } from './create-program.ts';
import { type Ending, endBySignals } from './end-by-signals.ts';
import type { Terminal } from '../terminal.ts';

/** Runs the command line of a process and sets its exit code. Returns when the command has ended and cleaned up. */
export async function main(
  proc: NodeJS.Process,
  args: readonly string[] = proc.argv.slice(2),
): Promise<void> {
  const ending = endBySignals(proc);
  const isUnderNpm = proc.env['npm_lifecycle_event'] !== undefined;
  const forgetParent = isUnderNpm
    ? (await import('./watch-parent.ts')).watchParent(() => proc.ppid, ending.stop)
    : () => {};
  try {
    proc.exitCode = await runCommand(args, terminalOf(proc, ending));
  } finally {
    forgetParent();
  }
}

function terminalOf(proc: NodeJS.Process, { signal, worksOn }: Ending): Terminal {
  // A closed reader (`| head`) is not an error.
  proc.stdout.on('error', ignoreClosedPipe);
  return {
    out: (text) => void proc.stdout.write(text),
    err: (text) => void proc.stderr.write(text),
    ...(proc.stderr.isTTY && { progress: (line) => void proc.stderr.write(`\r\u001b[K${line}`) }),
    ...(proc.stdout.isTTY && { width: proc.stdout.columns }),
    colour: proc.stdout.isTTY && (proc.env['NO_COLOR'] ?? '') === '',
    env: proc.env,
    cwd: proc.cwd(),
    signal,
    worksOn,
  };
}

/** Runs one command line and returns the exit code. An error becomes one line on stderr and code 1, or its own. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const binary = binaryNameOf(args);
    if (args[0] === '__complete') await complete(args.slice(1), terminal);
    // What follows are flags of a Go program.
    else if (binary === undefined) await createProgram(terminal, args[0]).parseAsync(args, { from: 'user' });
    else await (await import('../envtest/run-binary.ts')).runBinary(binary, args.slice(2), terminal);
    return 0;
  } catch (error) {
    if (isCommanderExit(error)) return error.exitCode;
    terminal.err(`kubewright: ${oneLine(error)}\n`);
    return error instanceof KubewrightError ? error.exitCode : 1;
  }
}

async function complete(words: readonly string[], terminal: Terminal): Promise<void> {
  const { completeWords } = await import('./completion/complete-words.ts');
  await completeWords(createProgram(terminal), words, terminal);
}

type CommanderExit = { readonly code: string; readonly exitCode: number };

/** Commander has already printed its message. */
function isCommanderExit(error: unknown): error is CommanderExit {
  return (
    error instanceof Error &&
    'exitCode' in error &&
    'code' in error &&
    String(error.code).startsWith('commander.')
  );
}

function oneLine(error: unknown): string {
  const lines = errorText(error)
    .split('\n')
    .map((line) => line.trim());
  return printable(lines.filter((line) => line !== '').join(' '));
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
