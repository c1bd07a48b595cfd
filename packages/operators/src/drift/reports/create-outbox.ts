import { type Clock, sleep } from '@kubewright/client';
import { errorText, onAbort } from '@kubewright/kube';
import type { Logger, Runnable } from '@kubewright/runtime';
import type { Backend } from './backends-of.ts';
import type { DriftReport } from './drift-report.ts';
import { postReport } from './post-report.ts';

/** The reports that one backend has yet to acknowledge. Each is sent at least once while the process lives. */
export type Outbox = Runnable & { add(report: DriftReport): void };

type Waiting = { readonly report: DriftReport; rounds: number };

/** The same drift is not reported again for this time: its controller tries again and again. */
const QUIET_MS = 600_000;
const MOST_WAITING = 1000;
/** After all attempts of a round the next report has its turn; a report that fails so often is dropped. */
const MOST_ROUNDS = 20;
const PAUSE_MS = 15_000;

export function createOutbox(
  backend: Backend,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Outbox {
  const waiting: Waiting[] = [];
  const isNews = newsFilter(clock);
  let wake: () => void = () => undefined;
  const drop = (why: string, { report }: Waiting): void =>
    log.error('a drift report is dropped', { id: report.spec.id, reason: why });
  return {
    needLeaderElection: false,
    add(report) {
      if (!isNews(report)) return;
      waiting.push({ report, rounds: 0 });
      if (waiting.length > MOST_WAITING)
        drop('too many are waiting', waiting.shift() ?? { report, rounds: 0 });
      wake();
    },
    async start(signal) {
      while (!signal.aborted) {
        if (waiting.length === 0) await woken(signal, (resolve) => (wake = resolve));
        const first = waiting.shift();
        if (first === undefined) continue;
        const failure = await deliver(backend, first.report, { clock, signal });
        if (failure === undefined || signal.aborted) continue;
        log.error('a drift report is not acknowledged', { id: first.report.spec.id, reason: failure });
        first.rounds++;
        if (first.rounds >= MOST_ROUNDS) drop(failure, first);
        else waiting.push(first);
        await sleep(clock, PAUSE_MS, signal);
      }
    },
  };
}

/** Whether a report is not a repetition. A drift that was resolved may be detected again at once. */
function newsFilter(clock: Clock): (report: DriftReport) => boolean {
  const reported = new Map<string, number>();
  return ({ spec: { id, phase } }) => {
    const now = clock.monotonic();
    for (const [old, since] of reported) if (now - since >= QUIET_MS) reported.delete(old);
    const isRepeated = phase === 'Detected' && reported.has(id);
    if (phase === 'Resolved') reported.delete(id);
    else if (!isRepeated) reported.set(id, now);
    return !isRepeated;
  };
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
  report: DriftReport,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const body = JSON.stringify(report);
  let failure: string | undefined;
  for (let attempt = 0; attempt <= backend.retryCount && !signal.aborted; attempt++) {
    if (attempt > 0) await sleep(clock, backend.retryIntervalMs, signal);
    try {
      await postReport(backend, body, signal);
      return undefined;
    } catch (error) {
      failure = errorText(error);
    }
  }
  return failure;
}
