import type { Clock } from '@kubewright/client';
import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { RuntimeError } from '../runtime-error.ts';

/**
 * Lets writes through only while a Lease is surely held. It asks the clocks at every write, so a process that was
 * frozen finds it shut, whatever its timers have not told it yet.
 */
export class Fence {
  readonly #clock: Clock;
  readonly #slackMs: number;
  #open: { readonly until: number; readonly wallUntil: number } | undefined;
  #underWay = 0;
  #unknownSince = Number.NEGATIVE_INFINITY;

  /** `slackMs`: after so long a write without an answer is taken to have landed or not. */
  constructor(clock: Clock, slackMs: number) {
    this.#clock = clock;
    this.#slackMs = slackMs;
  }

  /**
   * Opens until a moment of the monotonic clock, and of the wall clock. Both count from before the renewal was sent,
   * and only a renewal may move them: whatever else happens, a machine that slept must not be let through.
   */
  openUntil(until: number, wallUntil: number): void {
    this.#open = { until, wallUntil };
  }

  close(): void {
    this.#open = undefined;
  }

  /** The wall clock may only shorten: a machine that slept has a monotonic clock that did not see it. */
  get isOpen(): boolean {
    const open = this.#open;
    return open !== undefined && this.#clock.monotonic() < open.until && this.#clock.now() < open.wallUntil;
  }

  /** True when every write is known to have landed or not. Only then may the Lease be given away early. */
  get isQuiet(): boolean {
    return this.#underWay === 0 && this.#clock.monotonic() >= this.#unknownSince + this.#slackMs;
  }

  async carry(request: ApiRequest, transport: Transport): Promise<ApiResponse> {
    if (READS.has(request.method)) return transport.request(request);
    if (!this.isOpen)
      throw new RuntimeError(
        'NotLeading',
        `${request.method} ${request.path} was not sent: this process does not hold its Lease`,
      );
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

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses writes, with `NotLeading` and before they are sent, while the fence is shut. Put it below what repeats
 * calls: a repetition is a write too.
 */
export function withFence(transport: Transport, fence: Fence): Transport {
  return {
    request: (request) => fence.carry(request, transport),
    close: () => transport.close(),
  };
}
