import assert from 'node:assert/strict';
import type { Nodes, WorkerRuntime } from '@kubewright/cluster';
import { kubeletCheckpoint, type NodeTools, type RunningAgent, serveAgent } from '@kubewright/operators';
import type { Transport } from '@kubewright/kube';

const TOKEN = 'a-token-of-the-agents';

/** The agents of simulated nodes: one process has those of all, under paths of their own. */
export type AgentsUnderTest = {
  readonly url: string;
  readonly token: string;
  /** How many archives of checkpoints are on the nodes. */
  archives(): Promise<number>;
  close(): Promise<void>;
};

type World = { readonly transport: Transport; readonly nodes: Nodes; readonly workers: WorkerRuntime };

export async function agentsUnderTest(world: World): Promise<AgentsUnderTest> {
  const made = new Set<string>();
  const agents = { url: '', token: TOKEN };
  const running: RunningAgent = await serveAgent({
    tools: toolsOf(world, made),
    agents,
    host: '127.0.0.1',
    port: 0,
  });
  agents.url = `http://127.0.0.1:${running.port}/$(NODE)`;
  return {
    ...agents,
    archives: async () => {
      const found = await Promise.all([...made].map((path) => world.nodes.checkpoints.read(path)));
      return found.filter((one) => one !== undefined).length;
    },
    close: () => running.close(),
  };
}

function toolsOf({ transport, nodes, workers }: World, made: Set<string>): NodeTools {
  return {
    facts: async () => ({ arch: 'amd64', cgroup: 'v2', kernel: '6.12', criu: '4.1' }),
    async checkpoint({ node, ...container }) {
      const archive = await kubeletCheckpoint(transport, container, { node });
      made.add(archive);
      return archive;
    },
    async *read(path) {
      const archive = await nodes.checkpoints.read(path);
      assert(archive !== undefined, `there is no archive ${path}`);
      yield archive;
    },
    removeArchive: (path) => nodes.checkpoints.remove(path),
    load: async (image, archive) => workers.loadCheckpoint(image, Buffer.concat(await chunksOf(archive))),
    // Images are in the process that runs the containers, as long as it lives.
    removeImage: async () => undefined,
  };
}

async function chunksOf(stream: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
