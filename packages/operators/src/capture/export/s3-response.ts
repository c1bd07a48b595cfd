import { errorText, onAbort, systemClock } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';

/** A response of a server that speaks S3. */
export type S3Response = {
  readonly ok: boolean;
  readonly status: number;
  /** Its body. Rejects with `Failed` if it is larger than so many bytes, with `Unavailable` if it breaks off. */
  content(most: number): Promise<Buffer>;
  /** Its body is not needed. */
  discard(): Promise<void>;
};

/** Between two signs of a server. */
const SILENT_MS = 60_000;
/** Of a connection that is hardly usable; an upload gives no sign. */
const BYTES_PER_MS = 100;

export type S3Limits = {
  /** Default: a minute. */
  readonly silentMs?: number;
  /** Ends every request, the reading of its response too. */
  readonly signal?: AbortSignal;
};

/** Makes a request; ends it when the server is silent, before the response or within its body. */
export async function s3Response(
  uploaded: number,
  send: (signal: AbortSignal) => Promise<Response>,
  { silentMs = SILENT_MS, signal }: S3Limits = {},
): Promise<S3Response> {
  const silence = new Silence(signal);
  silence.begin(silentMs + uploaded / BYTES_PER_MS);
  const response = await silence.endOr(send(silence.signal));
  silence.begin(silentMs);
  const onSign = (): void => silence.begin(silentMs);
  return {
    ok: response.ok,
    status: response.status,
    content: (most) =>
      silence
        .endOr(contentOf(response, most, onSign))
        .catch(brokenOff)
        .finally(() => silence.over()),
    async discard() {
      silence.over();
      await response.body?.cancel();
    },
  };
}

/** Ends a call that gives no sign. */
class Silence {
  readonly #end = new AbortController();
  readonly #ended: Promise<never>;
  readonly #forget: () => void;
  #cancel: () => void = () => undefined;

  constructor(stop: AbortSignal | undefined) {
    this.#forget = onAbort(stop, () => this.#end.abort(stop?.reason));
    const { signal } = this.#end;
    // `fetch` may not notice its signal: where nothing else holds a request, it is collected, with what it listens to.
    this.#ended = new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    this.#ended.catch(() => undefined);
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  begin(ms: number): void {
    this.#cancel();
    const silent = new OperatorError('TimedOut', `no response for ${Math.round(ms / 1000)} seconds`);
    this.#cancel = systemClock.after(ms, () => this.#end.abort(silent));
  }

  over(): void {
    this.#cancel();
    this.#forget();
  }

  async endOr<T>(call: Promise<T>): Promise<T> {
    try {
      return await Promise.race([call, this.#ended]);
    } catch (error) {
      this.over();
      throw error;
    }
  }
}

async function contentOf({ body }: Response, most: number, onSign: () => void): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    onSign();
    size += part.length;
    if (size > most) throw new OperatorError('Failed', 'it is too large to be an object');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function brokenOff(error: unknown): never {
  if (error instanceof OperatorError) throw error;
  throw new OperatorError('Unavailable', `the response was cut off: ${errorText(error)}`, { cause: error });
}
