import { AssertionError } from 'node:assert/strict';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WebhookConfigurationRef } from '@kubewright/runtime';
import type { BenchServer } from '../apiserver/servers.ts';

export type WebhookProcess = { readonly port: number; stop(): Promise<void> };

/** Starts the webhook server, built, for the API server that is to call it. */
export async function startWebhooks(
  { url, caCert, token }: BenchServer,
  configurations: readonly WebhookConfigurationRef[],
): Promise<WebhookProcess> {
  const script = fileURLToPath(new URL('webhook-process.mjs', import.meta.url));
  const child = fork(script, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  child.send({ url, caCert, token, configurations });
  const { port } = await new Promise<{ readonly port: number }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { port: number }));
    child.once('exit', (code) =>
      reject(new AssertionError({ message: `the webhook server ended with ${code}` })),
    );
  });
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
