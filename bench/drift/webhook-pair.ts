import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import { writeKubeconfig } from '../../test/servers/kubeconfig.ts';
import { issueCertificate, makeAuthority } from '../../test/support/certificates.ts';
import { http2Transport } from '../../test/support/http2-transport.ts';
import { goProgram } from '../go-program.ts';
import { type SideProcess, startSide } from '../../test/support/side-process.ts';
import { createTrackedObjects } from './tracked-objects.ts';
import { startWebhook, type WebhookProcess } from './webhook-process.ts';
import { type Write, writesOf } from './writes.ts';

const API = fileURLToPath(new URL('api-process.mjs', import.meta.url));
const CLI = fileURLToPath(new URL('../../packages/kubewright/bin/kubewright.mjs', import.meta.url));

/** Our webhook and, if there is one, the original; and the API server that both read. */
export type WebhookPair = {
  readonly webhooks: readonly WebhookProcess[];
  readonly writes: readonly Write[];
  /** From now on the API server answers so many milliseconds late. */
  readonly setLatency: (ms: number) => Promise<void>;
  /** What each webhook has read from the API server since the last time. */
  readonly reads: () => Promise<readonly number[]>;
};

type Address = { readonly url: string; readonly caCert: string; readonly tokens: readonly string[] };

/** Runs `measure` with both webhooks, and leaves nothing. The other one is the original, or ours of another checkout. */
export async function withWebhookPair<T>(
  measure: (pair: WebhookPair) => Promise<T>,
  base: string | undefined,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-bench-'));
  const api = startSide(process.execPath, [API]);
  const webhooks: WebhookProcess[] = [];
  try {
    const address = await api.ask<Address>('start');
    const writes = await prepareWrites(address);
    const programs = await commands(base);
    for await (const webhook of startWebhooks(folder, address, writes, programs)) webhooks.push(webhook);
    return await measure({ webhooks, writes, ...ordersTo(api) });
  } finally {
    for (const webhook of webhooks) await webhook.stop();
    await api.stop();
    rmSync(folder, { recursive: true });
  }
}

function ordersTo(api: SideProcess): Pick<WebhookPair, 'setLatency' | 'reads'> {
  return {
    async setLatency(ms) {
      await api.ask(`latency ${ms}`);
    },
    reads: () => api.ask<readonly number[]>('reads'),
  };
}

async function prepareWrites({ url, caCert, tokens: [token = ''] }: Address): Promise<readonly Write[]> {
  const transport = http2Transport(url, caCert, token);
  try {
    return writesOf(await createTrackedObjects(createClient(transport)));
  } finally {
    await transport.close();
  }
}

async function* startWebhooks(
  folder: string,
  { url, caCert, tokens }: Address,
  writes: readonly Write[],
  programs: readonly Program[],
): AsyncGenerator<WebhookProcess> {
  const authority = await makeAuthority('bench-ca');
  const { cert, key } = await issueCertificate(authority, { subject: [{ CN: ['bench'] }], usage: 'server' });
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  // Until it knows the policy, a webhook allows everything.
  const probe = writes.find(({ allowed }) => !allowed);
  assert(probe !== undefined);
  for (const [index, command] of programs.entries()) {
    const kubeconfig = join(folder, `kubeconfig-${index}`);
    writeKubeconfig(kubeconfig, url, caCert, tokens[index] ?? '');
    yield startWebhook(command, { folder, ca: authority.cert, kubeconfig, probe });
  }
}

type Program = readonly [program: string, ...args: readonly string[]];

/** Ours, and that of another checkout; else the original, unless it cannot be built here. */
async function commands(base: string | undefined): Promise<readonly Program[]> {
  const ours = webhookOf(CLI);
  if (base !== undefined) {
    const command = join(base, 'packages', 'kubewright', 'bin', 'kubewright.mjs');
    if (!existsSync(command)) throw new TypeError(`--base ${base}: there is no ${command}; build it`);
    return [ours, webhookOf(command)];
  }
  const original = process.env['KAUSALITY_WEBHOOK'] ?? (await buildOriginal());
  return original === undefined ? [ours] : [ours, [original]];
}

function webhookOf(command: string): Program {
  return [process.execPath, command, 'drift', 'webhook'];
}

async function buildOriginal(): Promise<string | undefined> {
  try {
    return await goProgram('kausality');
  } catch (error) {
    console.error(`kausality is left out, as KAUSALITY_WEBHOOK names no build of it: ${errorText(error)}`);
    return undefined;
  }
}
