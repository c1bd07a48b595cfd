import { constants } from 'node:os';
import { type Clock, systemClock } from '@kubewright/kube';

/** How long a command may take to end after the first signal; then the process ends, whatever is open. */
const PATIENCE_MS = 5000;
/** npm passes on the SIGINT that the terminal sends to both of them: within this time, it is the same one. */
const SAME_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** What is used of `process`. */
export type SignalledProcess = Pick<NodeJS.Process, 'stdin' | 'stderr'> & {
  on(name: (typeof SIGNALS)[number], listener: () => void): unknown;
  exit(code: number): void;
  getActiveResourcesInfo(): string[];
};

export type Ending = {
  /** Aborted by the first signal, or by {@link stop}. */
  readonly signal: AbortSignal;
  /** As the first signal does. After that it changes nothing: a parent that dies of a signal is no second signal. */
  readonly stop: () => void;
  /** The command works on for so long after the signal, on purpose. */
  readonly worksOn: (ms: number) => void;
};

/**
 * Ends a process by signals. The first aborts `signal`, by which the command ends itself. A second one ends the process
 * at once, and so does the time: a library's socket or thread that nobody closes must neither hold a terminal, nor have
 * a kubelet kill the pod, which reports nothing.
 */
export function endBySignals(proc: SignalledProcess, clock: Clock = systemClock): Ending {
  const controller = new AbortController();
  let first = Number.POSITIVE_INFINITY;
  let patience = PATIENCE_MS;
  const giveUp = (code: number): void => {
    const open = countsOf(proc.getActiveResourcesInfo());
    proc.stderr.write(`kubewright: ended after ${patience} ms with these still open: ${open}\n`);
    proc.exit(code);
  };
  const stop = (code: number): void => {
    if (controller.signal.aborted) {
      if (clock.monotonic() - first > SAME_MS) proc.exit(code);
      return;
    }
    first = clock.monotonic();
    controller.abort();
    // Who reads it waits for the end of the input, which may never come.
    proc.stdin.destroy();
    clock.after(patience, () => giveUp(code), { background: true });
  };
  // They stay when the command has ended: what it has left open is ended by them, too.
  for (const name of SIGNALS) proc.on(name, () => stop(128 + constants.signals[name]));
  return {
    signal: controller.signal,
    stop: () => {
      if (!controller.signal.aborted) stop(128 + constants.signals.SIGTERM);
    },
    worksOn: (ms) => {
      patience = PATIENCE_MS + ms;
    },
  };
}

/** As `2 × TCPSocketWrap, Timeout`. */
function countsOf(resources: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of resources) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (
    [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`)).join(', ') || 'nothing'
  );
}
