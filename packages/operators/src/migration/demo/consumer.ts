// The consumer that the demo moves, written like an application: its state is only in memory. It runs as a worker
// thread; importing it otherwise runs nothing.
// worker; for whoever imports it otherwise nothing runs.
import { isMainThread } from 'node:worker_threads';
import { Migratable } from '@kubewright/migratable';
import { connectAmqp } from '@kubewright/migratable/amqp';

/** The state, made from numbered messages; also the last line of its log. */
export type Totals = {
  readonly applied: number;
  readonly last: number;
  readonly missing: number;
  readonly double: number;
};

async function consume(): Promise<void> {
  const { BROKER_URL: url = '', QUEUE: queue = '', POD_UID: pod = '' } = process.env;
  let totals: Totals = { applied: 0, last: 0, missing: 0, double: 0 };
  const print = (): void => void process.stdout.write(`${lineOf(totals)}\n`);
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const messages = connectAmqp({ url });
  const app = new Migratable({
    queue,
    messages,
    pod,
    apply: ({ body }) => {
      const { seq } = (body ?? {}) as { readonly seq?: unknown };
      // Anybody may publish here.
      if (typeof seq !== 'number') return;
      totals = withMessage(totals, seq);
      print();
    },
    snapshot: () => totals,
    restore: (state) => void (totals = state as Totals),
    onReport: print,
  });
  await app.start(stop.signal);
  await messages.close();
}

/** A fixed order of keys: a restored state may have another one. */
function lineOf({ applied, last, missing, double }: Totals): string {
  return JSON.stringify({ applied, last, missing, double });
}

/** The totals after another message. */
export function withMessage({ applied, last, missing, double }: Totals, seq: number): Totals {
  const isLater = seq > last;
  return {
    applied: applied + 1,
    last: Math.max(last, seq),
    missing: missing + (isLater ? seq - last - 1 : 0),
    double: double + (isLater ? 0 : 1),
  };
}

if (!isMainThread) await consume();
