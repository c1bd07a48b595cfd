import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Messages } from '@kubewright/migratable';
import { onTestFinished } from 'vitest';
import { PYTHON } from '../servers/python.ts';
import { CommandedProcess, unique } from '../../packages/migratable/src/testing/commanded-process.ts';

const FOLDER = fileURLToPath(new URL('../../examples/python', import.meta.url));

/** Of a Python that imports the sample, and leaves the repository as it is. */
export const SAMPLE_ENV = { PYTHONPATH: FOLDER, PYTHONDONTWRITEBYTECODE: '1' } as const;

type PythonOptions = {
  readonly url: string;
  readonly queue: string;
  /** Default: a new one. */
  readonly pod?: string;
  readonly startPaused?: boolean;
};

/** The sample of examples/python, in a process of its own until the test is finished. */
export class PythonProcess extends CommandedProcess {
  /** The numbers of the messages that it has restored and applied, in their order. */
  readonly applied: number[] = [];
  /** What it has written to its standard error. */
  errors = '';
  /** The exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;

  constructor(messages: Messages, { url, queue, pod = unique('python'), startPaused }: PythonOptions) {
    super(messages, pod);
    const mode = startPaused === true ? { MS2M_RESTORE_MODE: 'true' } : {};
    const env = { BROKER_URL: url, QUEUE: queue, POD_UID: pod, ...SAMPLE_ENV, ...mode };
    const child = spawn(PYTHON, [join(FOLDER, 'consumer.py')], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.applied.push((JSON.parse(line) as { readonly seq: number }).seq);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (this.errors += text));
    this.ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null);
    onTestFinished(() => this.#kill('SIGKILL').then(() => undefined));
  }

  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null> {
    return this.#kill('SIGTERM');
  }

  #kill(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.ended;
  }
}
