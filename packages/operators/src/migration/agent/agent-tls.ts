import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import type { AgentTls } from '../checkpoints/serve-agent.ts';

/** Where an agent has its certificate and key, and maybe the CAs of its callers. */
export type AgentTlsFiles = {
  readonly certFile: string;
  readonly keyFile: string;
  readonly clientCaFile?: string;
};

/** A mounted Secret is replaced by a symbolic link, which file notifications miss; so the files are read again. */
const LOOK_EVERY_MS = 60_000;

export async function readAgentTls({ certFile, keyFile, clientCaFile }: AgentTlsFiles): Promise<AgentTls> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  return { cert, key, ...(clientCaFile !== undefined && { clientCa: await readFile(clientCaFile, 'utf8') }) };
}

export type RenewOptions = {
  readonly files: AgentTlsFiles;
  /** What the agent shows now. */
  readonly current: AgentTls;
  /** Throws for a pair that cannot be used: it may be half written. */
  readonly renew: (tls: AgentTls) => void;
  /** Is given a line for a log. */
  readonly report: (line: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

/** Certificates are renewed while the agent runs. What cannot be used is reported, and the last one stays. */
export async function keepRenewed(options: RenewOptions): Promise<void> {
  const { files, renew, report, clock, signal } = options;
  let current = JSON.stringify(options.current);
  let problem: string | undefined;
  const look = async (): Promise<void> => {
    const tls = await readAgentTls(files);
    const text = JSON.stringify(tls);
    if (text === current) return;
    renew(tls);
    report('the certificate was renewed');
    current = text;
  };
  while (!signal.aborted) {
    const found = await look().then(() => undefined, errorText);
    if (found !== undefined && found !== problem) report(`the certificate cannot be renewed: ${found}`);
    problem = found;
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}
