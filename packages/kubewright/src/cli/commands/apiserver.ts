import { resolve } from 'node:path';
import { openAuditLog } from '../../run/audit-log.ts';
import { serveApi, untilStopped } from '../../run/serve-api.ts';
import type { ApiServerOptions } from '../../command-options.ts';
import type { Terminal } from '../../terminal.ts';

/** `kubewright apiserver`: the embedded API alone, until a signal. */
export async function apiserver(options: ApiServerOptions, terminal: Terminal): Promise<void> {
  const { auditLog } = options;
  const log = auditLog === undefined ? undefined : await openAuditLog(resolve(terminal.cwd, auditLog));
  const serving = log === undefined ? {} : { audit: log.sink };
  try {
    const { url, kubeconfig, close } = await serveApi(options, terminal, serving);
    terminal.out(`API         ${url}\nkubeconfig  ${kubeconfig}\nready\n`);
    await untilStopped(terminal);
    await close();
  } finally {
    await log?.close();
  }
}
