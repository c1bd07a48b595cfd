import { createHash } from 'node:crypto';
import { errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { DIGEST_HEADER, imagePath } from './agent-paths.ts';
import { type AgentAddress, callAgent } from './http-node-agents.ts';
import type { CheckpointOrder, CheckpointState } from './node-agents.ts';

/** What an agent does on its node. Each rejects with a message for people. */
export type NodeTools = {
  /** Has the kubelet checkpoint a container; resolves with the path of the archive. */
  checkpoint(container: Pick<CheckpointOrder, 'namespace' | 'pod' | 'container' | 'node'>): Promise<string>;
  /** Reads an archive that `checkpoint` made. */
  read(path: string): AsyncIterable<Uint8Array>;
  removeArchive(path: string): Promise<void>;
  /** Makes an image of an archive. Nothing of it may remain if the archive ends with an error. */
  load(image: string, archive: AsyncIterable<Uint8Array>): Promise<void>;
  removeImage(image: string): Promise<void>;
  /** Pushes an image of an archive; resolves with its name by digest. Absent: this agent reaches no registry. */
  push?(image: string, archive: AsyncIterable<Uint8Array>): Promise<string>;
};

type Job = { state: CheckpointState; readonly ended: Promise<void>; archive?: string };

/** The checkpoints of a node, by id. */
export class CheckpointJobs {
  readonly #tools: NodeTools;
  readonly #agents: AgentAddress;
  readonly #jobs = new Map<string, Job>();

  /** `agents`: where those of other nodes are. */
  constructor(tools: NodeTools, agents: AgentAddress) {
    this.#tools = tools;
    this.#agents = agents;
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
      job.archive = await this.#tools.checkpoint(order);
      const { sha256, bytes } = await measured(this.#tools.read(job.archive));
      job.state = {
        phase: 'Running',
        message: `${bytes} bytes are on their way to node ${order.targetNode}`,
      };
      const image = await this.#transfer(order, job.archive, sha256);
      job.state = { phase: 'Ready', image, sha256, bytes };
    } catch (error) {
      job.state = { phase: 'Failed', message: errorText(error) };
    }
  }

  async #transfer(order: CheckpointOrder, path: string, sha256: string): Promise<string> {
    const { image, node, targetNode, transfer } = order;
    if (transfer === 'Registry') {
      const { push } = this.#tools;
      if (push === undefined)
        throw new OperatorError('Failed', 'this agent reaches no registry: use transferMode Direct');
      return await push(image, this.#tools.read(path));
    }
    if (node === targetNode) await this.#tools.load(image, this.#tools.read(path));
    else await this.#send(order, path, sha256);
    return image;
  }

  /** Streams the archive to the agent of the target node, which compares its digest. */
  async #send({ image, targetNode }: CheckpointOrder, path: string, sha256: string): Promise<void> {
    const body = ReadableStream.from(this.#tools.read(path));
    const init = { method: 'PUT', headers: { [DIGEST_HEADER]: sha256 }, body, duplex: 'half' } as const;
    const { status } = await callAgent(this.#agents, targetNode, imagePath(image), init);
    if (status === 404) throw new OperatorError('Failed', `node ${targetNode} has no agent`);
  }
}

async function measured(
  archive: AsyncIterable<Uint8Array>,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of archive) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** The same archive; ends with an error if it has another digest. */
export async function* verified(
  archive: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of archive) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  if (found !== sha256)
    throw new OperatorError('Failed', `the archive has SHA-256 ${found}, ${sha256} was announced`);
}
