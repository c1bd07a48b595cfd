import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { ClusterError } from '../cluster-error.ts';
import { Channel } from './channel.ts';
import type { WorldFault } from './world-fault.ts';
import type { Instance } from './instance.ts';
import { bodyOf, errorResponse } from './error-response.ts';
import type { SeededRandom } from './seeded-random.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

type CrashFault = Extract<WorldFault, { type: 'crash' }>;

/** The network between a component and the server. */
export type LinkHost = {
  readonly server: Transport;
  readonly random: SeededRandom;
  /** Numbers the calls of a component, across restarts. */
  nextCall(): number;
  /** The fault of this call, while the world's faults last. */
  faultOf(call: number): WorldFault | undefined;
  crash(fault: CrashFault): void;
  /** Another client writes; resolves when it has. */
  rival(): Promise<void>;
  /** The request as the server receives it: after a restart perhaps for a stale list. */
  rewrite(request: ApiRequest): ApiRequest;
  /** Milliseconds until the watches of an instance that began stale catch up. */
  behindFor(): number;
  note(line: string): void;
};

/** Milliseconds that a message travels, at most. */
const LATENCY = 20;

/** A crashed component waits for ever. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Transports the calls of one instance to the server and back: late, broken, or not at all. */
export function createLink(instance: Instance, host: LinkHost): Transport {
  return {
    request: (request) => new Call(instance, host, request).send(),
    close: () => Promise.resolve(),
  };
}

class Call {
  readonly #instance: Instance;
  readonly #host: LinkHost;
  readonly #request: ApiRequest;
  readonly #call: number;
  readonly #fault: WorldFault | undefined;

  constructor(instance: Instance, host: LinkHost, request: ApiRequest) {
    this.#instance = instance;
    this.#host = host;
    this.#request = request;
    this.#call = host.nextCall();
    this.#fault = instance.alive ? host.faultOf(this.#call) : undefined;
  }

  async send(): Promise<ApiResponse> {
    const fault = this.#fault;
    if (!this.#instance.alive) return never();
    if (fault?.type === 'crash' && fault.when === 'before') return this.#crash(fault);
    await this.#leave(fault?.type === 'delay' ? fault.ms : 0);
    return (await this.#lost()) ?? this.#arrive();
  }

  /** The response to a request that does not reach the server. */
  async #lost(): Promise<ApiResponse | undefined> {
    const fault = this.#fault;
    if (fault?.type !== 'lostRequest' && fault?.type !== 'errorResponse') return undefined;
    await this.#travel(0);
    if (fault.type === 'lostRequest') throw this.#broken('the request was lost');
    this.#note(`error response ${fault.status}`);
    return errorResponse(fault.status);
  }

  async #arrive(): Promise<ApiResponse> {
    if (this.#fault?.type === 'rival') await this.#host.rival();
    const response = await this.#host.server.request(this.#sent());
    if (this.#isWatch() && response.status === 200) return this.#carryWatch(response);
    return this.#carryResponse(response);
  }

  #sent(): ApiRequest {
    const request = this.#host.rewrite(this.#request);
    return this.#fault?.type === 'invalidManagedFields' ? withoutManagedFields(request) : request;
  }

  #crash(fault: CrashFault): Promise<ApiResponse> {
    this.#note(`crash ${fault.when}`);
    this.#host.crash(fault);
    return never();
  }

  /** Waits as long as a message takes; for ever if the instance ends meanwhile. */
  #travel(extra: number): Promise<void> {
    return new Promise((resolve) => {
      this.#instance.after(extra + this.#host.random.below(LATENCY), resolve);
    });
  }

  /** The same on the way out, which goes on when the component is frozen. */
  #leave(extra: number): Promise<void> {
    return new Promise((resolve) => {
      this.#instance.afterOutside(extra + this.#host.random.below(LATENCY), resolve);
    });
  }

  #broken(why: string): Error {
    this.#note(why);
    return new ClusterError('ConnectionFailed', `${this.#request.method} ${this.#request.path}: ${why}`);
  }

  #isWatch(): boolean {
    return /[?&]watch=(?:true|1)\b/.test(this.#request.path);
  }

  async #carryResponse(response: ApiResponse): Promise<ApiResponse> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    this.#note(`${response.status}${revisionIn(chunks[0])}`);
    if (this.#fault?.type === 'crash') return this.#crash(this.#fault);
    await this.#travel(0);
    if (this.#fault?.type === 'lostResponse') throw this.#broken('the response was lost');
    return { ...response, body: bodyOf(chunks) };
  }

  async #carryWatch(response: ApiResponse): Promise<ApiResponse> {
    this.#note(`${response.status}`);
    if (this.#fault?.type === 'crash') return this.#crash(this.#fault);
    const channel = new Channel();
    this.#relay(response.body, channel).catch((error: unknown) => channel.end(error as Error));
    await this.#travel(0);
    return { ...response, body: channel };
  }

  /** Events come in order, each after a while; a cut leaves the reader with half of one. */
  async #relay(body: AsyncIterable<Uint8Array>, channel: Channel): Promise<void> {
    const lag = this.#fault?.type === 'lag' ? this.#fault.ms : 0;
    const limit = this.#fault?.type === 'cut' ? this.#fault.events : Number.POSITIVE_INFINITY;
    let count = 0;
    for await (const chunk of body) {
      await this.#travel(Math.max(lag, this.#host.behindFor()));
      if (count++ >= limit) {
        channel.push(chunk.subarray(0, chunk.length >> 1));
        channel.end(this.#broken('the watch was cut'));
        return;
      }
      this.#push(chunk, channel);
    }
    channel.end();
  }

  #push(events: Uint8Array, channel: Channel): void {
    for (const lines of this.#fault?.type === 'repeat' ? eachTwice(events) : [events]) {
      this.#host.note(`#${this.#call} event${revisionIn(lines)}`);
      channel.push(lines);
    }
  }

  #note(outcome: string): void {
    this.#host.note(`#${this.#call} ${this.#request.method} ${this.#request.path} ${outcome}`);
  }
}

/** Lines of events, each of them twice: a server never goes back to an older one. */
function eachTwice(events: Uint8Array): readonly Uint8Array[] {
  const lines = Buffer.from(events)
    .toString()
    .split(/(?<=\n)/);
  return lines.flatMap((line) => [Buffer.from(line), Buffer.from(line)]);
}

const REVISION = '"resourceVersion":"';
/** With its quote: more than a 64-bit number has. */
const LONGEST_REVISION = 24;

/** ` at N`: the revision in a response or event. */
function revisionIn(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = body.indexOf(REVISION); at >= 0; at = body.indexOf(REVISION, at + 1)) {
    const start = at + REVISION.length;
    const revision = /^(\d+)"/.exec(body.toString('latin1', start, start + LONGEST_REVISION))?.[1];
    if (revision !== undefined) return ` at ${revision}`;
  }
  return '';
}
