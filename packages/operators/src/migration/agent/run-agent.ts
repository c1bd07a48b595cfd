import { readFile } from 'node:fs/promises';
import { createTransport, systemClock } from '@kubewright/client';
import { aborted, defined } from '@kubewright/kube';
import type { CommandRun } from '../../kit/operator.ts';
import { serveAgent } from '../checkpoints/serve-agent.ts';
import { readAgentSettings } from './agent-settings.ts';
import { keepRenewed, readAgentTls } from './agent-tls.ts';
import { containerdTools } from './containerd-tools.ts';
import { nodeCommands } from './node-commands.ts';

/** `kubewright migrate agent`: serves until it is stopped. */
export async function runAgent({ terminal: { out, signal } }: CommandRun): Promise<void> {
  const settings = readAgentSettings(process.env);
  const { agents, host, port, kubeletUrl, kubeletCa, kubeletToken, prefix, folder, registry, tlsFiles } =
    settings;
  const kubelet = createTransport({
    url: kubeletUrl,
    tls: async () => ({ ca: await readFile(kubeletCa) }),
    // The kubelet rotates it.
    authorizer: {
      header: async () => `Bearer ${(await readFile(kubeletToken, 'utf8')).trim()}`,
      reset: () => undefined,
    },
  });
  const tools = containerdTools({ kubelet, run: nodeCommands(prefix), folder, registry });
  const audit = (request: object): void => out(`rejected ${JSON.stringify(request)}\n`);
  const tls = tlsFiles && (await readAgentTls(tlsFiles));
  const agent = await serveAgent({ tools, agents, host, port, audit, ...defined({ tls }) });
  out(`the agent listens on ${host}:${agent.port}\nready\n`);
  const report = (line: string): void => out(`${line}\n`);
  const { renew } = agent;
  if (tlsFiles !== undefined && tls !== undefined)
    await keepRenewed({ files: tlsFiles, current: tls, renew, report, clock: systemClock, signal });
  await aborted(signal);
  await agent.close();
  await kubelet.close();
}
