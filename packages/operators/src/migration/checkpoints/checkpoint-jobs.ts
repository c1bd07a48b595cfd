import { type Clock, sleep } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { DIGEST_HEADER, imagePath } from './agent-paths.ts';
import { type ArchiveFile, measured } from './verified.ts';
import { type AgentAddress, callAgent } from './call-agent.ts';
import type { CheckpointOrder, CheckpointState, NodeFacts } from './node-agents.ts';

/** What an agent does on its node. Each rejects with a message for people; what may pass, with a retryable `OperatorError`. */
export type NodeTools = {
  /** With `image`: pulls it if the node does not have it. */
  readonly facts: (image?: string) => Promise<NodeFacts>;
  /** Has the kubelet checkpoint a container; resolves with the path of the archive. See `kubeletCheckpoint`. */
  readonly checkpoint: (
    container: Pick<CheckpointOrder, 'namespace' | 'pod' | 'container' | 'node'>,
  ) => Promise<string>;
  /** Reads an archive that `checkpoint` made. */
  readonly read: (path: string) => AsyncIterable<Uint8Array>;
  readonly removeArchive: (path: string) => Promise<void>;
  /** Makes an image of an archive. Nothing of it may remain if the archive ends with an error. */
  readonly load: (image: string, archive: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Also from its registry. */
  readonly removeImage: (image: string) => Promise<void>;
  /** Pushes an image of an archive; resolves with its name by digest. Absent: this agent reaches no registry. */
  readonly push?: (image: string, archive: ArchiveFile) => Promise<string>;
};

type Job = { state: CheckpointState; readonly ended: Promise<void>; archive?: string };
type Archive = Omit<ArchiveFile, 'read'> & { readonly path: string };

const ATTEMPTS = 3;
const BACK_OFF_MS = 1000;
/** A node without power does not close its connections, and the consumer stands still meanwhile. */
const IDLE_MS = 30_000;

/** The checkpoints of a node, by id. */
export class CheckpointJobs {
  readonly #tools: NodeTools;
  readonly #agents: AgentAddress;
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #jobs = new Map<string, Job>();

  /** `agents`: where those of other nodes are. `idleMs`: how long a transfer to one may stand still. */
  constructor(tools: NodeTools, agents: AgentAddress, clock: Clock, idleMs: number = IDLE_MS) {
    this.#tools = tools;
    this.#agents = agents;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  state(id: string): CheckpointState | undefined {
    return this.#jobs.get(id)?.state;
  }

  /** Does nothing if the id is known. */
  begin(order: CheckpointOrder): void {
    if (this.#jobs.has(order.id)) return;
    const job: Job = {
      state: { phase: 'Running', message: 'the kubelet makes a checkpoint' },
      // Not before the job is known.
      ended: Promise.resolve().then(() => this.#run(order, job)),
    };
    this.#jobs.set(order.id, job);
  }

  async remove(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    await job?.ended;
    if (job?.archive !== undefined) await this.#tools.removeArchive(job.archive);
    this.#jobs.delete(id);
  }

  async #run(order: CheckpointOrder, job: Job): Promise<void> {
    try {
      const path = await this.#patiently(job, () => this.#tools.checkpoint(order));
      job.archive = path;
      const { sha256, bytes } = await measured(this.#tools.read(path));
      const image = await this.#patiently(job, () => this.#transfer(order, job, { path, sha256, bytes }));
      job.state = { phase: 'Ready', image, sha256, bytes };
    } catch (error) {
      const reason = (error instanceof OperatorError ? error.reason : undefined) ?? 'CheckpointFailed';
      job.state = { phase: 'Failed', reason, message: errorText(error) };
    }
  }

  /** What may pass is tried again, with back-off. */
  async #patiently<T>(job: Job, run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const mayPass = error instanceof OperatorError && error.retryable;
        if (!mayPass || attempt >= ATTEMPTS) throw error;
        job.state = {
          phase: 'Running',
          message: `attempt ${attempt} of ${ATTEMPTS} failed: ${errorText(error)}`,
        };
        await sleep(this.#clock, BACK_OFF_MS * 2 ** (attempt - 1));
      }
    }
  }

  async #transfer(order: CheckpointOrder, job: Job, archive: Archive): Promise<string> {
    const { image, node, targetNode, transfer } = order;
    const read = (): AsyncIterable<Uint8Array> => this.#counted(order, job, archive);
    if (transfer === 'Registry') {
      const { push } = this.#tools;
      if (push !== undefined) return await push(image, { ...archive, read });
      const message = 'this agent reaches no registry: use transferMode Direct';
      throw new OperatorError('Failed', message, { reason: 'NoRegistry' });
    }
    if (node === targetNode) await this.#tools.load(image, read());
    else await this.#send(order, read(), archive.sha256);
    return image;
  }

  /** The archive, while the state says how much of it is on its way. */
  async *#counted(
    { targetNode, transfer }: CheckpointOrder,
    job: Job,
    { path, bytes }: Archive,
  ): AsyncGenerator<Uint8Array> {
    const place = transfer === 'Registry' ? 'in the registry' : `on node ${targetNode}`;
    let sent = 0;
    for await (const chunk of this.#tools.read(path)) {
      yield chunk;
      sent += chunk.length;
      job.state = { phase: 'Running', message: `${sent} of ${bytes} bytes are ${place}` };
    }
  }

  /** Streams the archive to the agent of the target node, which compares its digest. */
  async #send(
    { image, targetNode }: CheckpointOrder,
    archive: AsyncIterable<Uint8Array>,
    sha256: string,
  ): Promise<void> {
    const headers = { [DIGEST_HEADER]: sha256 };
    const call = { method: 'PUT', headers, body: archive, idleMs: this.#idleMs } as const;
    const { status } = await callAgent(this.#agents, targetNode, imagePath(image), call);
    if (status !== 404) return;
    throw new OperatorError('Failed', `node ${targetNode} has no agent`, { reason: 'NoNodeAgent' });
  }
}
