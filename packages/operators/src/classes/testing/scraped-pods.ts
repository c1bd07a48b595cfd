import { type corev1, type JsonObject, parseJson, type Stored, type Transport } from '@kubewright/kube';

/** How a source of metrics collects those of pods. */
export type Scrapes = {
  /** So many jobs collect each pod: each counter is there as often. */
  readonly jobs: number;
  /** A pod that nobody collects. */
  missing?: string | undefined;
  /** A pod of which nobody collects what it counts itself. */
  uncounted?: string | undefined;
};

const COUNTED = 'metrics.kubewright.dev/custom.';

/** A transport by which a simulated source lists pods as they are collected. */
export function scrapedPods(transport: Transport, scrapes: Scrapes): Transport {
  return {
    async request(call) {
      const response = await transport.request(call);
      if (call.method !== 'GET' || response.status !== 200) return response;
      const { items = [], ...list } = parseJson(await textOf(response.body)) as PodList;
      const collected = items
        .filter(({ metadata }) => metadata.name !== scrapes.missing)
        .map((pod) => (pod.metadata.name === scrapes.uncounted ? withoutCounters(pod) : pod))
        .flatMap((pod) => Array.from({ length: scrapes.jobs }, () => pod));
      return { ...response, body: bodyOf(JSON.stringify({ ...list, items: collected })) };
    },
    close: () => transport.close(),
  };
}

type PodList = JsonObject & { readonly items?: readonly Stored<corev1.Pod>[] };

function withoutCounters(pod: Stored<corev1.Pod>): Stored<corev1.Pod> {
  const { annotations = {}, ...metadata } = pod.metadata;
  const left = Object.entries(annotations).filter(([name]) => !name.startsWith(COUNTED));
  return { ...pod, metadata: { ...metadata, annotations: Object.fromEntries(left) } };
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
