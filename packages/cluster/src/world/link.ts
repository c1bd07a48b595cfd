import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { stringifyJson } from '@kubewright/kube';
import { Channel } from './channel.ts';
import type { WorldFault } from './fault.ts';
import type { Life } from './life.ts';
import type { SeededRandom } from './seeded-random.ts';

/** What happens on the way between a component and the server. */
export type LinkHost = {
  readonly server: Transport;
  readonly random: SeededRandom;
  /** Numbers the calls of a component over all its lives. */
  nextCall(): number;
  /** The fault of this call, while the world's faults last. */
  faultOf(call: number): WorldFault | undefined;
  crash(fault: Extract<WorldFault, { type: 'crash' }>): void;
  /** What the component may read: after a restart perhaps the past. */
  rewrite(request: ApiRequest): ApiRequest;
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
    return this.#refused(fault.status);
  }

  async #arrive(): Promise<ApiResponse> {
    const response = await this.#host.server.request(this.#host.rewrite(this.#request));
    this.#note(`${response.status}`);
    if (this.#fault?.type === 'crash') return this.#crash(this.#fault);
    return this.#isWatch() ? this.#carryWatch(response) : this.#carryAnswer(response);
  }

  #refused(status: 409 | 429 | 500 | 503): ApiResponse {
    this.#note(`refused with ${status}`);
    return refusal(status);
  }

  #crash(fault: Extract<WorldFault, { type: 'crash' }>): Promise<ApiResponse> {
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
    return new Error(`${this.#request.method} ${this.#request.path}: ${why}`);
  }

  #isWatch(): boolean {
    return /[?&]watch=(?:true|1)\b/.test(this.#request.path);
  }

  async #carryAnswer(response: ApiResponse): Promise<ApiResponse> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    await this.#travel(0);
    if (this.#fault?.type === 'lostResponse') throw this.#broken('the answer was lost');
    return {
      ...response,
      body: (async function* body() {
        yield* chunks;
      })(),
    };
  }

  async #carryWatch(response: ApiResponse): Promise<ApiResponse> {
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
      await this.#travel(lag);
      if (count++ >= limit) {
        channel.push(chunk.subarray(0, chunk.length >> 1));
        channel.end(this.#broken('the watch was cut'));
        return;
      }
      channel.push(chunk);
    }
    channel.end();
  }

  #note(outcome: string): void {
    this.#host.note(`#${this.#call} ${this.#request.method} ${this.#request.path} ${outcome}`);
  }
}

const REASONS = {
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
} as const;

function refusal(status: 409 | 429 | 500 | 503): ApiResponse {
  const reason = REASONS[status];
  const text = stringifyJson({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `simulated: ${reason}`,
    reason,
    code: status,
  });
  const headers = { 'content-type': 'application/json', ...(status === 429 ? { 'retry-after': '1' } : {}) };
  return {
    status,
    headers,
    body: (async function* body() {
      yield Buffer.from(text);
    })(),
  };
}
