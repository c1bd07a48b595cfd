import type { Report } from '@kubewright/migratable';
import type { MigrationStatus, Plan } from '../../api.ts';
import { STORED_SECONDS } from '../../brokers/broker.ts';
import type { LivePod, ObservedBroker } from '../observed-migration.ts';
import { meaningOf } from '../limit-too-low.ts';
import { startSeconds } from '../start-seconds.ts';
import { strategyFor } from '../../strategy.ts';
import { type Context, type Turn, wait } from '../turn.ts';

/** How long the rate is measured. */
const MEASURED_MS = 3000;
/** What the operator takes for one handover besides the start of a pod and the messages, by its own polls. */
const [HANDOVER_SECONDS, PAUSE_SECONDS] = [3, 1];

/** What else whoever plans wants to know. */
function noteOf({ observed: { migration } }: Context, { limit }: Reached): string {
  return limit === undefined ? '' : `. ${meaningOf(migration.spec.messageQueueConfig.queueName, limit)}`;
}

type Reached = Extract<ObservedBroker, { readonly type: 'reached' }>;
type Sample = NonNullable<MigrationStatus['sample']>;

/** Measures how fast the source applies messages, and predicts what its migration would be like. */
export function plan(context: Context, broker: Reached, source: LivePod): Turn {
  const { primary, reports } = broker;
  const report = reports.get(source.metadata.uid);
  if (report === undefined) return wait('waiting for the consumer to report');
  const { sample } = context.status;
  const { applied, time } = sample ?? {};
  if (sample === undefined || applied === undefined || time === undefined)
    return wait('measuring the rate of messages', { sample: begun(sample, report, context.now) });
  const ms = context.now.getTime() - time;
  if (ms < MEASURED_MS) return wait('measuring the rate of messages');
  const rate = Math.max(0, (report.applied - applied) / (ms / 1000));
  const measured = { rate, backlog: primary?.ready ?? 0 };
  const predicted = predictedBy(measured, source, context);
  return planned(predicted, `${whileSmall(predicted, context)}${noteOf(context, broker)}`);
}

/** Its size is not known before it is written. A small one is moved while the source stands still, whatever has come meanwhile. */
function whileSmall({ strategy, pauseSeconds }: Plan, { observed: { settings } }: Context): string {
  if (strategy === 'Sequential' || pauseSeconds <= PAUSE_SECONDS || settings.copyBytes === 0) return '';
  return ` (${PAUSE_SECONDS} s with a state of at most ${settings.copyBytes} bytes)`;
}

/** What the agents take for a checkpoint, its transfer, and until a restored process has connected again, about. */
const CHECKPOINT_SECONDS = 10;

/** A process that is not of the SDK stands still from before its checkpoint until it was restored. Its rate is unknown. */
export function planOfProcess(context: Context, broker: Reached, source: LivePod): Turn {
  const { observed } = context;
  const { primary } = broker;
  const podStartSeconds = startSeconds(source);
  const restored = podStartSeconds + CHECKPOINT_SECONDS;
  // The name of a StatefulSet's pod is kept for so long.
  const kept = observed.set === undefined ? 0 : STORED_SECONDS;
  const strategy = strategyFor(observed.migration.spec.migrationStrategy, source);
  const handovers = observed.set === undefined || strategy === 'Sequential' ? 1 : 2;
  const predicted: Plan = {
    strategy,
    backend: 'Checkpoint',
    consistency: 'ExactlyOnce',
    backlog: primary?.ready ?? 0,
    podStartSeconds,
    pauseSeconds: restored + kept,
    totalSeconds: handovers * (restored + HANDOVER_SECONDS) + kept,
  };
  return planned(predicted, noteOf(context, broker));
}

function planned(predicted: Plan, note: string): Turn {
  const { totalSeconds, pauseSeconds } = predicted;
  const message = `the migration is possible: about ${totalSeconds} s, with pauses of at most ${pauseSeconds} s${note}`;
  return { type: 'planned', message, status: { plan: predicted } };
}

/** The first report may be old: what was applied counts from the next one, which was requested a moment ago. */
function begun(sample: Sample | undefined, { number, applied }: Report, now: Date): Sample {
  if (sample === undefined) return { number };
  return number > sample.number ? { number, applied, time: now.getTime() } : sample;
}

type Measured = { readonly rate: number; readonly backlog: number };

function predictedBy(measured: Measured, source: LivePod, context: Context): Plan {
  const { rate, backlog } = measured;
  const podStartSeconds = startSeconds(source);
  const strategy = strategyFor(context.observed.migration.spec.migrationStrategy, source);
  return {
    strategy,
    backend: 'Snapshot',
    consistency: 'ExactlyOnce',
    backlog,
    messagesPerSecond: Math.round(rate),
    podStartSeconds,
    ...(strategy === 'Sequential'
      ? whileItEnds(podStartSeconds)
      : besideIt(measured, podStartSeconds, context)),
  };
}

type Times = Pick<Plan, 'pauseSeconds' | 'totalSeconds'>;

/** Nobody consumes from before the source ends until its successor has the state. */
function whileItEnds(podStartSeconds: number): Times {
  const pauseSeconds = podStartSeconds + HANDOVER_SECONDS;
  return { pauseSeconds, totalSeconds: STORED_SECONDS + pauseSeconds };
}

function besideIt({ rate, backlog }: Measured, podStartSeconds: number, { observed }: Context): Times {
  const handovers = observed.set === undefined ? 1 : 2;
  // The source stops behind its backlog; who waits at the cut applies what is left, at the rate of the source or faster.
  const drained = rate > 0 ? backlog / rate : 0;
  const rest = rate > 0 ? Math.min(backlog, observed.settings.cutLag) / rate : 0;
  return {
    pauseSeconds: Math.ceil(PAUSE_SECONDS + rest),
    totalSeconds: Math.ceil(drained + handovers * (podStartSeconds + HANDOVER_SECONDS)),
  };
}
