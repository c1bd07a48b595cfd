import { onAbort, systemClock } from '@kubewright/kube';
import type { ApiRequest, ApiResponse, Transport } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { LARGEST_FILE } from './format-of.ts';

/** A whole response of a server that speaks S3. */
export type S3Response = {
  readonly ok: boolean;
  readonly status: number;
  /** One header, by its lower-case name. */
  header(name: string): string | undefined;
  readonly content: Buffer;
};

/** Between two signs of a server. */
const SILENT_MS = 60_000;
/** Of a connection that is hardly usable; an upload gives no sign. */
const BYTES_PER_MS = 100;
/** Of the largest response over such a connection. */
const LONGEST_MS = LARGEST_FILE / BYTES_PER_MS;

export type S3Limits = {
  /** Default: a minute. */
  readonly silentMs?: number;
  /** Of a whole request. Default: eleven minutes. */
  readonly longestMs?: number;
  /** Ends every request, the reading of its response too. */
  readonly signal?: AbortSignal;
};

/**
 * Makes a request and reads its response. Ends it when the server is silent, before the response or within its body, and
 * when it sends without an end: rejects with `TimedOut`, or with `Failed` if the body is too large.
 */
export async function s3Response(
  transport: Transport,
  request: ApiRequest,
  { silentMs = SILENT_MS, longestMs = LONGEST_MS, signal }: S3Limits,
): Promise<S3Response> {
  const end = new AbortController();
  const forget = onAbort(signal, () => end.abort(signal?.reason));
  const endIn = (ms: number, what: string): (() => void) =>
    systemClock.after(ms, () => end.abort(new OperatorError('TimedOut', what)));
  const silent = `no response for ${Math.round(silentMs / 1000)} seconds`;
  const over = endIn(longestMs, `no end of the response in ${Math.round(longestMs / 1000)} seconds`);
  let cancel = endIn(silentMs + (request.body?.length ?? 0) / BYTES_PER_MS, silent);
  try {
    const { status, headers, body } = await transport.request({ ...request, signal: end.signal });
    const content = await contentOf(body, () => {
      cancel();
      cancel = endIn(silentMs, silent);
    });
    end.signal.throwIfAborted();
    return { ok: status >= 200 && status < 300, status, header: (name) => textOf(headers[name]), content };
  } catch (error) {
    end.signal.throwIfAborted();
    throw error;
  } finally {
    cancel();
    over();
    forget();
  }
}

async function contentOf(body: ApiResponse['body'], onSign: () => void): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    onSign();
    size += part.length;
    if (size > LARGEST_FILE) throw new OperatorError('Failed', 'the response is too large to be an object');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header;
}
