import { type Clock, systemClock } from '@kubewright/client';
import { type corev1, errorText, type Stored } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import { unpackCheckpoint } from '../kubelet/pack-checkpoint.ts';
import type {
  CheckpointContent,
  ContainerRuntime,
  ContainerStart,
  ContainerState,
  LogLine,
  LogOptions,
  NetworkAddress,
  NodeImage,
} from '../runtime/container-runtime.ts';
import { imageId } from '../runtime/image-id.ts';
import { type AccountFile, accountFile } from './account-file.ts';
import { processOf } from './container-env.ts';
import { WorkerContainer, type WorkerOrder } from './worker-container.ts';

export type WorkerRuntimeOptions = {
  /** Scripts by image: containers of these images are workers that run them. */
  readonly images: Readonly<Record<string, URL>>;
  /** Options of Node for the threads. Default: none, not even those of this process. `['--import', 'tsx']` runs TypeScript. */
  readonly execArgv?: readonly string[];
  readonly clock?: Clock;
  /** The address of the API for containers with a service account: they get a kubeconfig of it. Default: they get none. */
  readonly server?: () => string | undefined;
  /** Workers that run at once; more cannot be started. Default 64. */
  readonly limit?: number;
};

/** One that could not be started. */
type Failed = { readonly state: ContainerState };
type Attempt = WorkerContainer | Failed;
type Listener = Parameters<ContainerRuntime['onChange']>[0];

const IMAGE_BYTES = 5_000_000;
const CANNOT_START = 128;

/**
 * Containers that are threads of this process: an image is a script. `container()` is their other end. They print, exit,
 * crash, run out of memory, are asked to end, and can be restored from what they said of themselves.
 *
 * @example new WorkerRuntime({ images: { 'registry.example/consumer:v1': new URL('./consumer.js', import.meta.url) } })
 */
export class WorkerRuntime implements ContainerRuntime, AsyncDisposable {
  readonly scheme = 'worker';
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #server: () => string | undefined;
  readonly #execArgv: readonly string[];
  readonly #scripts: ReadonlyMap<string, URL>;
  readonly #restorable = new Map<string, CheckpointContent>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #listeners = new Set<Listener>();
  /** Threads of containers that were removed. */
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: WorkerRuntimeOptions) {
    const { images, clock = systemClock, limit = 64, execArgv = [], server = () => undefined } = options;
    this.#server = server;
    this.#execArgv = execArgv;
    this.#scripts = new Map(Object.entries(images));
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Makes an archive of a kubelet's checkpoint an image. Rejects where it is none, or of an image that is not there. */
  async loadCheckpoint(image: string, archive: Uint8Array): Promise<void> {
    const content = await unpackCheckpoint(archive);
    if (!this.#scripts.has(content.baseImage))
      throw new ClusterError('NotFound', `no image ${content.baseImage} to restore on`);
    this.#restorable.set(image, content);
  }

  runs(_pod: Stored<corev1.Pod>, { image = '' }: corev1.Container): boolean {
    return this.#scripts.has(image) || this.#restorable.has(image);
  }

  image(_pod: Stored<corev1.Pod>, { image = '' }: corev1.Container): NodeImage {
    return { type: 'available', id: imageId(image), sizeBytes: IMAGE_BYTES, pullMs: 0 };
  }

  async start(start: ContainerStart): Promise<void> {
    this.#attempts.set(start.id, await this.#begin(start));
  }

  stop(id: string, graceMs: number): void {
    this.#running(id)?.stop(graceMs);
  }

  state(id: string): ContainerState | undefined {
    return this.#attempts.get(id)?.state;
  }

  remove(id: string): void {
    const attempt = this.#running(id);
    this.#attempts.delete(id);
    if (attempt === undefined) return;
    const ending = attempt.close().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  async *logs(id: string, options?: LogOptions): AsyncGenerator<LogLine> {
    yield* this.#running(id)?.log.read(options) ?? [];
  }

  async checkpoint(id: string, { timeoutMs }: { readonly timeoutMs: number }): Promise<CheckpointContent> {
    const attempt = this.#running(id);
    if (attempt === undefined) throw new ClusterError('InvalidState', 'the container does not run');
    return await attempt.checkpoint(timeoutMs);
  }

  listening({ host, port }: NetworkAddress): NetworkAddress | undefined {
    for (const attempt of this.#attempts.values()) {
      if (!(attempt instanceof WorkerContainer) || attempt.order.start.ip !== host) continue;
      const at = attempt.at(port);
      if (at !== undefined) return { host: '127.0.0.1', port: at };
    }
    return undefined;
  }

  onChange(callback: Listener): () => void {
    this.#listeners.add(callback);
    return () => this.#listeners.delete(callback);
  }

  /** Kills what runs still, forgets all, and starts nothing more. Resolves when no thread is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const attempts = [...this.#attempts.values()].filter((one) => one instanceof WorkerContainer);
    this.#attempts.clear();
    await Promise.all([...this.#ending, ...attempts.map((one) => one.close())]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #running(id: string): WorkerContainer | undefined {
    const attempt = this.#attempts.get(id);
    return attempt instanceof WorkerContainer ? attempt : undefined;
  }

  async #begin(start: ContainerStart): Promise<Attempt> {
    let account: AccountFile | undefined;
    try {
      account = await accountFile(start, this.#server());
      return this.#work(start, account);
    } catch (error) {
      await account?.remove();
      return this.#failed(errorText(error));
    }
  }

  /** Throws where it cannot be started. */
  #work(start: ContainerStart, account: AccountFile | undefined): WorkerContainer {
    if (this.#isClosed) throw new ClusterError('InvalidState', 'the runtime is closed');
    const order = this.#orderOf(start);
    if (order === undefined) throw new ClusterError('NotFound', `no image ${start.container.image ?? ''}`);
    const running = [...this.#attempts.values()].filter(({ state }) => state.type === 'running').length;
    if (running >= this.#limit) throw new ClusterError('InvalidState', `${running} workers run already`);
    const env = new Map([...Object.entries(account?.env ?? {}), ...order.env]);
    const owned = account === undefined ? order : { ...order, env, dispose: account.remove };
    return new WorkerContainer(owned, () => this.#notify(start), this.#clock);
  }

  #failed(message: string): Failed {
    const now = this.#clock.now();
    const exited = { type: 'exited', startedAt: now, finishedAt: now, exitCode: CANNOT_START } as const;
    return { state: { ...exited, reason: 'StartError', message } };
  }

  #orderOf(start: ContainerStart): WorkerOrder | undefined {
    const { image = '' } = start.container;
    const content = this.#restorable.get(image);
    const baseImage = content?.baseImage ?? image;
    const script = this.#scripts.get(baseImage);
    if (script === undefined) return undefined;
    const common = { start, script, baseImage, execArgv: this.#execArgv };
    if (content === undefined) return { ...common, ...processOf(start) };
    // A process that is restored has the environment that it had.
    const env = new Map(
      content.env.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
    );
    return { ...common, env, args: content.args, restored: content.state };
  }

  #notify({ pod: { metadata } }: ContainerStart): void {
    const { namespace, name } = metadata;
    for (const listener of this.#listeners) listener({ namespace, name });
  }
}
