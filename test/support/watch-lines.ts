import type { JsonObject, Transport } from '@kubewright/kube';

export type WatchLine = { readonly type: string; readonly object: JsonObject };

/**
 * Watches until `enough` returns true for the events so far, or the server ends the watch (give it `timeoutSeconds`).
 * `began` is called when the response has begun: later writes are seen.
 */
export async function watchLines(
  transport: Transport,
  path: string,
  enough: (events: readonly WatchLine[]) => boolean,
  {
    accept = 'application/json',
    began,
  }: { readonly accept?: string; readonly began?: () => Promise<unknown> } = {},
): Promise<readonly WatchLine[]> {
  const stop = new AbortController();
  const response = await transport.request({
    method: 'GET',
    path,
    headers: { accept },
    signal: stop.signal,
  });
  const writes = began?.();
  const events: WatchLine[] = [];
  let rest = '';
  try {
    for await (const chunk of response.body) {
      const lines = `${rest}${Buffer.from(chunk).toString()}`.split('\n');
      rest = lines.pop() ?? '';
      events.push(...lines.map((line) => JSON.parse(line) as WatchLine));
      if (enough(events)) break;
    }
  } finally {
    stop.abort();
    await writes;
  }
  return events;
}
