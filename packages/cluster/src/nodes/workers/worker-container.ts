import { deserialize, serialize } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '@kubewright/client';
import { parseQuantity, quantityAsNumber } from '@kubewright/kube/quantity';
import { ClusterError } from '../../cluster-error.ts';
import type { CheckpointContent, ContainerStart, ContainerState } from '../runtime/container-runtime.ts';
import { LISTEN_OPTIONS } from './listen-options.ts';
import { LogBuffer } from './log-buffer.ts';
import { hasHttpProbe, probeReadiness } from './readiness-probe.ts';
import { SIGNAL_OPTIONS } from './signal-options.ts';
import { fromWorker, type FromWorker, type ToWorker, type WorkerStart } from './worker-messages.ts';

/** What a container is made of. */
export type WorkerOrder = {
  readonly start: ContainerStart;
  readonly script: URL;
  /** Options of Node for the thread. */
  readonly execArgv: readonly string[];
  readonly baseImage: string;
  readonly env: ReadonlyMap<string, string>;
  readonly args: readonly string[];
  /** Of a checkpoint, serialized by V8. */
  readonly restored?: Uint8Array;
  /** Removes what was made for it, when it has ended. */
  readonly dispose?: () => Promise<void>;
};

const KILLED = 137;
const TERMINATED = 143;
const MIB = 1024 * 1024;
/** Less than this and not even an empty script starts. */
const LEAST_MIB = 16;

type Exited = Extract<ContainerState, { type: 'exited' }>;
type Waiting = { readonly done: (state: unknown) => void; readonly fail: (error: Error) => void };

/** One attempt to run a container, in a thread of its own. */
export class WorkerContainer {
  readonly order: WorkerOrder;
  readonly log: LogBuffer;
  readonly #clock: Clock;
  readonly #changed: () => void;
  readonly #worker: Worker;
  readonly #startedAt: number;
  readonly #handles = new Set<string>();
  readonly #checkpoints = new Map<number, Waiting>();
  /** Where its ports are on the loopback. */
  readonly #ports = new Map<number, number>();
  readonly #endProbe: () => void;
  #ready = true;
  #probed: boolean;
  #exited: Exited | undefined;
  /** How it ended, as far as that is known before the thread is gone. */
  #end: Pick<Exited, 'exitCode' | 'reason'> | undefined;
  #killAt = Number.POSITIVE_INFINITY;
  #cancelKill: () => void = () => undefined;

  /** Throws where the thread cannot be started. */
  constructor(order: WorkerOrder, changed: () => void, clock: Clock = systemClock) {
    this.order = order;
    this.log = new LogBuffer(() => clock.now());
    this.#clock = clock;
    this.#changed = changed;
    this.#startedAt = clock.now();
    this.#worker = new Worker(order.script, {
      name: order.start.container.name,
      env: Object.fromEntries(order.env),
      argv: [...order.args],
      execArgv: [...order.execArgv, ...SIGNAL_OPTIONS, ...LISTEN_OPTIONS],
      stdout: true,
      stderr: true,
      workerData: startData(order),
      resourceLimits: limitsOf(order.start),
    });
    // Who forgets to close its runtime ends all the same.
    this.#worker.unref();
    this.#listen();
    const { container } = order.start;
    this.#probed = !hasHttpProbe(container);
    const at = (port: number): number | undefined => this.#ports.get(port);
    this.#endProbe = probeReadiness(container, { clock, at, report: (ready) => this.#report(ready) });
  }

  get state(): ContainerState {
    if (this.#exited !== undefined) return this.#exited;
    const ready = this.#ready && this.#probed;
    return { type: 'running', startedAt: this.#startedAt, started: true, ready };
  }

  /** Where on the loopback a port of this container is; undefined where nothing listens. */
  at(port: number): number | undefined {
    return this.#ports.get(port);
  }

  stop(graceMs: number): void {
    if (this.#exited !== undefined) return;
    const killAt = this.#clock.now() + graceMs;
    if (killAt >= this.#killAt) return;
    const first = this.#killAt === Number.POSITIVE_INFINITY;
    this.#killAt = killAt;
    this.#cancelKill();
    if (graceMs <= 0) return this.#kill(KILLED);
    if (first && !this.#handles.has('terminate')) return this.#kill(TERMINATED);
    if (first) this.#post({ type: 'terminate', graceMs });
    this.#cancelKill = this.#clock.after(graceMs, () => this.#kill(KILLED), { background: true });
  }

  async checkpoint(timeoutMs: number): Promise<CheckpointContent> {
    if (this.#exited !== undefined) throw new ClusterError('InvalidState', 'the container does not run');
    if (!this.#handles.has('checkpoint'))
      throw new ClusterError('NotSupported', 'the container says nothing of its state');
    const id = this.#checkpoints.size === 0 ? 1 : Math.max(...this.#checkpoints.keys()) + 1;
    const cancel = this.#clock.after(timeoutMs, () =>
      this.#settle(id, new ClusterError('TimedOut', 'context deadline exceeded')),
    );
    try {
      const state = await new Promise<unknown>((done, fail) => {
        this.#checkpoints.set(id, { done, fail });
        this.#post({ type: 'checkpoint', id });
      });
      const env = [...this.order.env].map(([name, value]) => `${name}=${value}`);
      return { baseImage: this.order.baseImage, env, args: this.order.args, state: serialize(state) };
    } finally {
      cancel();
    }
  }

  /** Ends it without further words. Resolves when the thread is gone. */
  async close(): Promise<void> {
    this.#kill(KILLED);
    await this.#worker.terminate();
    await this.order.dispose?.();
  }

  #report(ready: boolean): void {
    if (this.#probed === ready || this.#exited !== undefined) return;
    this.#probed = ready;
    this.#changed();
  }

  #listen(): void {
    const worker = this.#worker;
    worker.on('message', (message) => this.#hear(fromWorker(message)));
    worker.on('error', (error: Error & { readonly code?: string }) => {
      this.log.write('stderr', `${error.stack ?? error.message}\n`);
      this.#end ??=
        error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? { exitCode: KILLED, reason: 'OOMKilled' }
          : { exitCode: 1 };
    });
    worker.on('messageerror', () => this.log.write('stderr', 'a message could not be read\n'));
    const streams = (['stdout', 'stderr'] as const).map((stream) => {
      worker[stream].setEncoding('utf8').on('data', (text: string) => this.log.write(stream, text));
      return new Promise<void>((resolve) => {
        worker[stream].once('close', resolve);
      });
    });
    // What it printed last comes before the news that it ended.
    worker.on('exit', (code) => void Promise.all(streams).then(() => this.#ended(code)));
  }

  #hear(message: FromWorker | undefined): void {
    if (message === undefined || this.#exited !== undefined) return;
    if (message.type === 'handles') this.#handles.add(message.what);
    else if (message.type === 'ready') {
      if (this.#ready === message.ready) return;
      this.#ready = message.ready;
      this.#changed();
    } else if (message.type === 'listening') this.#ports.set(message.port, message.at);
    else if (message.type === 'closed') this.#ports.delete(message.port);
    else if (message.type === 'failed')
      this.#settle(message.id, new ClusterError('Incomplete', message.message));
    else this.#settle(message.id, message);
  }

  #settle(id: number, outcome: Error | { readonly state: unknown }): void {
    const waiting = this.#checkpoints.get(id);
    this.#checkpoints.delete(id);
    if (outcome instanceof Error) waiting?.fail(outcome);
    else waiting?.done(outcome.state);
  }

  #post(message: ToWorker): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(message);
  }

  #kill(exitCode: number): void {
    this.#end ??= { exitCode };
    this.#worker.terminate().catch(() => undefined);
  }

  #ended(code: number): void {
    this.#cancelKill();
    this.#endProbe();
    this.#ports.clear();
    this.order.dispose?.().catch(() => undefined);
    this.log.end();
    const end = this.#end ?? { exitCode: code };
    this.#exited = { type: 'exited', startedAt: this.#startedAt, finishedAt: this.#clock.now(), ...end };
    for (const id of this.#checkpoints.keys())
      this.#settle(id, new ClusterError('InvalidState', 'the container ended'));
    this.#changed();
  }
}

function startData({ start, restored }: WorkerOrder): WorkerStart {
  const { namespace, name, uid } = start.pod.metadata;
  return {
    pod: { namespace, name, uid, ip: start.ip, node: start.node },
    container: start.container.name,
    ...(restored === undefined ? {} : { restored: deserialize(restored) as unknown }),
  };
}

function limitsOf({ container }: ContainerStart): { readonly maxOldGenerationSizeMb?: number } {
  const { memory } = container.resources?.limits ?? {};
  if (memory === undefined) return {};
  const bytes = quantityAsNumber(parseQuantity(memory));
  return { maxOldGenerationSizeMb: Math.max(LEAST_MIB, Math.floor(bytes / MIB)) };
}
