import { type Json, type JsonObject, type Transport, isJsonObject } from '@kubewright/kube';
import { call, query } from '../support/api.ts';
import type { Target } from './operation.ts';

/** Events are there within this time after the last write, or they are missing. */
const LAST_EVENT_MS = 15_000;

/** All watch events of one object. */
export type WatchLog = {
  /** The events up to the `DELETED` of the object that bears the annotation `last`. */
  until(): Promise<Json>;
};

function isLast(event: JsonObject): boolean {
  const metadata = (event['object'] as JsonObject)['metadata'];
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return event['type'] === 'DELETED' && isJsonObject(annotations) && annotations['last'] === 'true';
}

async function readEvents(body: AsyncIterable<Uint8Array>, events: Json[]): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const event = JSON.parse(line) as JsonObject;
      events.push(event);
      if (isLast(event)) return;
    }
  }
}

/** Watches the object of an episode from now on. */
export async function openWatch(transport: Transport, target: Target): Promise<WatchLog> {
  const collection = target.kind.collection(target.namespace);
  const fieldSelector = `metadata.name=${target.name}`;
  const list = await call(transport, 'GET', collection + query({ fieldSelector }));
  const resourceVersion = (list.body['metadata'] as { resourceVersion: string }).resourceVersion;
  const controller = new AbortController();
  const response = await transport.request({
    method: 'GET',
    path: collection + query({ fieldSelector, resourceVersion, watch: true }),
    headers: { accept: 'application/json' },
    signal: controller.signal,
  });
  const events: Json[] = [];
  const reading = readEvents(response.body, events).catch((error: unknown) => {
    events.push(`the watch broke: ${String(error)}`);
  });
  return {
    async until() {
      const late = setTimeout(() => {
        events.push('the last event did not come');
        controller.abort();
      }, LAST_EVENT_MS);
      await reading;
      clearTimeout(late);
      controller.abort();
      return events;
    },
  };
}
