import type { Clock } from '@kubewright/client';
import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';

/**
 * Lets writes pass only while the Lease is certainly held. It reads the clocks at every write, so it stops a process that
 * was frozen and whose timers have not fired yet.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #slackMs: number;
  #open: { readonly until: number; readonly wallUntil: number } | undefined;
  #underWay = 0;
  #unknownSince = Number.NEGATIVE_INFINITY;

  /** `slackMs`: after this time a write without a response has either taken effect or never will. */
  constructor(clock: Clock, slackMs: number) {
    this.#clock = clock;
    this.#slackMs = slackMs;
  }

  /**
   * Opens until a time of the monotonic clock and of the wall clock. Both count from before the renewal was sent, and only a
   * renewal may extend them: a machine that slept must not write.
   */
  openUntil(until: number, wallUntil: number): void {
    this.#open = { until, wallUntil };
  }

  close(): void {
    this.#open = undefined;
  }

  /** The wall clock may only shorten the time: the monotonic clock of a machine that slept may have stopped. */
  get isOpen(): boolean {
    const open = this.#open;
    return open !== undefined && this.#clock.monotonic() < open.until && this.#clock.now() < open.wallUntil;
  }

  /** True when the outcome of every write is settled. Only then may the Lease be released early. */
  get isQuiet(): boolean {
    return this.#underWay === 0 && this.#clock.monotonic() >= this.#unknownSince + this.#slackMs;
  }

  async carry(request: ApiRequest, transport: Transport): Promise<ApiResponse> {
    if (READS.has(request.method)) return transport.request(request);
    if (!this.isOpen) throw notLeading(`${request.method} ${request.path}`);
    this.#underWay++;
    try {
      return await transport.request(request);
    } catch (error) {
      this.#unknownSince = this.#clock.monotonic();
      throw error;
    } finally {
      this.#underWay--;
    }
  }
}

export function notLeading(what: string): RuntimeError {
  return new RuntimeError('NotLeading', `${what} was not sent: this process does not hold its Lease`);
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects writes with `NotLeading`, unsent, while the fence is closed. Put it below `withRetry`: a retry is a write too.
 */
export function withFence(transport: Transport, fence: Fence): Transport {
  return {
    request: (request) => fence.carry(request, transport),
    close: () => transport.close(),
  };
}
