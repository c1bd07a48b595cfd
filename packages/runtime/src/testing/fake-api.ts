import type { ApiRequest, JsonObject, KubeObject, Transport } from '@kubewright/kube';
import { stringifyJson } from '@kubewright/kube';

export type FakeApi = Transport & {
  readonly calls: string[];
  /** Sends an event to every open watch. */
  emit(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  /** The error of the next calls; `undefined` for none. */
  refuse: number | undefined;
};

const WRITTEN: JsonObject = {
  kind: 'Event',
  apiVersion: 'v1',
  metadata: { name: 'written', namespace: 'ns', uid: 'uid-written', resourceVersion: '11' },
};

/** Just enough of an API for one collection: a list, and watches that stay open until they are aborted. Writes change nothing. */
export function fakeApi(items: readonly KubeObject[]): FakeApi {
  const calls: string[] = [];
  const watches = new Set<(line: string) => void>();
  const api: FakeApi = {
    calls,
    refuse: undefined,
    emit(type, object) {
      for (const push of watches) push(`${stringifyJson({ type, object })}\n`);
    },
    async request(request) {
      const watch = request.path.includes('watch=true');
      calls.push(`${request.method} ${watch ? 'watch' : request.path.split('?')[0]}`);
      if (api.refuse !== undefined) return { status: api.refuse, headers: {}, body: once('{}') };
      if (watch) return { status: 200, headers: {}, body: stream(request, watches) };
      if (request.method !== 'GET') return { status: 200, headers: {}, body: once(stringifyJson(WRITTEN)) };
      const list: JsonObject = {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        metadata: { resourceVersion: '10' },
        items,
      };
      return { status: 200, headers: {}, body: once(stringifyJson(list)) };
    },
    close: async () => undefined,
  };
  return api;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* stream(
  { signal }: ApiRequest,
  watches: Set<(line: string) => void>,
): AsyncGenerator<Uint8Array> {
  const lines: string[] = [];
  let wake: () => void = () => undefined;
  const push = (line: string): void => {
    lines.push(line);
    wake();
  };
  watches.add(push);
  signal?.addEventListener('abort', () => wake(), { once: true });
  for (;;) {
    if (signal?.aborted === true) break;
    const line = lines.shift();
    if (line === undefined) await new Promise<void>((resolve) => (wake = resolve));
    else yield Buffer.from(line);
  }
  watches.delete(push);
}
