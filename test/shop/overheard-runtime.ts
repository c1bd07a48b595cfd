import { type LogLine, WorkerRuntime, type ContainerStart } from '@kubewright/cluster';

/** A message that a consumer has in memory, and when it said so: Unix milliseconds. */
export type Applied = { readonly producer: string; readonly seq: number; readonly time: number };

/** One attempt to run the container of a pod. */
export type Process = {
  readonly app: string;
  readonly podUID: string;
  /** What it has in memory, in its order. */
  readonly applied: readonly Applied[];
};

/** Hears what its containers print: consumers print each message that they restore or apply. */
export class OverheardRuntime extends WorkerRuntime {
  readonly #processes: Process[] = [];

  override async start(start: ContainerStart): Promise<void> {
    await super.start(start);
    const { uid, labels } = start.pod.metadata;
    const applied: Applied[] = [];
    this.#processes.push({ app: labels?.['app'] ?? '', podUID: uid, applied });
    void hear(this.logs(start.id, { follow: true }), applied);
  }

  /** In the order in which they were started. */
  processesOf(app: string): readonly Process[] {
    return this.#processes.filter((one) => one.app === app);
  }

  /** What the process of a pod has in memory: of its last one, if it was started again. */
  appliedBy(podUID: string): readonly Applied[] {
    return this.#processes.findLast((one) => one.podUID === podUID)?.applied ?? [];
  }
}

async function hear(lines: AsyncIterable<LogLine>, applied: Applied[]): Promise<void> {
  for await (const { stream, text, time } of lines)
    if (stream === 'stdout') applied.push({ ...(JSON.parse(text) as Omit<Applied, 'time'>), time });
}
