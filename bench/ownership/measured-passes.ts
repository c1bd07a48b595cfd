import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';

const PROCESS = fileURLToPath(new URL('pass-process.mjs', import.meta.url));
/** Nothing is left to do when nothing has happened for so long. */
const QUIET_MS = 100;

type Seen = {
  readonly count: number;
  readonly ms: number;
  readonly requests: number;
  readonly cpu: number;
  readonly idle: boolean;
};

/** What the reconciles after one change cost. */
export type Cost = Pick<Seen, 'count' | 'ms' | 'requests' | 'cpu'>;

/** An operator in a process of its own. */
export type MeasuredOperator = {
  /** What follows a change, until nothing is left to do. */
  readonly cost: (change: () => Promise<unknown>) => Promise<Cost>;
  /** Waits until nothing is left to do. */
  readonly rest: () => Promise<void>;
  readonly memory: () => Promise<{ readonly rss: number; readonly heapUsed: number }>;
};

/** Runs the operator of a checkout, which has to be built. */
export async function withOperator<T>(
  checkout: string,
  kubeconfig: string,
  measure: (operator: MeasuredOperator) => Promise<T>,
): Promise<T> {
  const side = startSide(process.execPath, ['--expose-gc', PROCESS, checkout, kubeconfig]);
  try {
    return await measure(operatorOf(side));
  } finally {
    await side.stop();
  }
}

function operatorOf(side: SideProcess): MeasuredOperator {
  const seen = (): Promise<Seen> => side.ask('seen');
  const settled = async (isDone: (now: Seen) => boolean): Promise<Seen> => {
    for (let now = await seen(); ; now = await seen()) {
      await sleep(QUIET_MS);
      const later = await seen();
      if (later.idle && isDone(later) && later.count === now.count && later.requests === now.requests)
        return later;
    }
  };
  return {
    memory: () => side.ask('memory'),
    async rest() {
      await settled(() => true);
    },
    async cost(change) {
      const before = await seen();
      await change();
      const after = await settled(({ count }) => count > before.count);
      const grown = (name: keyof Cost): number => after[name] - before[name];
      return { count: grown('count'), ms: grown('ms'), requests: grown('requests'), cpu: grown('cpu') };
    },
  };
}
