import { startControllers } from '@kubewright/cluster';
import { serveApi, untilStopped } from '../../run/serve-api.ts';
import type { ServeOptions } from '../program.ts';
import type { Terminal } from '../terminal.ts';

/** `kubewright cluster`: the embedded API and its controllers, until a signal. */
export async function cluster(options: ServeOptions, terminal: Terminal): Promise<void> {
  const { server, url, kubeconfig, caCert } = await serveApi(options, terminal);
  try {
    const { signal } = terminal;
    const { ready, ended } = startControllers({
      connect: (user) => server.transport(user),
      signal,
      rootCa: caCert,
    });
    await Promise.race([ready, ended]);
    if (!signal.aborted) terminal.out(`API         ${url}\nkubeconfig  ${kubeconfig}\nready\n`);
    await untilStopped(terminal);
    await ended;
  } finally {
    await server.close();
  }
}
