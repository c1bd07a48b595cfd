import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

/** Runs a program of the node with this input; resolves with what it prints. Rejects with `OperatorError` and its last lines. */
export type NodeCommands = (
  command: string,
  args: readonly string[],
  input?: AsyncIterable<Uint8Array>,
) => Promise<string>;

const MOST_CHARACTERS = 500;

/** `prefix` enters the node from a container, as `nsenter --target 1 --mount --`; empty where the agent runs on the node itself. */
export function nodeCommands(prefix: readonly string[]): NodeCommands {
  return async (command, args, input) => {
    const [program = command, ...rest] = [...prefix, command, ...args];
    const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'pipe'] });
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const fed = pipeline(input ?? Readable.from([]), child.stdin);
    // A program that ends early says why.
    const [code, output, errors, feeding] = await Promise.all([
      ended.catch((error: unknown) => errorText(error)),
      text(child.stdout),
      text(child.stderr),
      fed.then(
        () => undefined,
        (error: unknown) => {
          child.kill('SIGKILL');
          return error;
        },
      ),
    ]);
    if (code === 0 && feeding === undefined) return output;
    throw failure(command, code, `${errors}${output}`, feeding);
  };
}

function failure(command: string, code: number | string | null, output: string, feeding: unknown): unknown {
  // The input itself ended with an error, which is not about this program.
  if (feeding instanceof OperatorError) return feeding;
  const said = output.trim().slice(-MOST_CHARACTERS);
  const message = `${command}: ${said === '' ? (typeof code === 'string' ? code : `exit code ${code}`) : said}`;
  const isFull = /no space left on device/i.test(said);
  return isFull
    ? new OperatorError('Failed', message, { reason: 'NoSpace' })
    : new OperatorError('Unavailable', message, { cause: feeding });
}
