import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { ClusterError } from '../cluster-error.ts';
import { Channel } from './channel.ts';
import type { WorldFault } from './fault.ts';
import type { Life } from './life.ts';
import { bodyOf, refusal } from './refusal.ts';
import type { SeededRandom } from './seeded-random.ts';
import { voidClaims } from './void-claims.ts';

type CrashFault = Extract<WorldFault, { type: 'crash' }>;

/** What happens on the way between a component and the server. */
export type LinkHost = {
  readonly server: Transport;
  readonly random: SeededRandom;
  /** Numbers the calls of a component over all its lives. */
  nextCall(): number;
  /** The fault of this call, while the world's faults last. */
  faultOf(call: number): WorldFault | undefined;
  crash(fault: CrashFault): void;
  /** Somebody else writes, and is done when this resolves. */
  rival(): Promise<void>;
  /** What the component may read: after a restart perhaps the past. */
  rewrite(request: ApiRequest): ApiRequest;
  /** Milliseconds until watches of a life that began in the past catch up. */
  behindFor(): number;
  note(line: string): void;
};

/** Milliseconds that a message travels, at most. */
const LATENCY = 20;

/** A dead component waits for ever. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** Carries the calls of one life to the server and back: late, broken, or not at all. */
export function createLink(life: Life, host: LinkHost): Transport {
  return {
    request: (request) => new Carriage(life, host, request).carry(),
    close: () => Promise.resolve(),
  };
}

class Carriage {
  readonly #life: Life;
  readonly #host: LinkHost;
  readonly #request: ApiRequest;
  readonly #call: number;
  readonly #fault: WorldFault | undefined;

  constructor(life: Life, host: LinkHost, request: ApiRequest) {
    this.#life = life;
    this.#host = host;
    this.#request = request;
    this.#call = host.nextCall();
    this.#fault = life.alive ? host.faultOf(this.#call) : undefined;
  }

  async carry(): Promise<ApiResponse> {
    const fault = this.#fault;
    if (!this.#life.alive) return never();
    if (fault?.type === 'crash' && fault.when === 'before') return this.#crash(fault);
    await this.#leave(fault?.type === 'delay' ? fault.ms : 0);
    return (await this.#lost()) ?? this.#arrive();
  }

  /** The answer of a call that does not reach the server. */
  async #lost(): Promise<ApiResponse | undefined> {
    const fault = this.#fault;
    if (fault?.type !== 'lostRequest' && fault?.type !== 'refuse') return undefined;
    await this.#travel(0);
    if (fault.type === 'lostRequest') throw this.#broken('the request was lost');
    this.#note(`refused with ${fault.status}`);
    return refusal(fault.status);
  }

  async #arrive(): Promise<ApiResponse> {
    if (this.#fault?.type === 'rival') await this.#host.rival();
    const response = await this.#host.server.request(this.#sent());
    if (this.#isWatch() && response.status === 200) return this.#carryWatch(response);
    return this.#carryAnswer(response);
  }

  #sent(): ApiRequest {
    const request = this.#host.rewrite(this.#request);
    return this.#fault?.type === 'voidClaims' ? voidClaims(request) : request;
  }

  #crash(fault: CrashFault): Promise<ApiResponse> {
    this.#note(`crash ${fault.when}`);
    this.#host.crash(fault);
    return never();
  }

  /** Waits as long as a message takes; for ever if the life ends meanwhile. */
  #travel(extra: number): Promise<void> {
    return new Promise((resolve) => {
      this.#life.after(extra + this.#host.random.below(LATENCY), resolve);
    });
  }

  /** The same on the way out, which goes on when the component is frozen. */
  #leave(extra: number): Promise<void> {
    return new Promise((resolve) => {
      this.#life.afterOutside(extra + this.#host.random.below(LATENCY), resolve);
    });
  }

  #broken(why: string): Error {
    this.#note(why);
    return new ClusterError('ConnectionFailed', `${this.#request.method} ${this.#request.path}: ${why}`);
  }

  #isWatch(): boolean {
    return /[?&]watch=(?:true|1)\b/.test(this.#request.path);
  }

  async #carryAnswer(response: ApiResponse): Promise<ApiResponse> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    this.#note(`${response.status}${revisionIn(chunks[0])}`);
    if (this.#fault?.type === 'crash') return this.#crash(this.#fault);
    await this.#travel(0);
    if (this.#fault?.type === 'lostResponse') throw this.#broken('the answer was lost');
    return { ...response, body: bodyOf(chunks) };
  }

  async #carryWatch(response: ApiResponse): Promise<ApiResponse> {
    this.#note(`${response.status}`);
    if (this.#fault?.type === 'crash') return this.#crash(this.#fault);
    const channel = new Channel();
    void this.#relay(response.body, channel);
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
      this.#tell(chunk, channel);
    }
    channel.end();
  }

  #tell(events: Uint8Array, channel: Channel): void {
    for (const told of this.#fault?.type === 'repeat' ? eachTwice(events) : [events]) {
      this.#host.note(`#${this.#call} tells${revisionIn(told)}`);
      channel.push(told);
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

/** ` at N`: the revision that an answer or event shows. */
function revisionIn(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return '';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const revision = /"resourceVersion":"(\d+)"/.exec(text)?.[1];
  return revision === undefined ? '' : ` at ${revision}`;
}
