import { createHash } from 'node:crypto';
import { type Clock, sleep } from '@kubewright/client';
import { errorText, onAbort } from '@kubewright/kube';
import type { Logger, Runnable } from '@kubewright/runtime';
import { OperatorError } from '../../operator-error.ts';
import type { Backend } from './report-settings-of.ts';
import type { DriftReport } from './drift-report.ts';
import { postReport } from './post-report.ts';
import type { ReportStore, Waiting } from './report-store.ts';
import { slackMessage } from './slack-message.ts';

/** The reports that one backend has yet to acknowledge, in order. Each is sent at least once, unless it is dropped. */
export type Outbox = Runnable & { add(report: DriftReport): void };

/** What became of a report. */
export type Outcome = 'acknowledged' | 'failed' | 'dropped';

type OutboxTools = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: ReportStore;
  /** Called for each attempted round and each dropped report. */
  readonly count: (outcome: Outcome) => void;
};

const MOST_WAITING = 1000;
/** So often a backend may reject a report, or not acknowledge it, until it is dropped. One that is down loses none. */
const MOST_ROUNDS = 20;
const PAUSE_MS = 15_000;

export function createOutbox(backend: Backend, tools: OutboxTools): Outbox {
  const { clock, store, count, log } = tools;
  // The URL may hold a secret.
  const key = createHash('sha256').update(backend.url.href).digest('hex').slice(0, 16);
  const waiting: Waiting[] = [...store.waiting(key)];
  const nextName = namesAfter(waiting.at(-1)?.name, clock);
  let wake: () => void = () => undefined;
  const done = (one: Waiting): void => {
    store.remove(key, one);
    const index = waiting.indexOf(one);
    if (index !== -1) waiting.splice(index, 1);
  };
  const drop = (one: Waiting, reason: string): void => {
    done(one);
    count('dropped');
    log.error('a drift report is dropped', { id: one.report.spec.id, reason });
  };
  return {
    needLeaderElection: false,
    add(report) {
      const one = { name: nextName(), report };
      waiting.push(one);
      store.put(key, one);
      const [oldest] = waiting;
      if (waiting.length > MOST_WAITING && oldest !== undefined) drop(oldest, 'too many are waiting');
      wake();
    },
    async start(signal) {
      while (!signal.aborted) {
        const [first] = waiting;
        if (first === undefined) await woken(signal, (resolve) => (wake = resolve));
        else await settle(backend, first, { done, drop, ...tools, signal });
      }
    },
  };
}

type SettleTools = Omit<OutboxTools, 'store'> & {
  readonly done: (one: Waiting) => void;
  readonly drop: (one: Waiting, reason: string) => void;
  readonly signal: AbortSignal;
};

/** Sends a report round after round: those that follow it wait. Resolves when it is acknowledged, or dropped. */
async function settle(backend: Backend, one: Waiting, tools: SettleTools): Promise<void> {
  const { clock, log, count, signal, done, drop } = tools;
  let rejections = 0;
  while (!signal.aborted) {
    const failure = await deliver(backend, one, { clock, signal });
    if (failure === undefined) {
      done(one);
      return count('acknowledged');
    }
    if (signal.aborted) return;
    const reason = errorText(failure);
    count('failed');
    log.error('a drift report is not acknowledged', { id: one.report.spec.id, reason });
    rejections = isRejection(failure) ? rejections + 1 : 0;
    if (rejections >= MOST_ROUNDS) return drop(one, reason);
    await sleep(clock, PAUSE_MS, signal);
  }
}

/** Names that sort by age, also after those of the process before. */
function namesAfter(last: string | undefined, clock: Clock): () => string {
  let before = Number.parseInt(last ?? '0', 10);
  return () => {
    before = Math.max(clock.now(), before + 1);
    return `${String(before).padStart(15, '0')}.json`;
  };
}

/** A report that is rejected now will be rejected again; all other failures are the backend's, or the network's. */
function isRejection(failure: unknown): boolean {
  return failure instanceof OperatorError && !failure.retryable;
}

/** Resolves when it is woken, or the signal is aborted. */
function woken(signal: AbortSignal, take: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const ignore = onAbort(signal, resolve);
    take(() => {
      ignore();
      resolve();
    });
    if (signal.aborted) resolve();
  });
}

/** One round of attempts; the last error, or undefined when the backend has acknowledged. */
async function deliver(
  backend: Backend,
  { name, report }: Waiting,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<unknown> {
  // The same for each attempt, so that a receiver can drop what it has.
  const id = `${report.spec.id}-${name.replace('.json', '')}`;
  const body = JSON.stringify(backend.format === 'slack' ? slackMessage(report) : report);
  let failure: unknown = new OperatorError('Unavailable', 'not attempted');
  for (let attempt = 0; attempt <= backend.retryCount && !signal.aborted; attempt++) {
    if (attempt > 0) await sleep(clock, backend.retryIntervalMs, signal);
    try {
      await postReport(backend, { id, at: new Date(clock.now()), body }, signal);
      return undefined;
    } catch (error) {
      failure = error;
    }
  }
  return failure;
}
