import { randomUUID } from 'node:crypto';
import {
  type Client,
  type Clock,
  createClient,
  createTransport,
  type Fault,
  ignoreNotFound,
  injectFaults,
  sleep,
  systemClock,
  withRetry,
} from '@kubewright/client';
import { type ApiRequest, compareText, type KubeObject, type Transport } from '@kubewright/kube';
import { createManager, type Manager, silentLogger } from '@kubewright/runtime';
import { expect, vi } from 'vitest';
import type { RestartableServer } from '../servers/test-server.ts';
import { fastClock } from '../../packages/runtime/src/testing/fast-clock.ts';
import { addMirror, configMaps, mapText, type MirrorLog, namespaces, secrets, secretText } from './mirror.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

/** For the manager, time passes so many times as fast: its waits of up to half a minute are not waited for. */
const SPEED = 20;
const WRITERS = 3;
const NAMES_PER_WRITER = 12;
/** Kinds that the mirror watches. */
export const KINDS = 2;
/** Five minutes of failures: 100 ms doubling ten times, then a wait of up to 30 s, and so again. */
const READS_PER_DISTURBANCE = 30;
/** A write that may have landed is looked after once; a read is repeated ten times. */
const LOOKS_PER_WRITE = 11;
/** 5 ms doubling reach five minutes with the sixteenth. */
const TRIES_PER_KEY = 16;

/** A manager at work behind a wire that can be cut, and writers that go on whatever happens. */
export type ChaosRig = {
  readonly manager: Manager;
  readonly proxy: TcpProxy;
  readonly clock: Clock;
  readonly log: MirrorLog;
  readonly calls: Calls;
  /** What happens to the manager's calls from now on. */
  disturb(fault: ((request: ApiRequest) => Fault | undefined) | undefined): void;
  /** Resolves when the writers have landed `count` further writes. */
  writes(count: number): Promise<void>;
  /** Resolves when the manager has a connection. */
  connects(): Promise<void>;
  /** Resolves when each watch of the manager has been tried again. */
  notices(): Promise<void>;
  /** The manager's caches are what the server has, and all work is done. Writers go on afterwards. */
  converges(): Promise<void>;
  /** The manager never ran in circles: what it sent is bounded by what happened to it. */
  wasModest(disturbances: number): void;
  stop(): Promise<void>;
};

/** The manager's requests, retries included, with their responses. */
type Calls = {
  lists: number;
  watches: number;
  /** Reads of one object. */
  looks: number;
  writes: number;
  /** Writes with a conflict, without a response, or with an error of the server. */
  unsure: number;
  readonly answers: Map<number, number>;
};

export type RigOptions = {
  /** Called before the manager starts. */
  readonly prepare?: (proxy: TcpProxy) => void;
  /** Called before each call of the manager is sent. */
  readonly before?: (request: ApiRequest, rig: ChaosRig) => Promise<void>;
  /** ConfigMaps that are there before the manager starts. */
  readonly objects?: number;
};

export async function startRig(server: RestartableServer, options: RigOptions = {}): Promise<ChaosRig> {
  const { caCert: ca, token } = server;
  const proxy = await startTcpProxy({ port: Number(new URL(server.url).port) });
  const direct = createTransport({ url: server.url, ca, token });
  const client = createClient(withRetry(direct));
  const namespace = `chaos-${randomUUID().slice(0, 8)}`;
  await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await fill(client, namespace, options.objects ?? 0);
  const clock = fastClock(SPEED);
  const wired = createTransport({ url: `https://127.0.0.1:${proxy.port}`, ca, token, clock });
  const rig = new Rig({ client, namespace, proxy, wired, clock }, options);
  options.prepare?.(proxy);
  rig.begin();
  await rig.manager.cache.waitForSync();
  return rig;
}

type Parts = {
  /** To the server itself: what the writers and the judge use. */
  readonly client: Client;
  readonly namespace: string;
  readonly proxy: TcpProxy;
  readonly wired: Transport;
  readonly clock: Clock;
};

class Rig implements ChaosRig {
  readonly manager: Manager;
  readonly clock: Clock;
  readonly log: MirrorLog;
  readonly calls: Calls = { lists: 0, watches: 0, looks: 0, writes: 0, unsure: 0, answers: new Map() };
  readonly #parts: Parts;
  readonly #end = new AbortController();
  #fault: ((request: ApiRequest) => Fault | undefined) | undefined;
  #running: Promise<void> = Promise.resolve();
  #writers: Writers;

  constructor(parts: Parts, options: RigOptions) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.#writers = new Writers(parts);
    const faulty = injectFaults(parts.wired, (request) => this.#fault?.(request));
    const before = (request: ApiRequest): Promise<void> | undefined => options.before?.(request, this);
    const counted = counting(faulty, this.calls, before);
    const client = createClient(withRetry(counted, { clock: this.clock }), { fieldOwner: 'mirror' });
    this.manager = createManager({ client, clock: this.clock, log: silentLogger });
    this.log = addMirror(this.manager, parts.namespace);
  }

  get proxy(): TcpProxy {
    return this.#parts.proxy;
  }

  begin(): void {
    this.#running = this.manager.start(this.#end.signal);
    this.#writers.start();
  }

  disturb(fault: ((request: ApiRequest) => Fault | undefined) | undefined): void {
    this.#fault = fault;
  }

  async writes(count: number): Promise<void> {
    const goal = this.#writers.landed + count;
    await vi.waitFor(() => expect(this.#writers.landed).toBeGreaterThanOrEqual(goal), WITHIN);
  }

  async connects(): Promise<void> {
    await vi.waitFor(() => expect(this.proxy.open).toBeGreaterThan(0), WITHIN);
  }

  async notices(): Promise<void> {
    const goal = this.calls.watches + KINDS;
    await vi.waitFor(() => expect(this.calls.watches).toBeGreaterThanOrEqual(goal), WITHIN);
  }

  async converges(): Promise<void> {
    await this.#writers.stop();
    await vi.waitFor(() => this.#check(), WITHIN);
    expect(this.log.overlaps).toEqual([]);
    this.#writers = new Writers(this.#parts, this.#writers.landed);
    this.#writers.start();
  }

  async #check(): Promise<void> {
    const { client, namespace } = this.#parts;
    const [maps, copies] = await Promise.all([
      client.list(configMaps, { namespace }),
      client.list(secrets, { namespace }),
    ]);
    const { cache } = this.manager;
    expect(sorted(cache.list(configMaps))).toEqual(sorted(maps.items));
    expect(sorted(cache.list(secrets))).toEqual(sorted(copies.items));
    const wanted = maps.items.map((map) => [map.metadata.name, mapText(map)]);
    expect(copies.items.map((copy) => [copy.metadata.name, secretText(copy)])).toEqual(wanted);
    expect(this.manager.idle()).toBe(true);
  }

  wasModest(disturbances: number): void {
    const { lists, watches, looks, writes, unsure } = this.calls;
    expect(lists + watches).toBeLessThan(KINDS * READS_PER_DISTURBANCE * (disturbances + 1));
    expect(looks).toBeLessThanOrEqual(LOOKS_PER_WRITE * unsure);
    const keys = WRITERS * NAMES_PER_WRITER;
    // A change is one event, and its Secret another: each may cost one write, and each failure one more.
    expect(writes).toBeLessThan(2 * this.#writers.landed + keys * TRIES_PER_KEY * (disturbances + 1));
  }

  async stop(): Promise<void> {
    const { client, namespace, proxy, wired } = this.#parts;
    this.disturb(undefined);
    await this.#writers.stop();
    this.#end.abort();
    await this.#running;
    await wired.close();
    await proxy.close();
    await client.deleteAll(configMaps, { namespace });
    await client.deleteAll(secrets, { namespace });
    await client.delete(namespaces, { name: namespace });
  }
}

const WITHIN = { timeout: 60_000, interval: 50 };

function sorted(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.toSorted((a, b) => compareText(a.metadata.name ?? '', b.metadata.name ?? ''));
}

/** Create, change and delete a few names each, until they are stopped; after a failed write the next one is tried. */
class Writers {
  landed: number;
  readonly #parts: Parts;
  readonly #end = new AbortController();
  #running: readonly Promise<void>[] = [];

  constructor(parts: Parts, landed = 0) {
    this.#parts = parts;
    this.landed = landed;
  }

  start(): void {
    this.#running = Array.from({ length: WRITERS }, (_, index) => this.#write(index));
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#running);
  }

  async #write(writer: number): Promise<void> {
    const { signal } = this.#end;
    for (let turn = this.landed; !signal.aborted; turn += 1) {
      const name = `w${writer}-${turn % NAMES_PER_WRITER}`;
      try {
        await this.#change(name, turn);
        this.landed += 1;
      } catch {
        // The server is away: that is the test.
      }
      await sleep(systemClock, 15, signal);
    }
  }

  async #change(name: string, turn: number): Promise<void> {
    const { client, namespace } = this.#parts;
    if (turn % 5 === 4) {
      await ignoreNotFound(client.delete(configMaps, { namespace, name }));
    } else {
      const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } };
      const options = { force: true, fieldManager: 'writer' };
      await client.apply(configMaps, { ...map, data: { text: `${turn}` } }, options);
    }
  }
}

async function fill(client: Client, namespace: string, count: number): Promise<void> {
  const text = 'x'.repeat(4000);
  const names = Array.from({ length: count }, (_, index) => `filled-${index}`);
  await Promise.all(
    names.map((name) =>
      client.create(configMaps, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace },
        data: { text },
      }),
    ),
  );
}

function counting(
  transport: Transport,
  calls: Calls,
  before: (request: ApiRequest) => Promise<void> | undefined,
): Transport {
  return {
    async request(request) {
      const kind = kindOf(request);
      calls[kind] += 1;
      await before(request);
      const response = await transport.request(request).catch((error: unknown) => {
        if (kind === 'writes') calls.unsure += 1;
        throw error;
      });
      const { status } = response;
      calls.answers.set(status, (calls.answers.get(status) ?? 0) + 1);
      if (kind !== 'writes') return response;
      if (status === 409 || status >= 500) calls.unsure += 1;
      return { ...response, body: counted(response.body, () => (calls.unsure += 1)) };
    },
    close: () => transport.close(),
  };
}

/** A write whose response breaks off has no response either. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  onBreak: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    onBreak();
    throw error;
  }
}

/** Caches list in pages. */
function kindOf({ method, path }: ApiRequest): 'lists' | 'watches' | 'looks' | 'writes' {
  if (method !== 'GET') return 'writes';
  if (path.includes('watch=true')) return 'watches';
  return path.includes('limit=') ? 'lists' : 'looks';
}
