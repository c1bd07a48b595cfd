import { parentPort, workerData } from 'node:worker_threads';
import { ClusterError } from '../../cluster-error.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

/** What a worker that runs as a container knows of itself, and what it may do beside printing and exiting. */
export type ContainerContext<State> = WorkerStart & {
  /** What the container had in mind from which this one was restored. */
  readonly restored?: State;
  /** SIGTERM: end within so many milliseconds (`process.exit`). Without a handler the worker dies of it at once. */
  readonly onTerminate: (handler: (graceMs: number) => void) => void;
  /** What is worth keeping, when a checkpoint is made; the worker goes on afterwards. */
  readonly onCheckpoint: (handler: () => State | Promise<State>) => void;
  /** What a readiness probe would say. */
  readonly setReady: (ready: boolean) => void;
};

/**
 * The other end of `WorkerRuntime`, for the worker's own code.
 *
 * @example
 * const { restored = { count: 0 }, onCheckpoint } = container<{ count: number }>();
 * onCheckpoint(() => restored);
 */
export function container<State>(): ContainerContext<State> {
  if (parentPort === null)
    throw new ClusterError('InvalidState', 'this is no worker that runs as a container');
  const port = parentPort;
  const say = (message: FromWorker): void => port.postMessage(message);
  const listen = <T extends ToWorker['type']>(
    type: T,
    hear: (message: Extract<ToWorker, { type: T }>) => void,
  ): void => {
    const listener = (message: ToWorker): void => {
      if (message.type === type) hear(message as Extract<ToWorker, { type: T }>);
    };
    port.on('message', listener);
    // Waiting for messages keeps nobody alive who has nothing else to do.
    port.unref();
    say({ type: 'handles', what: type });
  };
  return {
    ...(workerData as WorkerStart & { readonly restored?: State }),
    onTerminate: (handler) => listen('terminate', ({ graceMs }) => handler(graceMs)),
    onCheckpoint: (handler) =>
      listen('checkpoint', ({ id }) => {
        (async () => handler())().then(
          (state) => say({ type: 'checkpointed', id, state }),
          (error: unknown) => say({ type: 'failed', id, message: String(error) }),
        );
      }),
    setReady: (ready) => say({ type: 'ready', ready }),
  };
}
