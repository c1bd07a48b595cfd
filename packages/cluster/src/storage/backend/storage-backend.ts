import { type Clock, sleep } from '@kubewright/client';
import {
  type BackendCall,
  type BackendOperation,
  type BackendResponse,
  behaviourByParameters,
  milliseconds,
  PARAMETERS,
} from './behaviour-by-parameters.ts';
import { CsiError } from './csi-error.ts';

/** Files by path: what a volume holds. */
export type Content = Readonly<Record<string, string>>;

export type BackendVolume = {
  readonly handle: string;
  readonly sizeBytes: number;
  readonly content: Content;
  /** Names of the nodes that it is attached to. */
  readonly nodes: readonly string[];
};

export type BackendSnapshot = {
  readonly handle: string;
  readonly volumeHandle: string;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly readyAt: number;
  readonly content: Content;
};

/** Where the content of a new volume comes from. */
export type VolumeSource = { readonly snapshot: string } | { readonly volume: string };

export type VolumeOrder = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly source?: VolumeSource;
  readonly parameters?: Readonly<Record<string, string>>;
};

export type SnapshotOrder = {
  readonly name: string;
  readonly volumeHandle: string;
  readonly parameters?: Readonly<Record<string, string>>;
};

export type StorageBackendOptions = {
  readonly clock: Clock;
  /** How calls are taken, before the parameters of their class are asked. */
  readonly behave?: (call: BackendCall) => BackendResponse | undefined;
};

const NO_PARAMETERS: Readonly<Record<string, string>> = Object.freeze({});

/**
 * A storage system in memory, behind a CSI driver: volumes with content, snapshots of them. It outlives the driver's
 * processes. What is ordered twice under one name is made once, and what is deleted twice is deleted, as CSI demands.
 */
export class StorageBackend {
  readonly #options: StorageBackendOptions;
  readonly #volumes = new Map<string, BackendVolume>();
  readonly #snapshots = new Map<string, BackendSnapshot>();
  readonly #attempts = new Map<string, number>();

  constructor(options: StorageBackendOptions) {
    this.#options = options;
  }

  createVolume({ name, sizeBytes, source, parameters = NO_PARAMETERS }: VolumeOrder): Promise<BackendVolume> {
    return this.#call('CreateVolume', name, parameters, () => {
      const handle = `vol-${name}`;
      const known = this.#volumes.get(handle);
      if (known !== undefined && known.sizeBytes !== sizeBytes)
        throw new CsiError('AlreadyExists', `volume ${handle} exists with another size`);
      return (
        known ?? this.#put({ handle, sizeBytes, content: this.#contentOf(source, sizeBytes), nodes: [] })
      );
    });
  }

  deleteVolume(handle: string): Promise<void> {
    return this.#call('DeleteVolume', handle, NO_PARAMETERS, () => {
      const nodes = this.#volumes.get(handle)?.nodes ?? [];
      if (nodes.length > 0)
        throw new CsiError('FailedPrecondition', `volume ${handle} is in use by ${nodes.join(', ')}`);
      this.#volumes.delete(handle);
    });
  }

  expandVolume(handle: string, sizeBytes: number): Promise<BackendVolume> {
    return this.#call('ExpandVolume', handle, NO_PARAMETERS, () => {
      const volume = this.volume(handle);
      return volume.sizeBytes >= sizeBytes ? volume : this.#put({ ...volume, sizeBytes });
    });
  }

  createSnapshot({
    name,
    volumeHandle,
    parameters = NO_PARAMETERS,
  }: SnapshotOrder): Promise<BackendSnapshot> {
    return this.#call('CreateSnapshot', name, parameters, () => {
      const handle = `snap-${name}`;
      const known = this.#snapshots.get(handle);
      if (known !== undefined) return known;
      const { sizeBytes, content } = this.volume(volumeHandle);
      const createdAt = this.#options.clock.now();
      const readyAt = createdAt + milliseconds(parameters[PARAMETERS.ready]);
      const snapshot = { handle, volumeHandle, sizeBytes, createdAt, readyAt, content };
      this.#snapshots.set(handle, snapshot);
      return snapshot;
    });
  }

  deleteSnapshot(handle: string): Promise<void> {
    return this.#call('DeleteSnapshot', handle, NO_PARAMETERS, () => void this.#snapshots.delete(handle));
  }

  attach(handle: string, node: string): Promise<void> {
    return this.#call('Attach', `${handle}@${node}`, NO_PARAMETERS, () => {
      const volume = this.volume(handle);
      if (!volume.nodes.includes(node)) this.#put({ ...volume, nodes: [...volume.nodes, node] });
    });
  }

  detach(handle: string, node: string): Promise<void> {
    return this.#call('Detach', `${handle}@${node}`, NO_PARAMETERS, () => {
      const volume = this.#volumes.get(handle);
      if (volume !== undefined) this.#put({ ...volume, nodes: volume.nodes.filter((one) => one !== node) });
    });
  }

  /** Throws `NotFound`. */
  volume(handle: string): BackendVolume {
    const volume = this.#volumes.get(handle);
    if (volume === undefined) throw new CsiError('NotFound', `volume ${handle} not found`);
    return volume;
  }

  /** Throws `NotFound`. */
  snapshot(handle: string): BackendSnapshot {
    const snapshot = this.#snapshots.get(handle);
    if (snapshot === undefined) throw new CsiError('NotFound', `snapshot ${handle} not found`);
    return snapshot;
  }

  isReady({ readyAt }: BackendSnapshot): boolean {
    return readyAt <= this.#options.clock.now();
  }

  volumes(): readonly BackendVolume[] {
    return [...this.#volumes.values()];
  }

  snapshots(): readonly BackendSnapshot[] {
    return [...this.#snapshots.values()];
  }

  /** Writes a file, as a process with the volume mounted. */
  write(handle: string, path: string, text: string): void {
    const volume = this.volume(handle);
    this.#put({ ...volume, content: { ...volume.content, [path]: text } });
  }

  #put(volume: BackendVolume): BackendVolume {
    this.#volumes.set(volume.handle, volume);
    return volume;
  }

  #contentOf(source: VolumeSource | undefined, sizeBytes: number): Content {
    if (source === undefined) return {};
    const from = 'snapshot' in source ? this.snapshot(source.snapshot) : this.volume(source.volume);
    if (from.sizeBytes > sizeBytes)
      throw new CsiError('OutOfRange', `${from.handle} has ${from.sizeBytes} bytes, more than ${sizeBytes}`);
    return from.content;
  }

  async #call<T>(
    operation: BackendOperation,
    name: string,
    parameters: Readonly<Record<string, string>>,
    carryOut: () => T,
  ): Promise<T> {
    const key = `${operation}/${name}`;
    const attempt = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempt);
    const call = { operation, name, attempt, parameters };
    const { clock, behave } = this.#options;
    const { delayMs = 0, error, lost = false } = behave?.(call) ?? behaviourByParameters(call);
    if (delayMs > 0) await sleep(clock, delayMs);
    if (error !== undefined) throw new CsiError(error.code, error.message);
    const result = carryOut();
    if (lost) throw new CsiError('DeadlineExceeded', 'context deadline exceeded');
    return result;
  }
}
