import { serveApi, untilStopped } from '../../run/serve-api.ts';
import type { ServeOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright apiserver`: the embedded API alone, until a signal. */
export async function apiserver(options: ServeOptions, terminal: Terminal): Promise<void> {
  const { server, url, kubeconfig } = await serveApi(options, terminal);
  terminal.out(`API         ${url}\nkubeconfig  ${kubeconfig}\nready\n`);
  await untilStopped(terminal);
  await server.close();
}
