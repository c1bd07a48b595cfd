import { onAbort, systemClock } from '@kubewright/client';
import { OperatorError } from '@kubewright/operators';
import { KubewrightError } from '../kubewright-error.ts';

/** For what is under way when the signal comes: a write that ends so is certain. */
const GRACE_MS = 2000;
const EXIT_CODE = 130;

/**
 * Runs a command that does its work and ends. A signal interrupts it: it may end by itself for a moment, in which `end` has
 * not been called yet, and then is left alone. Rejects with `Interrupted` and what it leaves behind when it did not do
 * all of its work.
 */
export async function untilInterrupted(
  signal: AbortSignal,
  { run, end, leaves }: { run: () => Promise<void>; end: () => void; leaves: string | undefined },
): Promise<void> {
  let cancel = (): void => undefined;
  let forget = (): void => undefined;
  const isOver = new Promise<never>((_resolve, reject) => {
    const giveUp = (): void => {
      end();
      reject(interrupted(leaves));
    };
    const begin = (): void => {
      cancel = systemClock.after(GRACE_MS, giveUp);
    };
    forget = onAbort(signal, begin);
  });
  try {
    await Promise.race([run(), isOver]);
  } catch (error) {
    throw signal.aborted ? interrupted(leaves, error) : error;
  } finally {
    cancel();
    forget();
  }
}

function interrupted(leaves = 'nothing was changed', cause?: unknown): KubewrightError {
  const isSaid = cause instanceof OperatorError && cause.code === 'Interrupted';
  const message = isSaid ? cause.message : `interrupted; ${leaves}`;
  return new KubewrightError('Interrupted', message, { cause, exitCode: EXIT_CODE });
}
